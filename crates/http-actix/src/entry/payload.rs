//! Reading a body's bytes, up to the most that is taken.

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::media_type::is_json;
use crate::error::{Code, Refusal};

/// The largest body taken: 1 MiB (decisions, "All resources").
const LARGEST_BODY: usize = 1_024 * 1_024;

/// Most bodies are smaller than this.
const USUAL_BODY: usize = 16 * 1_024;

/// Reads a JSON body. One that announces too much is refused before its first byte is read. The server goes on reading what
/// it has no use for a while after the answer, so that a caller in the middle of sending still gets it.
pub(crate) async fn read_body(headers: &HeaderMap, mut payload: Payload) -> Result<Bytes, Refusal> {
    if !is_json(headers) {
        return Err(Refusal::plain(Code::UnsupportedMediaType));
    }
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        .unwrap_or(0);
    if announced > LARGEST_BODY {
        return Err(Refusal::plain(Code::PayloadTooLarge));
    }
    // An announcement costs nothing, so room is made for a usual body and the rest as it comes.
    let mut body = BytesMut::with_capacity(announced.min(USUAL_BODY));
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_broken_off| {
            Refusal::new(Code::ValidationError, "the body ended before its end")
        })?;
        if body.len().saturating_add(chunk.len()) > LARGEST_BODY {
            return Err(Refusal::plain(Code::PayloadTooLarge));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
