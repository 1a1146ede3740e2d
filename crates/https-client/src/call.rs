//! One call, and its outcome.

use reqwest::header::HeaderMap;
use reqwest::{Error, RequestBuilder, StatusCode};

/// A complete response.
#[derive(Debug, Clone)]
pub struct Answer {
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
    #[error("no answer came")]
    NoAnswer(#[source] Error),
    /// The response ended early, after its status.
    #[error("the answer {status} broke off")]
    BrokenOff {
        status: StatusCode,
        #[source]
        error: Error,
    },
    /// The response exceeds the size limit.
    #[error("the answer {status} has more than {most} bytes")]
    TooLarge { status: StatusCode, most: usize },
}

impl CallError {
    /// The status, if one was received.
    #[must_use]
    pub const fn status(&self) -> Option<StatusCode> {
        match self {
            Self::NotSent(_) | Self::NoAnswer(_) => None,
            Self::BrokenOff { status, .. } | Self::TooLarge { status, .. } => Some(*status),
        }
    }
}

pub(crate) async fn read(request: RequestBuilder, most: usize) -> Result<Answer, CallError> {
    let mut response = request.send().await.map_err(unanswered)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| CallError::BrokenOff { status, error: error.without_url() })?;
        let Some(chunk) = chunk else {
            return Ok(Answer { status, headers, body });
        };
        if body.len().saturating_add(chunk.len()) > most {
            return Err(CallError::TooLarge { status, most });
        }
        body.extend_from_slice(&chunk);
    }
}

fn unanswered(error: Error) -> CallError {
    let was_not_sent = error.is_connect() || error.is_builder();
    let error = error.without_url();
    if was_not_sent { CallError::NotSent(error) } else { CallError::NoAnswer(error) }
}
