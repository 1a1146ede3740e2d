//! The operator's settings.

use std::fmt;
use std::time::Duration;

use https_client::{SetupError, UrlFault, checked_url};
use reqwest::Url;

/// How to ask a language model.
#[derive(Clone)]
pub struct LanguageModelSettings {
    /// The base of the API, with its version: `COUNTINGHOUSE_LANGUAGE_MODEL_URL`.
    pub base_url: String,
    /// `COUNTINGHOUSE_LANGUAGE_MODEL_NAME`.
    pub name: String,
    /// `COUNTINGHOUSE_LANGUAGE_MODEL_KEY`; a local server may need none.
    pub key: Option<String>,
    /// How long one call may take, in total.
    pub call_limit: Duration,
    /// Certificates in PEM that are trusted in addition to those of the system.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// The base of the API is not a URL to which customers' texts may be sent.
    #[error("the base URL {0}")]
    BaseUrl(#[from] UrlFault),
    #[error("the model's name must have 1 to 200 characters, and no control characters")]
    Name,
    #[error("the key must have visible ASCII characters only")]
    Key,
    #[error(transparent)]
    Client(#[from] SetupError),
}

impl LanguageModelSettings {
    /// How long a call may take unless said otherwise: as long as the port allows.
    pub const CALL_LIMIT: Duration = Duration::from_secs(10);

    /// A model that needs no key.
    #[must_use]
    pub fn new(base_url: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            name: name.into(),
            key: None,
            call_limit: Self::CALL_LIMIT,
            extra_ca_pem: None,
        }
    }

    /// Checks that each setting is well formed. The model is not called.
    ///
    /// # Errors
    /// The first [`SettingsFault`].
    pub fn check(&self) -> Result<(), SettingsFault> {
        self.completions_url()?;
        let name = self.name.trim();
        if !(1..=200).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(SettingsFault::Name);
        }
        let is_key = |key: &String| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        if self.key.as_ref().is_some_and(|key| !is_key(key)) {
            return Err(SettingsFault::Key);
        }
        Ok(())
    }

    /// The URL that questions are sent to.
    pub(crate) fn completions_url(&self) -> Result<Url, SettingsFault> {
        let mut url = checked_url(&self.base_url)?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["chat", "completions"]);
        }
        Ok(url)
    }
}

impl fmt::Debug for LanguageModelSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LanguageModelSettings")
            .field("base_url", &self.base_url)
            .field("name", &self.name)
            .field("key", &self.key.as_ref().map(|_| "[redacted]"))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> LanguageModelSettings {
        LanguageModelSettings {
            key: Some("s3cret".to_owned()),
            ..LanguageModelSettings::new("https://models.example.com/v1", "small-1")
        }
    }

    #[test]
    fn address_of_questions_is_below_the_base() {
        let url = |base: &str| LanguageModelSettings::new(base, "small-1").completions_url().unwrap();
        let own = "https://models.example.com/v1/chat/completions";
        assert_eq!(url("https://models.example.com/v1").as_str(), own);
        assert_eq!(url("https://models.example.com/v1/").as_str(), own);
        assert_eq!(url("http://127.0.0.1:11434/v1").path(), "/v1/chat/completions");
        assert_eq!(url("http://[::1]:8000").path(), "/chat/completions");
    }

    #[test]
    fn malformed_settings_are_refused_and_the_key_is_never_shown() {
        assert!(settings().check().is_ok());
        let fault = |change: fn(&mut LanguageModelSettings)| {
            let mut settings = settings();
            change(&mut settings);
            assert!(!format!("{settings:?}").contains("s3cret"));
            settings.check().unwrap_err()
        };
        let clear = fault(|s| s.base_url = "http://models.example.com/v1".to_owned());
        assert!(matches!(clear, SettingsFault::BaseUrl(UrlFault::InTheClear)));
        let malformed = fault(|s| s.base_url = "https://me:word@models.example.com/v1".to_owned());
        assert!(matches!(malformed, SettingsFault::BaseUrl(UrlFault::Malformed)));
        assert!(matches!(fault(|s| s.name.clear()), SettingsFault::Name));
        assert!(matches!(fault(|s| s.name.push_str("\nx")), SettingsFault::Name));
        assert!(matches!(fault(|s| s.key = Some(String::new())), SettingsFault::Key));
        assert!(matches!(fault(|s| s.key = Some("s3cret\r\nX: y".to_owned())), SettingsFault::Key));
    }
}
