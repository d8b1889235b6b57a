//! Noticing the end of standard input at once. The SDK first waits for answers to open requests, which are searches that
//! nobody waits for any more.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// An input that announces its end.
pub struct EndNoticingInput<R> {
    input: R,
    has_ended: watch::Sender<bool>,
}

/// Waits for the end of an input.
pub struct InputEnd(watch::Receiver<bool>);

impl<R> EndNoticingInput<R> {
    /// An input, and its end.
    pub fn new(input: R) -> (Self, InputEnd) {
        let (has_ended, end) = watch::channel(false);
        (Self { input, has_ended }, InputEnd(end))
    }
}

impl InputEnd {
    /// Waits until the input has ended or is closed.
    pub async fn wait(&mut self) {
        // An error means that the input is gone.
        let _ = self.0.wait_for(|has_ended| *has_ended).await;
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for EndNoticingInput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        let is_end = match &read {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.remaining() > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_end {
            self.has_ended.send_replace(true);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn the_end_is_noticed_when_it_is_read() {
        let (mut input, mut end) = EndNoticingInput::new(&b"line\n"[..]);
        let mut text = String::new();
        assert!(!*end.0.borrow());
        input.read_to_string(&mut text).await.unwrap();
        end.wait().await;
        assert_eq!(text, "line\n");
    }
}
