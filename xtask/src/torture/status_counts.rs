//! Counts the responses to hostile clients by status.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

/// What they were answered: how often each status, and 0 for a connection that was closed without one.
#[derive(Debug, Clone, Default)]
pub(super) struct StatusCounts(Arc<Mutex<BTreeMap<u16, u32>>>);

impl StatusCounts {
    pub(super) fn note(&self, status: u16) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *seen.entry(status).or_default() += 1;
    }

    pub(super) fn seen(&self) -> BTreeMap<u16, u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what has come on a connection, without waiting for more, and says whether there was anything:
    /// answers, or its end.
    pub(super) fn note_what_came(&self, stream: &TcpStream) -> bool {
        let mut received = [0; 4_096];
        let came = match stream.try_read(&mut received) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Ok(length) => received.get(..length).unwrap_or_default(),
            Err(_reset) => &[],
        };
        let statuses = statuses(came);
        statuses.iter().for_each(|status| self.note(*status));
        if statuses.is_empty() {
            self.note(0);
        }
        true
    }

    /// Reads so many answers, and says whether they came.
    pub(super) async fn read_all(&self, stream: &mut TcpStream, count: usize) -> bool {
        let mut received = Vec::new();
        let mut noted = 0;
        while noted < count {
            let read = tokio::time::timeout(Duration::from_secs(15), stream.read_buf(&mut received)).await;
            let ended = !matches!(read, Ok(Ok(length)) if length > 0);
            let statuses = statuses(&received);
            for status in statuses.iter().skip(noted) {
                self.note(*status);
            }
            noted = noted.max(statuses.len());
            if ended {
                if noted == 0 {
                    self.note(0);
                }
                return false;
            }
        }
        true
    }
}

/// The status of every answer that begins in these bytes.
fn statuses(received: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(received);
    let lines = text.split("HTTP/1.1 ").skip(1);
    lines.filter_map(|line| line.get(..3)?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn what_came_without_being_waited_for_is_noted() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut seen = Vec::new();
        for answer in ["HTTP/1.1 500 Internal Server Error\r\n\r\n", ""] {
            let answered = StatusCounts::default();
            let stream = TcpStream::connect(address).await.unwrap();
            let (mut other, _) = listener.accept().await.unwrap();
            assert!(!answered.note_what_came(&stream), "nothing yet");
            other.write_all(answer.as_bytes()).await.unwrap();
            drop(other);
            stream.readable().await.unwrap();
            assert!(answered.note_what_came(&stream));
            seen.push(answered.seen());
        }
        assert_eq!(seen, [[(500, 1)].into(), [(0, 1)].into()]);
    }

    #[test]
    fn every_answer_is_counted() {
        let received = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 400 Bad Request\r\n\r\nHTTP/1.1 5";
        assert_eq!(statuses(received), [401, 400]);
    }
}
