//! Reads request bodies, limited in size and time.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use tokio::time::timeout;

use crate::error::ApiError;
use crate::error_code::ErrorCode;

/// The maximum size of a body: 1 MiB (decisions, "All resources").
const MAX_BODY: usize = 1_024 * 1_024;

/// The maximum size of a form with a file.
const MAX_UPLOAD: usize = 8 * 1_024 * 1_024;

/// The maximum size of a received e-mail.
const MAX_MAIL: usize = 25 * 1_024 * 1_024;

/// How long a client may take to send a body. This is less than the deadline of a request, so that a slow
/// client gets `REQUEST_TIMEOUT` and not an error of the service.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// The maximum number of bytes allocated before the first byte arrives; most bodies are smaller.
const FIRST_ALLOCATION: usize = 16 * 1_024;

/// As much of a body as was read.
pub enum BoundedBody {
    Whole(Bytes),
    /// The first bytes of a body that is too large, as many as may be read.
    Beginning(Bytes),
}

/// Reads a body of any media type.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE`, before the first byte is read if `Content-Length` is too large; `REQUEST_TIMEOUT`; a
/// validation error when the body is cut off.
pub async fn read_body(headers: &HeaderMap, payload: Payload) -> Result<Bytes, ApiError> {
    read_within(MAX_WAIT, MAX_BODY, headers, payload).await
}

/// Reads a body of any media type up to the limit of [`read_body`]. The beginning of a larger body is read
/// even if `Content-Length` is too large, for a caller that compares bodies.
///
/// # Errors
/// `REQUEST_TIMEOUT`; a validation error when the body is cut off.
pub async fn read_beginning(payload: Payload) -> Result<BoundedBody, ApiError> {
    collect_within(MAX_WAIT, 0, MAX_BODY, payload).await
}

/// Reads a form with a file, which may be larger, so that a picture of 2 MB is reported as a fault of its
/// field, not of the request.
///
/// # Errors
/// As [`read_body`].
pub async fn read_upload(headers: &HeaderMap, payload: Payload) -> Result<Bytes, ApiError> {
    read_within(MAX_WAIT, MAX_UPLOAD, headers, payload).await
}

/// Reads a raw e-mail, which may be even larger.
///
/// # Errors
/// As [`read_body`].
pub async fn read_mail(headers: &HeaderMap, payload: Payload) -> Result<Bytes, ApiError> {
    read_within(MAX_WAIT, MAX_MAIL, headers, payload).await
}

async fn read_within(
    max_wait: Duration,
    max: usize,
    headers: &HeaderMap,
    payload: Payload,
) -> Result<Bytes, ApiError> {
    let announced =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok()).unwrap_or(0);
    if announced > max {
        return Err(too_large(max));
    }
    match collect_within(max_wait, announced, max, payload).await? {
        BoundedBody::Whole(body) => Ok(body),
        BoundedBody::Beginning(_) => Err(too_large(max)),
    }
}

async fn collect_within(
    max_wait: Duration,
    announced: usize,
    max: usize,
    payload: Payload,
) -> Result<BoundedBody, ApiError> {
    timeout(max_wait, collect(announced, max, payload))
        .await
        .unwrap_or_else(|_elapsed| Err(ApiError::plain(ErrorCode::RequestTimeout)))
}

async fn collect(announced: usize, max: usize, mut payload: Payload) -> Result<BoundedBody, ApiError> {
    let mut body = BytesMut::with_capacity(announced.min(FIRST_ALLOCATION));
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_broken_off| {
            ApiError::new(ErrorCode::ValidationError, "the body ended before its end")
        })?;
        let room = max.saturating_sub(body.len());
        if chunk.len() > room {
            body.extend_from_slice(chunk.get(..room).unwrap_or_default());
            return Ok(BoundedBody::Beginning(body.freeze()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(BoundedBody::Whole(body.freeze()))
}

/// The error names the limit of the path, which is that of [`read_body`] for most.
fn too_large(max: usize) -> ApiError {
    ApiError::new(ErrorCode::PayloadTooLarge, format!("the body is larger than {} MiB", max >> 20))
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use actix_web::http::StatusCode;
    use actix_web::{ResponseError as _, error::PayloadError};
    use futures_util::{Stream, stream};

    use super::*;

    #[actix_web::test]
    async fn body_that_stops_coming_is_a_request_timeout() {
        let begun = stream::iter([Ok::<_, PayloadError>(Bytes::from_static(b"{"))]);
        let stalled: Pin<Box<dyn Stream<Item = _>>> = Box::pin(begun.chain(stream::pending()));
        let payload = Payload::from(stalled);
        let headers = HeaderMap::new();
        let read = read_within(Duration::from_millis(20), MAX_BODY, &headers, payload).await;
        let error = read.unwrap_err();
        assert_eq!(error.status_code(), StatusCode::REQUEST_TIMEOUT);
        assert!(error.cause().is_none(), "nothing is logged as a failure");
    }
}
