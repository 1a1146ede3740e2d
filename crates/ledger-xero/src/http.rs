//! HTTP calls with limits on time and size; every transport failure is temporary.

use std::time::Duration;

use https_client::{CallError, CallLimits, HttpsClient, SetupError};
use invoices::LedgerError;
use outbox::error_chain;
use reqwest::header::RETRY_AFTER;
use reqwest::{RequestBuilder, StatusCode};

const LIMITS: CallLimits = CallLimits {
    connecting: Duration::from_secs(10),
    call: Duration::from_secs(20),
    // An invoice of 500 lines is well below this.
    max_response_bytes: 1024 * 1024,
    reuse_connections: true,
};

/// A complete response.
pub(crate) struct XeroResponse {
    pub(crate) status: StatusCode,
    /// Xero's `Retry-After` header, as text.
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn client(extra_ca_pem: Option<&[u8]>) -> Result<HttpsClient, SetupError> {
    HttpsClient::new(LIMITS, extra_ca_pem)
}

/// Sends a request and reads the response, whatever its status.
pub(crate) async fn send(client: &HttpsClient, request: RequestBuilder) -> Result<XeroResponse, LedgerError> {
    let response = client.send(request).await.map_err(|error| {
        LedgerError::Temporary(match error {
            CallError::TooLarge { status, max_bytes } => {
                format!("Xero answered {status} with more than {max_bytes} bytes")
            }
            error => format!("no answer from Xero: {}", error_chain(&error)),
        })
    })?;
    let retry_after = response.headers.get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok().map(str::to_owned));
    Ok(XeroResponse { status: response.status, retry_after, body: response.body })
}
