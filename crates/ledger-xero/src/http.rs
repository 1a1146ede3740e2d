//! HTTP calls with limits on time and size; every transport failure is temporary.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use https_client::{CallError, CallLimits, HttpsClient, SetupError};
use invoices::LedgerError;
use kernel::{Clock, error_chain};
use reqwest::header::RETRY_AFTER;
use reqwest::{RequestBuilder, StatusCode};
use time::OffsetDateTime;

const LIMITS: CallLimits = CallLimits {
    connecting: Duration::from_secs(10),
    call: Duration::from_secs(20),
    // An invoice of 500 lines is well below this.
    max_response_bytes: 1024 * 1024,
    reuse_connections: true,
};

/// The limits of the wait after a response that says that calls come too often. Xero counts calls by the
/// minute and by the day.
const SHORTEST_WAIT: time::Duration = time::Duration::MINUTE;
const LONGEST_WAIT: time::Duration = time::Duration::DAY;

/// A complete response.
pub(crate) struct XeroResponse {
    pub(crate) status: StatusCode,
    /// Xero's `Retry-After` header, as text.
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// The client, and the limit that Xero sets on the number of calls.
pub(crate) struct Calls {
    client: HttpsClient,
    clock: Arc<dyn Clock>,
    not_before: Mutex<Option<OffsetDateTime>>,
}

impl Calls {
    pub(crate) fn new(extra_ca_pem: Option<&[u8]>, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        Ok(Self { client: HttpsClient::new(LIMITS, extra_ca_pem)?, clock, not_before: Mutex::new(None) })
    }

    pub(crate) const fn client(&self) -> &HttpsClient {
        &self.client
    }

    /// The instant until which Xero refuses calls, if that is known.
    pub(crate) fn not_before(&self) -> Option<OffsetDateTime> {
        *self.not_before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and reads the response, whatever its status, unless Xero limits calls.
    ///
    /// # Errors
    /// [`LedgerError::Later`] without a call while the limit lasts, or a temporary error without a response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<XeroResponse, LedgerError> {
        let left = self.not_before().map(|instant| instant - self.clock.now());
        if let Some(wait) = left.filter(|wait| wait.is_positive()) {
            return Err(LedgerError::Later { reason: "Xero limits the number of calls".to_owned(), wait });
        }
        let response = self.client.send(request).await.map_err(no_answer)?;
        let retry_after = response.headers.get(RETRY_AFTER);
        let retry_after = retry_after.and_then(|value| value.to_str().ok().map(str::to_owned));
        let response = XeroResponse { status: response.status, retry_after, body: response.body };
        match response.status {
            StatusCode::TOO_MANY_REQUESTS => Err(self.postponed(&response)),
            _ => Ok(response),
        }
    }

    fn postponed(&self, response: &XeroResponse) -> LedgerError {
        let seconds = response.retry_after.as_deref().and_then(|text| text.parse().ok());
        let wait = seconds.map_or(SHORTEST_WAIT, time::Duration::seconds).clamp(SHORTEST_WAIT, LONGEST_WAIT);
        let until = self.clock.now().saturating_add(wait);
        let mut not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        *not_before = (*not_before).max(Some(until));
        LedgerError::Later { reason: response.refusal_text(), wait }
    }
}

fn no_answer(error: CallError) -> LedgerError {
    LedgerError::Temporary(match error {
        CallError::TooLarge { status, max_bytes } => {
            format!("Xero answered {status} with more than {max_bytes} bytes")
        }
        error => format!("no answer from Xero: {}", error_chain(&error)),
    })
}
