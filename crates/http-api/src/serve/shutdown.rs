//! How a server takes its leave: nobody who was let in goes without an answer.
//!
//! A server that just stops closes its door with people on the threshold: connections that the kernel has taken and nobody has accepted
//! yet are reset, and a kept connection is closed in the very moment in which its caller writes the next request. To those callers it is a
//! request that got no answer, of which they cannot know whether it was done. So the server says for a moment, with every answer, that
//! the connection ends with it; then lets nobody knock any more, while those who have knocked are let in; and only then stops.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long answers say that their connection ends: a caller who is at work sends its next request within that.
const WORD: Duration = Duration::from_millis(400);
/// How long those who have knocked have to be let in.
const THRESHOLD: Duration = Duration::from_millis(100);

/// Whether the server is about to stop. Clones know it together.
#[derive(Debug, Clone, Default)]
pub struct GracefulShutdown(Arc<AtomicBool>);

impl GracefulShutdown {
    /// Whether answers are to say that their connection ends.
    pub(crate) fn is_being_said(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes leave, for half a second, while the server serves on. `door` is a clone of the listener; both are to be closed right after,
    /// this one by being dropped here and the server's own by its being stopped.
    pub async fn say(&self, door: TcpListener) {
        self.0.store(true, Ordering::Relaxed);
        tokio::time::sleep(WORD).await;
        if let Err(error) = turn_away(&door) {
            tracing::debug!(%error, "new connections are taken until the listener is closed");
        }
        tokio::time::sleep(THRESHOLD).await;
    }
}

/// Has the kernel drop requests for new connections, as if they were lost on their way. Their callers ask again, a second later, and find
/// the address closed or another process there: neither of that is a request without an answer.
#[cfg(target_os = "linux")]
fn turn_away(door: &TcpListener) -> io::Result<()> {
    use socket2::{SockFilter, SockRef};

    // A classic BPF program over the TCP header: of the flags in byte 13, is SYN (2) set and ACK (16) not?
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    SockRef::from(door).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, 13),
        SockFilter::new(AND, 0, 0, 0x12),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, 0x02),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ])
}

#[cfg(not(target_os = "linux"))]
fn turn_away(_door: &TcpListener) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn whoever_has_knocked_is_let_in_and_nobody_else() {
        let door = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = door.local_addr().unwrap();
        let knocked = TcpStream::connect(address).unwrap();
        turn_away(&door).unwrap();
        let soon = Duration::from_millis(200);
        let late = TcpStream::connect_timeout(&address, soon).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        let (_, who) = door.accept().unwrap();
        assert_eq!(who, knocked.local_addr().unwrap());
        drop(door);
        let refused = TcpStream::connect(address).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    }
}
