//! Reading a body's bytes, up to the most that is taken.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use tokio::time::timeout;

use super::media_type::is_json;
use crate::error::{ApiError, Code};

/// The largest body taken: 1 MiB (decisions, "All resources").
const LARGEST_BODY: usize = 1_024 * 1_024;

/// How long a caller may take to send a body. That is less than a request may take in all, so that a slow caller is told of its own
/// slowness and not that the service has failed.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Most bodies are smaller than this.
const USUAL_BODY: usize = 16 * 1_024;

/// Reads a JSON body. One that announces too much is refused before its first byte is read. The edge
/// goes on reading for a while behind the answer, so that a caller in the middle of sending still gets it.
pub(crate) async fn read_body(headers: &HeaderMap, payload: Payload) -> Result<Bytes, ApiError> {
    if !is_json(headers) {
        return Err(ApiError::plain(Code::UnsupportedMediaType));
    }
    read_anything(headers, payload).await
}

/// Reads a body of any kind.
pub(super) async fn read_anything(
    headers: &HeaderMap,
    payload: Payload,
) -> Result<Bytes, ApiError> {
    read_within(LONGEST_WAIT, headers, payload).await
}

async fn read_within(
    longest: Duration,
    headers: &HeaderMap,
    payload: Payload,
) -> Result<Bytes, ApiError> {
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        .unwrap_or(0);
    if announced > LARGEST_BODY {
        return Err(ApiError::plain(Code::PayloadTooLarge));
    }
    timeout(longest, gather(announced, payload))
        .await
        .unwrap_or_else(|_late| Err(ApiError::plain(Code::RequestTimeout)))
}

async fn gather(announced: usize, mut payload: Payload) -> Result<Bytes, ApiError> {
    // An announcement costs nothing, so room is made for a usual body and the rest as it comes.
    let mut body = BytesMut::with_capacity(announced.min(USUAL_BODY));
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_broken_off| {
            ApiError::new(Code::ValidationError, "the body ended before its end")
        })?;
        if body.len().saturating_add(chunk.len()) > LARGEST_BODY {
            return Err(ApiError::plain(Code::PayloadTooLarge));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use actix_web::http::StatusCode;
    use actix_web::{ResponseError as _, error::PayloadError};
    use futures_util::{Stream, stream};

    use super::*;

    #[actix_web::test]
    async fn a_body_that_stops_coming_is_given_up_for_a_reason_of_its_own() {
        let begun = stream::iter([Ok::<_, PayloadError>(Bytes::from_static(b"{"))]);
        let stalled: Pin<Box<dyn Stream<Item = _>>> = Box::pin(begun.chain(stream::pending()));
        let payload = Payload::from(stalled);
        let headers = HeaderMap::new();
        let read = read_within(Duration::from_millis(20), &headers, payload).await;
        let refusal = read.unwrap_err();
        assert_eq!(refusal.status_code(), StatusCode::REQUEST_TIMEOUT);
        assert!(refusal.cause().is_none(), "nothing to log as our failure");
    }
}
