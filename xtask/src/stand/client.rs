//! A thin HTTP/1.1 client: one kept connection, requests as bytes, answers looked at no further than needed.
//!
//! It shares the processors with what it measures, so that every instruction here is taken from there.

use std::io;
use std::net::SocketAddr;

use anyhow::{Context, bail};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A connection that is kept open.
pub(crate) struct Connection<S = TcpStream> {
    stream: S,
    answer: Vec<u8>,
}

/// Where in the received bytes an answer's parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Whole {
    status: u16,
    head: usize,
    end: usize,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream))
    }

    /// Whether the other side has closed it, or sent what nobody asked for, between two requests.
    pub(crate) fn is_spoilt(&self) -> bool {
        match self.stream.try_read(&mut [0]) {
            Ok(_) => true,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Over a stream that is there already.
    pub(crate) fn over(stream: S) -> Self {
        Self {
            stream,
            answer: Vec::with_capacity(64 * 1024),
        }
    }

    /// Sends a request and waits for the whole answer, whose status is returned.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<u16> {
        self.answer.clear();
        self.stream.write_all(request).await?;
        loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                bail!("the connection was closed in the middle of an answer");
            }
            if let Some(whole) = whole(&self.answer)? {
                return Ok(whole.status);
            }
        }
    }

    /// How many bytes of the last answer have come, also of one that broke off.
    pub(crate) const fn received(&self) -> usize {
        self.answer.len()
    }

    /// The head and the body of the last answer, each as text.
    pub(crate) fn last(&self) -> anyhow::Result<(String, Vec<u8>)> {
        let whole = whole(&self.answer)?.context("there is no answer yet")?;
        let (head, rest) = self.answer.split_at_checked(whole.head).unwrap_or_default();
        let head = String::from_utf8_lossy(head).into_owned();
        let body = if is_chunked(&head) {
            dechunked(rest)?
        } else {
            rest.to_vec()
        };
        Ok((head, body))
    }
}

/// Reads an answer, `None` as long as some of it is missing.
fn whole(received: &[u8]) -> anyhow::Result<Option<Whole>> {
    let Some(head) = received.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = head.saturating_add(4);
    let text = std::str::from_utf8(received.get(..head).unwrap_or_default())?;
    let status = text
        .get(9..12)
        .context("an answer begins with its status")?;
    let status: u16 = status.parse()?;
    let length = text.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>())
    });
    let end = match length {
        Some(length) => Some(head.saturating_add(length?)),
        None if is_chunked(text) => end_of_chunks(received, head)?,
        None if status == 204 => Some(head),
        None => bail!("an answer of unknown length: {text}"),
    };
    let end = end.filter(|end| received.len() >= *end);
    Ok(end.map(|end| Whole { status, head, end }))
}

fn is_chunked(head: &str) -> bool {
    head.lines()
        .any(|line| line.eq_ignore_ascii_case("transfer-encoding: chunked"))
}

/// Walks from chunk to chunk (RFC 9112, section 7.1) and says where the last one ends.
fn end_of_chunks(received: &[u8], mut at: usize) -> anyhow::Result<Option<usize>> {
    while let Some((size, data)) = chunk(received, at)? {
        at = data.saturating_add(size).saturating_add(2);
        if size == 0 {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// The size of the chunk that begins here, and where its data do.
fn chunk(received: &[u8], at: usize) -> anyhow::Result<Option<(usize, usize)>> {
    let Some(rest) = received.get(at..) else {
        return Ok(None);
    };
    let Some(line) = rest.windows(2).position(|two| two == b"\r\n") else {
        return Ok(None);
    };
    let size = std::str::from_utf8(rest.get(..line).unwrap_or_default())?;
    let size = usize::from_str_radix(size, 16)?;
    Ok(Some((size, at.saturating_add(line).saturating_add(2))))
}

fn dechunked(chunks: &[u8]) -> anyhow::Result<Vec<u8>> {
    let (mut body, mut at) = (Vec::new(), 0);
    while let Some((size, data)) = chunk(chunks, at)? {
        let end = data.saturating_add(size);
        body.extend_from_slice(chunks.get(data..end).unwrap_or_default());
        at = end.saturating_add(2);
        if size == 0 {
            break;
        }
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_when_its_last_byte_is_there() {
        let answer = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";
        for length in 0..answer.len() {
            assert_eq!(whole(&answer[..length]).unwrap(), None);
        }
        assert_eq!(whole(answer).unwrap().unwrap().status, 201);
    }

    #[tokio::test]
    async fn a_connection_is_spoilt_when_the_other_side_has_closed_it() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let connection = Connection::open(listener.local_addr().unwrap());
        let connection = connection.await.unwrap();
        let (other, _) = listener.accept().await.unwrap();
        assert!(!connection.is_spoilt());
        drop(other);
        connection.stream.readable().await.unwrap();
        assert!(connection.is_spoilt());
    }

    #[test]
    fn chunks_are_walked_to_the_last_one() {
        let answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n";
        for length in 0..answer.len() {
            assert_eq!(whole(&answer[..length]).unwrap(), None, "{length}");
        }
        let found = whole(answer).unwrap().unwrap();
        assert_eq!(found.end, answer.len());
        assert_eq!(dechunked(&answer[found.head..]).unwrap(), b"abc0123456789");
    }
}
