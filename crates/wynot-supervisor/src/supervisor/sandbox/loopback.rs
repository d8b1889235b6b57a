//! The loopback network device, by which the processes of a test can talk to each other.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

/// Enables the loopback device of this network namespace.
pub(crate) fn enable() -> io::Result<()> {
    // Any socket of the namespace serves for the request.
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    #[expect(unsafe_code, reason = "a system call with a structure of its own type")]
    // SAFETY: the structure consists of integers, so zeros are valid, and the call reads nothing else.
    let result = unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request)
    };
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
