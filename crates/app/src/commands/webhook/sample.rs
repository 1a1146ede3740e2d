//! `webhook test`: sends one signed sample event to a receiver under development.

use anyhow::{Context as _, bail};
use kernel::{HttpsUrl, Id, PublicUrls, SystemIds, SystemRandom};
use serde::Serialize;
use time::OffsetDateTime;
use webhooks::{Event, Occurrence, SendError, SigningSecret, TargetGuard as _, WebhookSender as _, sign};

use crate::output::Output;
use crate::settings::Settings;
use crate::wiring::webhook_client;

/// The request that was sent, and the response.
#[derive(Serialize)]
struct SampleResult {
    signing_secret: String,
    body: String,
    signature: String,
    response_status: Option<u16>,
    response_body: Option<String>,
    error: Option<String>,
    delivered: bool,
}

/// Sends a sample event as a delivery would be sent, and prints the response. The event belongs to no account
/// and is not stored.
///
/// # Errors
/// When the URL is not an allowed delivery target, or the receiver did not accept the event.
pub(super) async fn send(
    settings: &Settings,
    url: &HttpsUrl,
    secret: Option<SigningSecret>,
    output: Output,
) -> anyhow::Result<()> {
    let client = webhook_client(settings)?;
    client.check(url).await.context("--url")?;
    let made_up = secret.is_none();
    let secret = match secret {
        Some(secret) => secret,
        None => SigningSecret::generate(&SystemRandom::default()),
    };
    let event = sample(settings.public_urls(settings.listen), settings.clock()?.now());
    let signature = sign(&secret, event.body.as_bytes());
    let limit = settings.webhook_timeout;
    let sent = client.send(url, &event.body, &signature, limit).await;
    let result = SampleResult::new(&secret, event.body, signature, sent);
    output.of_reading().show(&result, |result| result.text(made_up))?;
    if !result.delivered {
        bail!("the receiver did not take the event: it takes a 2xx answer");
    }
    Ok(())
}

fn sample(urls: PublicUrls, now: OffsetDateTime) -> Event {
    let ids = SystemIds::default();
    let invoice = Id::<kernel::scope::AccountEntity>::new(&ids, now);
    let occurrence = Occurrence { id: Id::new(&ids, now), account: Id::new(&ids, now), at: now, urls };
    Event::payment_recorded(occurrence, invoice.uuid())
}

impl SampleResult {
    fn new(
        secret: &SigningSecret,
        body: String,
        signature: String,
        sent: Result<webhooks::ReceiverResponse, SendError>,
    ) -> Self {
        let (response, error) = match sent {
            Ok(response) => (Some(response), None),
            Err(error) => {
                let text = error.to_string();
                (error.into_begun(), Some(text))
            }
        };
        let status = response.as_ref().map(|response| response.status);
        Self {
            signing_secret: secret.reveal().to_owned(),
            body,
            signature,
            response_status: status,
            response_body: response.map(|response| String::from_utf8_lossy(&response.body).into_owned()),
            delivered: error.is_none() && status.is_some_and(|status| (200..300).contains(&status)),
            error,
        }
    }

    fn text(&self, made_up: bool) -> String {
        let note = if made_up { " (made up)" } else { "" };
        let came = match (&self.error, self.response_status) {
            (Some(error), None) => error.clone(),
            (Some(error), Some(status)) => format!("{status}: {error}"),
            (None, Some(status)) => {
                let body = self.response_body.as_deref().unwrap_or_default();
                format!("{status} {body}")
            }
            (None, None) => "nothing".to_owned(),
        };
        format!(
            "sent       {}\nsecret     {}{note}\nsignature  {}\ncame back  {came}",
            self.body, self.signing_secret, self.signature
        )
    }
}
