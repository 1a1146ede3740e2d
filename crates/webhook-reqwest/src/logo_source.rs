//! Downloads logos.

use std::time::Duration;

use async_trait::async_trait;
use kernel::HttpsUrl;
use partner_accounts::{Logo, LogoFetchError, LogoSource};
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, USER_AGENT};

use crate::body::next;
use crate::client::Client;
use crate::fault::CallFault;

/// The requested media types. A server may send others: the file is checked by its content.
const ACCEPTED: &str = "image/png, image/jpeg";

/// The name of the service in the logs of the server.
const CLIENT_NAME: &str = "Countinghouse";

/// The time limit of a whole download.
const LIMIT: Duration = Duration::from_secs(10);

/// Downloads logos through the client that guards the network.
#[derive(Clone)]
pub struct LogoDownloads {
    client: Client,
    max_bytes: usize,
    limit: Duration,
}

impl LogoDownloads {
    /// Downloads of at most [`Logo::MAX_BYTES`], each within 10 seconds.
    #[must_use]
    pub const fn new(client: Client) -> Self {
        Self { client, max_bytes: Logo::MAX_BYTES, limit: LIMIT }
    }

    /// The same with other limits on bytes and time.
    #[must_use]
    pub fn within(self, max_bytes: usize, limit: Duration) -> Self {
        Self { max_bytes, limit, ..self }
    }

    /// Stops as soon as the file is known to be too large: before reading its body if the server states the
    /// size.
    async fn get(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError> {
        let request = self.client.http.get(url.url().clone());
        let request = request.header(ACCEPT, ACCEPTED).header(USER_AGENT, CLIENT_NAME);
        let mut response = self.client.response(url, request).await?;
        match response.status() {
            StatusCode::OK => {}
            status if status.is_redirection() => return Err(LogoFetchError::Redirect),
            status => return Err(LogoFetchError::Status(status.as_u16())),
        }
        let too_large = |size: usize| size > self.max_bytes;
        let stated = response.content_length().map(usize::try_from);
        if stated.is_some_and(|size| size.map_or(true, too_large)) {
            return Err(LogoFetchError::TooLarge);
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = next(&mut response).await? {
            if too_large(bytes.len().saturating_add(chunk.len())) {
                return Err(LogoFetchError::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

#[async_trait]
impl LogoSource for LogoDownloads {
    async fn fetch(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError> {
        let downloaded = tokio::time::timeout(self.limit, self.get(url)).await;
        downloaded.unwrap_or(Err(LogoFetchError::TimedOut(self.limit)))
    }
}

impl From<CallFault> for LogoFetchError {
    fn from(fault: CallFault) -> Self {
        match fault {
            CallFault::NotPublic => Self::NotPublic,
            fault => Self::Unreachable(fault.to_string()),
        }
    }
}
