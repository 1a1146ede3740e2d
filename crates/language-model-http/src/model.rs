//! The port: asking a language model.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use communications::{LanguageModel, MessageType, ModelAnswer, ModelError};
use https_client::{CallLimits, HttpsClient};
use reqwest::Url;

use crate::settings::{LanguageModelSettings, SettingsFault};
use crate::{question, response};

/// How long connecting may take, at the most.
const CONNECTING: Duration = Duration::from_secs(3);

/// The largest answer that is read, in bytes: many times what is asked for.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Asks a language model over HTTP.
pub struct HttpLanguageModel {
    client: HttpsClient,
    completions: Url,
    host: String,
    settings: LanguageModelSettings,
}

impl HttpLanguageModel {
    /// Prepares to ask; no call is made yet.
    pub fn new(settings: LanguageModelSettings) -> Result<Self, SettingsFault> {
        settings.check()?;
        let limits = CallLimits {
            connecting: CONNECTING.min(settings.call_limit),
            call: settings.call_limit,
            max_response_bytes: MAX_RESPONSE_BYTES,
            reuse_connections: true,
        };
        let completions = settings.completions_url()?;
        let host = completions.host_str().unwrap_or_default();
        let host = completions.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let client = HttpsClient::new(limits, settings.extra_ca_pem.as_deref())?;
        Ok(Self { client, completions, host, settings })
    }
}

#[async_trait]
impl LanguageModel for HttpLanguageModel {
    fn host(&self) -> &str {
        &self.host
    }

    async fn ask(&self, text: &str, types: &[MessageType]) -> Result<Option<ModelAnswer>, ModelError> {
        let mut request = self.client.post(self.completions.clone());
        if let Some(key) = &self.settings.key {
            request = request.bearer_auth(key);
        }
        let request = request.json(&question::body(&self.settings.name, text, types));
        response::outcome(self.client.send(request).await)
    }
}

impl fmt::Debug for HttpLanguageModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpLanguageModel").field("settings", &self.settings).finish_non_exhaustive()
    }
}
