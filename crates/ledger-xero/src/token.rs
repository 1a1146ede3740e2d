//! Access tokens: fetched once, kept until shortly before they expire.

use std::sync::Arc;

use invoices::LedgerError;
use kernel::Clock;
use reqwest::Url;
use serde::Deserialize;
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;

use crate::http::{Calls, XeroResponse};
use crate::settings::{SettingsFault, XeroSettings};

/// How long before its expiry a token is no longer used: longer than a call takes.
const MARGIN: Duration = Duration::minutes(1);

/// An access token. It has no `Debug`, so it cannot be printed by accident.
#[derive(Clone)]
pub(crate) struct Token {
    text: Arc<str>,
    use_until: OffsetDateTime,
}

impl Token {
    /// The token in plain text, for the header.
    pub(crate) fn reveal(&self) -> &str {
        &self.text
    }
}

/// Fetches and keeps the token.
pub(crate) struct Tokens {
    url: Url,
    client_id: String,
    client_secret: String,
    scope: String,
    clock: Arc<dyn Clock>,
    /// Locked while a token is fetched: other callers wait for that token.
    current: Mutex<Option<Token>>,
}

/// The response of the token URL.
#[derive(Deserialize)]
struct Grant {
    access_token: String,
    expires_in: u32,
}

/// The error response (RFC 6749, section 5.2).
#[derive(Deserialize)]
struct TokenError {
    error: String,
}

impl Tokens {
    pub(crate) fn new(settings: &XeroSettings, clock: Arc<dyn Clock>) -> Result<Self, SettingsFault> {
        Ok(Self {
            url: settings.token_address()?,
            client_id: settings.client_id.clone(),
            client_secret: settings.client_secret.clone(),
            scope: settings.scope.clone(),
            clock,
            current: Mutex::new(None),
        })
    }

    /// A valid token.
    pub(crate) async fn current(&self, calls: &Calls) -> Result<Token, LedgerError> {
        let mut current = self.current.lock().await;
        match &*current {
            Some(token) if self.clock.now() < token.use_until => Ok(token.clone()),
            _ => Ok(current.insert(self.fetch(calls).await?).clone()),
        }
    }

    /// A token that replaces a refused one; another call may already have fetched it.
    pub(crate) async fn instead_of(&self, refused: &Token, calls: &Calls) -> Result<Token, LedgerError> {
        let mut current = self.current.lock().await;
        match &*current {
            Some(token) if token.text != refused.text => Ok(token.clone()),
            _ => Ok(current.insert(self.fetch(calls).await?).clone()),
        }
    }

    async fn fetch(&self, calls: &Calls) -> Result<Token, LedgerError> {
        let form = [("grant_type", "client_credentials"), ("scope", &self.scope)];
        let request = calls
            .client()
            .post(self.url.clone())
            .basic_auth(&self.client_id, Some(&self.client_secret))
            .header("Accept", "application/json")
            .form(&form);
        let asked_at = self.clock.now();
        let response = calls.send(request).await?;
        if !response.status.is_success() {
            return Err(refusal(&response));
        }
        let grant: Grant = serde_json::from_slice(&response.body).map_err(|_unreadable| {
            // The parser's error could quote the response, which may contain a token.
            LedgerError::Temporary("Xero's answer to our credentials is no token".to_owned())
        })?;
        let lasts = Duration::seconds(grant.expires_in.into());
        Ok(Token {
            text: grant.access_token.into(),
            use_until: asked_at.saturating_add(lasts.saturating_sub(MARGIN)),
        })
    }
}

/// Always temporary: wrong credentials are corrected in the settings, not in the task.
fn refusal(response: &XeroResponse) -> LedgerError {
    let refusal = serde_json::from_slice::<TokenError>(&response.body);
    let code = refusal.map(|refusal| refusal.error).unwrap_or_default();
    let is_code = |c: char| c.is_ascii_lowercase() || c == '_';
    let mut text = format!("Xero gives us no token ({})", response.status);
    if (1..=40).contains(&code.len()) && code.chars().all(is_code) {
        text.push_str(&format!(": {code}"));
    }
    LedgerError::Temporary(text)
}
