//! Downloads: an account's logo.

use std::time::Duration;

use kernel::HttpsUrl;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, USER_AGENT};

use crate::body::next;
use crate::client::Client;
use crate::fault::Fault;

/// Who asks, for the logs of whoever is asked.
const CALLER: &str = "Countinghouse";

/// Why there is no download.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    /// The guard refused the address.
    #[error("{}", Fault::NotPublic)]
    NotPublic,
    /// There is no way to the host, or its answer is none, or broke off.
    #[error("{0}")]
    Unreachable(Fault),
    /// The time was up.
    #[error("no complete answer within {} seconds", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The answer points elsewhere, and redirects are not followed.
    #[error("the answer is a redirect, which is not followed")]
    Redirect,
    /// The answer has another status than 200.
    #[error("the answer has status {0}")]
    Status(u16),
    /// The body has more bytes than were asked for.
    #[error("the file has more than {0} bytes")]
    TooLarge(usize),
}

impl From<Fault> for DownloadError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotPublic => Self::NotPublic,
            fault => Self::Unreachable(fault),
        }
    }
}

impl Client {
    /// Downloads a file of at most `most` bytes, in `limit` at the longest. `accept` says which media types
    /// are of use (`image/png, image/jpeg`), though a server may send others.
    ///
    /// Reading stops as soon as the file is seen to be too large, which is before it is read where the server
    /// states its size.
    ///
    /// # Errors
    /// A [`DownloadError`], whose text says what went wrong.
    pub async fn download(
        &self,
        url: &HttpsUrl,
        accept: &'static str,
        most: usize,
        limit: Duration,
    ) -> Result<Vec<u8>, DownloadError> {
        let download = tokio::time::timeout(limit, self.get(url, accept, most));
        let downloaded = download.await;
        downloaded.map_err(|_up| DownloadError::TimedOut(limit))?
    }

    async fn get(&self, url: &HttpsUrl, accept: &'static str, most: usize) -> Result<Vec<u8>, DownloadError> {
        let request = self.http.get(url.url().clone()).header(ACCEPT, accept).header(USER_AGENT, CALLER);
        let mut answer = self.answer(url, request).await?;
        match answer.status() {
            StatusCode::OK => {}
            status if status.is_redirection() => return Err(DownloadError::Redirect),
            status => return Err(DownloadError::Status(status.as_u16())),
        }
        let too_large = |size: usize| size > most;
        let stated = answer.content_length().map(usize::try_from);
        if stated.is_some_and(|size| size.map_or(true, too_large)) {
            return Err(DownloadError::TooLarge(most));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = next(&mut answer).await? {
            if too_large(bytes.len().saturating_add(chunk.len())) {
                return Err(DownloadError::TooLarge(most));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}
