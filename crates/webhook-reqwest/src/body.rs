//! Reads the bodies of responses, up to a limit.

use std::io;
use std::ops::Deref;

use reqwest::Response;
use reqwest::header::{CONTENT_LENGTH, TRANSFER_ENCODING};

use crate::fault::{CallFault, causes};

/// Reads at most the first `max_bytes` bytes of a response's body into `bytes`, which keeps what came even if
/// the rest does not come. Returns whether there may be more. The bytes are taken as received: the client
/// requests and undoes no compression, so a small body cannot become a large one.
pub(crate) async fn beginning(
    response: &mut Response,
    max_bytes: usize,
    bytes: &mut Vec<u8>,
) -> Result<bool, CallFault> {
    while let Some(chunk) = next(response).await? {
        let room = max_bytes.saturating_sub(bytes.len());
        bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() >= room {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads the rest of a body if it is short, so that its connection can be reused.
pub(crate) async fn discard(response: &mut Response, max_bytes: usize) {
    let mut seen: usize = 0;
    while let Ok(Some(chunk)) = next(response).await {
        seen = seen.saturating_add(chunk.len());
        if seen > max_bytes {
            return;
        }
    }
}

/// The next chunk of a body; `None` at its end.
pub(crate) async fn next(
    response: &mut Response,
) -> Result<Option<impl Deref<Target = [u8]> + use<>>, CallFault> {
    let chunk = response.chunk().await;
    match chunk {
        Err(error) if ends_with_its_connection(response) && is_end(&error) => Ok(None),
        chunk => chunk.map_err(|_broken| CallFault::BrokeOff),
    }
}

/// Whether only the end of the connection marks the end of the body.
fn ends_with_its_connection(response: &Response) -> bool {
    let headers = response.headers();
    !headers.contains_key(CONTENT_LENGTH) && !headers.contains_key(TRANSFER_ENCODING)
}

/// Whether the connection was closed without TLS's `close_notify`. Simple servers omit it, and without this
/// every response of theirs that has no stated length would count as a failure.
fn is_end(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::UnexpectedEof)
}
