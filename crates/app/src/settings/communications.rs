//! The settings of communications with customers.

use anyhow::{Context as _, anyhow, bail};
use kernel::EmailAddress;
use language_model_http::{LanguageModelSettings, SettingsFault as ModelFault};
use sms_twilio::{SettingsFault, TwilioSettings};
use time::Duration;

use super::table::Settings;

/// The maximum retention of messages, so that subtracting it from the present time cannot overflow.
const MAX_KEPT: Duration = Duration::days(36_500);

/// How long messages are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptMessages {
    /// How long the raw bytes of received messages are kept.
    pub raw: Duration,
    /// How long subjects and texts are kept.
    pub texts: Duration,
}

impl Settings {
    /// How long messages are kept.
    ///
    /// # Errors
    /// When a retention is longer than a hundred years, or raw messages, which contain the texts, are kept
    /// longer than texts.
    pub fn kept_messages(&self) -> anyhow::Result<KeptMessages> {
        let kept = |length: std::time::Duration, name: &'static str| {
            let length = Duration::try_from(length).ok().filter(|length| *length <= MAX_KEPT);
            length.with_context(|| format!("{name} must be at most 36500d"))
        };
        let raw = kept(self.raw_messages_kept, "COUNTINGHOUSE_RAW_MESSAGES_KEPT")?;
        let texts = kept(self.message_texts_kept, "COUNTINGHOUSE_MESSAGE_TEXTS_KEPT")?;
        if texts < raw {
            bail!(
                "COUNTINGHOUSE_MESSAGE_TEXTS_KEPT must not be shorter than raw messages are kept \
                 (RAW_MESSAGES_KEPT): they have the texts in them"
            );
        }
        Ok(KeptMessages { raw, texts })
    }

    /// Whether text messages are sent: through a provider, or as files when the sandbox is on.
    #[must_use]
    pub fn sends_texts(&self) -> bool {
        self.twilio_account_sid.is_some() || self.has_sandbox()
    }

    /// The settings of the text message provider; `None` when none is set. `status_callback` is the URL that
    /// delivery receipts are sent to.
    ///
    /// # Errors
    /// One line that names the setting that is missing or malformed.
    pub fn twilio(&self, status_callback: String) -> anyhow::Result<Option<TwilioSettings>> {
        let (sid, token, from) = match (&self.twilio_account_sid, &self.twilio_auth_token, &self.twilio_from)
        {
            (Some(sid), Some(token), Some(from)) => (sid, token, from),
            (None, None, None) if self.twilio_url.is_none() => return Ok(None),
            _ => bail!(
                "COUNTINGHOUSE_TWILIO_ACCOUNT_SID, COUNTINGHOUSE_TWILIO_AUTH_TOKEN and COUNTINGHOUSE_TWILIO_FROM \
                 must be set together, and COUNTINGHOUSE_TWILIO_URL only with them"
            ),
        };
        let callback =
            if status_callback.is_empty() { "https://localhost/".to_owned() } else { status_callback };
        let mut settings = TwilioSettings::new(sid, token.reveal(), from, callback);
        if let Some(url) = &self.twilio_url {
            settings.base_url.clone_from(url);
        }
        settings.extra_ca_pem = self.extra_ca_pem()?;
        settings.check().map_err(|fault| match fault {
            SettingsFault::AccountSid => anyhow!("COUNTINGHOUSE_TWILIO_ACCOUNT_SID: {fault}"),
            SettingsFault::AuthToken => anyhow!("COUNTINGHOUSE_TWILIO_AUTH_TOKEN: {fault}"),
            SettingsFault::From => anyhow!("COUNTINGHOUSE_TWILIO_FROM: {fault}"),
            SettingsFault::BaseUrl(fault) => anyhow!("COUNTINGHOUSE_TWILIO_URL: {fault}"),
            other => anyhow::Error::new(other).context("COUNTINGHOUSE_TWILIO_*"),
        })?;
        Ok(Some(settings))
    }

    /// The settings of the language model that classifies messages which the rules are unsure of; `None` when
    /// none is set.
    ///
    /// # Errors
    /// One line that names the setting that is missing or malformed.
    pub fn language_model(&self) -> anyhow::Result<Option<LanguageModelSettings>> {
        let key = self.language_model_key.as_ref().map(|key| key.reveal().to_owned());
        let (url, name) = match (&self.language_model_url, &self.language_model_name) {
            (Some(url), Some(name)) => (url, name),
            (None, None) if key.is_none() => return Ok(None),
            _ => bail!(
                "COUNTINGHOUSE_LANGUAGE_MODEL_URL and COUNTINGHOUSE_LANGUAGE_MODEL_NAME must be set together, and \
                 COUNTINGHOUSE_LANGUAGE_MODEL_KEY with them alone"
            ),
        };
        let extra_ca_pem = self.extra_ca_pem()?;
        let settings = LanguageModelSettings { key, extra_ca_pem, ..LanguageModelSettings::new(url, name) };
        settings.check().map_err(|fault| match fault {
            ModelFault::BaseUrl(fault) => anyhow!("COUNTINGHOUSE_LANGUAGE_MODEL_URL: {fault}"),
            ModelFault::Name => anyhow!("COUNTINGHOUSE_LANGUAGE_MODEL_NAME: {fault}"),
            ModelFault::Key => anyhow!("COUNTINGHOUSE_LANGUAGE_MODEL_KEY: {fault}"),
            other => anyhow::Error::new(other).context("COUNTINGHOUSE_LANGUAGE_MODEL_*"),
        })?;
        Ok(Some(settings))
    }

    /// Checks that the domain of replies and the token of inbound mail are valid in addresses.
    pub(super) fn check_inbound(&self) -> anyhow::Result<()> {
        if let Some(domain) = &self.inbound_domain
            && EmailAddress::parse(&format!("reply@{domain}")).is_err()
        {
            bail!("COUNTINGHOUSE_INBOUND_DOMAIN must be a domain such as in.example.com");
        }
        let is_plain = |token: &str| {
            !token.is_empty()
                && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
        };
        if let Some(token) = &self.inbound_token
            && !is_plain(token.reveal())
        {
            bail!("COUNTINGHOUSE_INBOUND_TOKEN must have letters, digits, -, _, . and ~ only");
        }
        Ok(())
    }
}
