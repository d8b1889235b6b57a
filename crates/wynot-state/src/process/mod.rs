//! Programs that run under control.
