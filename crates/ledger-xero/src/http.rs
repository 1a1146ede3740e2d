//! One call over HTTP: bounded in time and in size, with every failure of the way told as temporary.

use std::time::Duration;

use invoices::LedgerError;
use outbox::error_chain;
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode};

use crate::settings::SettingsFault;
use crate::tls;

/// What a call has in total: connecting, waiting, reading.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The largest answer that is read. One invoice of 500 lines is well below it.
const LARGEST_ANSWER: usize = 1024 * 1024;

/// An answer that came whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// When Xero wants to be asked again, in its own words.
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn client(extra_ca_pem: Option<&[u8]>) -> Result<Client, SettingsFault> {
    Client::builder()
        .tls_backend_preconfigured(tls::client_config(extra_ca_pem)?)
        .user_agent(concat!("Countinghouse/", env!("CARGO_PKG_VERSION")))
        .timeout(TIMEOUT)
        // A redirect would carry the token to wherever it points.
        .redirect(Policy::none())
        .no_proxy()
        .build()
        .map_err(|error| SettingsFault::Client(Box::new(error)))
}

/// Makes a call and reads the answer, whatever its status.
pub(crate) async fn send(request: RequestBuilder) -> Result<Answer, LedgerError> {
    let mut response = request.send().await.map_err(|error| lost(&error))?;
    let status = response.status();
    let retry_after = response.headers().get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok().map(str::to_owned));
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
        if body.len().saturating_add(chunk.len()) > LARGEST_ANSWER {
            let text = format!("Xero answered {status} with more than {LARGEST_ANSWER} bytes");
            return Err(LedgerError::Temporary(text));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, retry_after, body })
}

fn lost(error: &reqwest::Error) -> LedgerError {
    LedgerError::Temporary(format!("no answer from Xero: {}", error_chain(error)))
}
