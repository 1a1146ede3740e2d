//! The sender of webhooks.

use std::time::Duration;

use async_trait::async_trait;
use kernel::HttpsUrl;
use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use tokio::time::{Instant, timeout_at};
use webhooks::{Attempt, Response, SendError, Sender};

use crate::body::{beginning, discard};
use crate::client::Client;
use crate::fault::Fault;

/// Who calls (contract, "Delivery"). The number is that of the body's format.
const CALLER: &str = "Service-Webhooks/1.0";

/// The longest rest of a body, in bytes, that is read for the sake of its connection, and the longest time for that.
const REST: usize = 64 * 1_024;
const REST_TIME: Duration = Duration::from_millis(200);

#[async_trait]
impl Sender for Client {
    async fn send(
        &self,
        url: &HttpsUrl,
        body: &str,
        signature: &str,
        limit: Duration,
    ) -> Result<Response, SendError> {
        let start = Instant::now();
        let deadline = start.checked_add(limit).unwrap_or(start);
        let exchange = timeout_at(deadline, self.post(url, body, signature));
        let exchanged = exchange.await.map_err(|_up| SendError::TimedOut(limit))?;
        let (mut answer, response) =
            exchanged.map_err(|fault| SendError::Failed(fault.to_string()))?;
        if let Some(rest) = &mut answer {
            // What is known by now is a complete answer; whatever the rest of it does, it changes nothing.
            let now = Instant::now();
            let until = now.checked_add(REST_TIME).unwrap_or(now).min(deadline);
            let _read_or_not = timeout_at(until, discard(rest, REST)).await;
        }
        Ok(response)
    }
}

impl Client {
    /// The answer, with what is left to read of it.
    async fn post(
        &self,
        url: &HttpsUrl,
        body: &str,
        signature: &str,
    ) -> Result<(Option<reqwest::Response>, Response), Fault> {
        // Beside these, HTTP itself wants Host and Content-Length, and the client says that it takes any answer (Accept: */*).
        let request = self
            .http
            .post(url.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header("Service-Signature", signature)
            .header(USER_AGENT, CALLER)
            .body(body.to_owned());
        let mut answer = self.answer(url, request).await?;
        let status = answer.status().as_u16();
        let kept = beginning(&mut answer, Attempt::LONGEST_BODY).await?;
        let response = Response {
            status,
            body: kept.bytes,
        };
        Ok((kept.more.then_some(answer), response))
    }
}
