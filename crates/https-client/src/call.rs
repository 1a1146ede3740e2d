//! One call, and its outcome.

use reqwest::header::HeaderMap;
use reqwest::{Error, RequestBuilder, StatusCode};

/// A complete response.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// Why there is no complete response.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The request did not reach the other side.
    #[error("the request was not sent")]
    NotSent(#[source] Error),
    /// The other side may have got the request, and may have carried it out.
    #[error("no response came")]
    NoResponse(#[source] Error),
    /// The response ended early, after its status.
    #[error("the response {status} broke off")]
    BrokenOff {
        status: StatusCode,
        #[source]
        error: Error,
    },
    /// The response exceeds the size limit.
    #[error("the response {status} has more than {max_bytes} bytes")]
    TooLarge { status: StatusCode, max_bytes: usize },
}

impl CallError {
    /// The status, if one was received.
    #[must_use]
    pub const fn status(&self) -> Option<StatusCode> {
        match self {
            Self::NotSent(_) | Self::NoResponse(_) => None,
            Self::BrokenOff { status, .. } | Self::TooLarge { status, .. } => Some(*status),
        }
    }
}

pub(crate) async fn read(request: RequestBuilder, max_bytes: usize) -> Result<Response, CallError> {
    let mut response = request.send().await.map_err(unanswered)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| CallError::BrokenOff { status, error: error.without_url() })?;
        let Some(chunk) = chunk else {
            return Ok(Response { status, headers, body });
        };
        if body.len().saturating_add(chunk.len()) > max_bytes {
            return Err(CallError::TooLarge { status, max_bytes });
        }
        body.extend_from_slice(&chunk);
    }
}

fn unanswered(error: Error) -> CallError {
    let was_not_sent = error.is_connect() || error.is_builder();
    let error = error.without_url();
    if was_not_sent { CallError::NotSent(error) } else { CallError::NoResponse(error) }
}
