//! The download of logos.

use std::time::Duration;

use async_trait::async_trait;
use kernel::HttpsUrl;
use partner_accounts::{Logo, LogoFetchError, LogoSource};

use crate::client::Client;
use crate::download::DownloadError;

/// What is asked for. What comes is judged by its content.
const WANTED: &str = "image/png, image/jpeg";

/// How long a download may take in all.
const LIMIT: Duration = Duration::from_secs(10);

/// Downloads logos with the client that guards the network.
#[derive(Debug, Clone)]
pub struct LogoDownloads {
    client: Client,
    limit: Duration,
}

impl LogoDownloads {
    /// Takes 10 seconds at the longest for each.
    #[must_use]
    pub const fn new(client: Client) -> Self {
        Self { client, limit: LIMIT }
    }

    /// The same with another limit.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }
}

#[async_trait]
impl LogoSource for LogoDownloads {
    async fn fetch(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError> {
        let most = Logo::MOST_BYTES;
        let downloaded = self.client.download(url, WANTED, most, self.limit).await;
        downloaded.map_err(|error| match error {
            DownloadError::NotPublic => LogoFetchError::NotPublic,
            DownloadError::Unreachable(fault) => LogoFetchError::Unreachable(fault.to_string()),
            DownloadError::TimedOut(limit) => LogoFetchError::TimedOut(limit),
            DownloadError::Redirect => LogoFetchError::Redirect,
            DownloadError::Status(status) => LogoFetchError::Status(status),
            DownloadError::TooLarge(_) => LogoFetchError::TooLarge,
        })
    }
}
