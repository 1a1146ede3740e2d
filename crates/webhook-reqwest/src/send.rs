//! The sender of webhooks.

use std::time::Duration;

use async_trait::async_trait;
use kernel::HttpsUrl;
use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use tokio::time::{Instant, timeout_at};
use webhooks::{DeliveryAttempt, ReceiverResponse, SIGNATURE_HEADER, SendError, WebhookSender};

use crate::body::{beginning, discard};
use crate::client::Client;
use crate::fault::CallFault;

/// How many bytes of a body's rest are read, and for how long, so that the connection can be reused.
const MAX_DISCARDED: usize = 64 * 1_024;
const DISCARD_TIME: Duration = Duration::from_millis(200);

#[async_trait]
impl WebhookSender for Client {
    async fn send(
        &self,
        url: &HttpsUrl,
        body: &str,
        signature: &str,
        limit: Duration,
    ) -> Result<ReceiverResponse, SendError> {
        let start = Instant::now();
        let deadline = start.checked_add(limit).unwrap_or(start);
        let begun = timeout_at(deadline, self.post(url, body, signature)).await;
        let begun = begun.map_err(|_up| SendError::TimedOut(limit))?;
        let mut response = begun.map_err(|fault| SendError::Failed(fault.to_string()))?;
        let mut received = ReceiverResponse { status: response.status().as_u16(), body: Vec::new() };
        let reading = beginning(&mut response, DeliveryAttempt::MAX_BODY, &mut received.body);
        match timeout_at(deadline, reading).await {
            Err(_up) => return Err(SendError::Stalled(limit, received)),
            Ok(Err(_broken)) => return Err(SendError::BrokeOff(received)),
            Ok(Ok(false)) => {}
            Ok(Ok(true)) => {
                // The response is complete; the rest is read only so that the connection can be reused.
                let now = Instant::now();
                let until = now.checked_add(DISCARD_TIME).unwrap_or(now).min(deadline);
                let _ignored = timeout_at(until, discard(&mut response, MAX_DISCARDED)).await;
            }
        }
        Ok(received)
    }
}

impl Client {
    /// Sends a delivery and waits for the head of the response.
    async fn post(
        &self,
        url: &HttpsUrl,
        body: &str,
        signature: &str,
    ) -> Result<reqwest::Response, CallFault> {
        // The client adds Host, Content-Length and `Accept: */*`.
        let request = self
            .http
            .post(url.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(SIGNATURE_HEADER, signature)
            .header(USER_AGENT, webhooks::USER_AGENT)
            .body(body.to_owned());
        self.response(url, request).await
    }
}
