//! The operator's settings.

use std::fmt;

use https_client::{SetupError, UrlFault, checked_url};
use reqwest::Url;

/// How to send text messages through an account at Twilio.
#[derive(Clone)]
pub struct TwilioSettings {
    /// `COUNTINGHOUSE_TWILIO_ACCOUNT_SID`.
    pub account_sid: String,
    /// `COUNTINGHOUSE_TWILIO_AUTH_TOKEN`. Calls are made and callbacks are signed with it.
    pub auth_token: String,
    /// `COUNTINGHOUSE_TWILIO_FROM`: the number or name that messages come from.
    pub from: String,
    /// The base of the API: `COUNTINGHOUSE_TWILIO_URL`.
    pub base_url: String,
    /// Where Twilio sends delivery receipts: the public URL of `/inbound/twilio/sms`.
    pub status_callback: String,
    /// Certificates in PEM that are trusted in addition to those of the system.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// The account's id is malformed. It becomes part of a URL.
    #[error("the account SID must be 1 to 64 letters and digits")]
    AccountSid,
    #[error("the auth token must not be empty")]
    AuthToken,
    #[error(
        "the sender must be a telephone number such as +14155550123, a short number, or a name of at most 11 \
         characters that Twilio knows"
    )]
    From,
    /// The base of the API is not a URL to which a token may be sent.
    #[error("the base URL {0}")]
    BaseUrl(#[from] UrlFault),
    #[error("the address for delivery receipts must begin with https:// or http:// and have no query")]
    StatusCallback,
    #[error(transparent)]
    Client(#[from] SetupError),
}

impl TwilioSettings {
    /// Twilio's own URL.
    pub const BASE_URL: &'static str = "https://api.twilio.com";

    /// The settings of an account, with Twilio's own URL.
    #[must_use]
    pub fn new(
        account_sid: impl Into<String>,
        auth_token: impl Into<String>,
        from: impl Into<String>,
        status_callback: impl Into<String>,
    ) -> Self {
        Self {
            account_sid: account_sid.into(),
            auth_token: auth_token.into(),
            from: from.into(),
            base_url: Self::BASE_URL.to_owned(),
            status_callback: status_callback.into(),
            extra_ca_pem: None,
        }
    }

    /// Checks that each setting is well formed. Twilio is not called.
    ///
    /// # Errors
    /// The first [`SettingsFault`].
    pub fn check(&self) -> Result<(), SettingsFault> {
        self.messages_url()?;
        self.callback_base()?;
        if self.auth_token.is_empty() {
            return Err(SettingsFault::AuthToken);
        }
        is_sender(&self.from).then_some(()).ok_or(SettingsFault::From)
    }

    /// The URL that creates messages.
    pub(crate) fn messages_url(&self) -> Result<Url, SettingsFault> {
        let sid = &self.account_sid;
        if !(1..=64).contains(&sid.len()) || !sid.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(SettingsFault::AccountSid);
        }
        let mut url = checked_url(&self.base_url)?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["2010-04-01", "Accounts", sid, "Messages.json"]);
        }
        Ok(url)
    }

    pub(crate) fn callback_base(&self) -> Result<Url, SettingsFault> {
        let url = Url::parse(&self.status_callback).ok();
        let is_base = |url: &Url| {
            matches!(url.scheme(), "https" | "http") && url.query().is_none() && url.fragment().is_none()
        };
        url.filter(is_base).ok_or(SettingsFault::StatusCallback)
    }
}

/// Whether Twilio may know this sender: a telephone number (E.164), a short number, or a name.
fn is_sender(from: &str) -> bool {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match from.strip_prefix('+') {
        Some(number) if are_digits(number) => (7..=15).contains(&number.len()),
        _ if are_digits(from) => (3..=8).contains(&from.len()),
        _ => {
            let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b" +-_&".contains(&byte);
            (1..=11).contains(&from.len())
                && from.bytes().all(is_of_name)
                && from.bytes().any(|byte| byte.is_ascii_alphabetic())
        }
    }
}

impl fmt::Debug for TwilioSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TwilioSettings")
            .field("account_sid", &self.account_sid)
            .field("auth_token", &"[redacted]")
            .field("from", &self.from)
            .field("base_url", &self.base_url)
            .field("status_callback", &self.status_callback)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> TwilioSettings {
        TwilioSettings::new(
            "AC0123",
            "s3cret",
            "+14155550123",
            "https://books.example.com/inbound/twilio/sms",
        )
    }

    #[test]
    fn address_of_the_api_is_made_of_base_and_account() {
        assert!(settings().check().is_ok());
        let own = "https://api.twilio.com/2010-04-01/Accounts/AC0123/Messages.json";
        assert_eq!(settings().messages_url().unwrap().as_str(), own);
        let below = TwilioSettings { base_url: "http://127.0.0.1:4010/twilio/".to_owned(), ..settings() };
        let url = below.messages_url().unwrap();
        assert_eq!(url.path(), "/twilio/2010-04-01/Accounts/AC0123/Messages.json");
    }

    #[test]
    fn malformed_settings_are_refused_and_the_token_is_never_shown() {
        let fault = |change: fn(&mut TwilioSettings)| {
            let mut settings = settings();
            change(&mut settings);
            assert!(!format!("{settings:?}").contains("s3cret"));
            settings.check().unwrap_err()
        };
        assert!(matches!(fault(|s| s.account_sid.clear()), SettingsFault::AccountSid));
        assert!(matches!(fault(|s| s.account_sid.push_str("/../x")), SettingsFault::AccountSid));
        assert!(matches!(fault(|s| s.auth_token.clear()), SettingsFault::AuthToken));
        let clear = fault(|s| s.base_url = "http://twilio.example.com".to_owned());
        assert!(matches!(clear, SettingsFault::BaseUrl(UrlFault::InTheClear)));
        assert!(matches!(fault(|s| s.status_callback.push_str("?a=b")), SettingsFault::StatusCallback));
        assert!(matches!(
            fault(|s| s.status_callback = "/inbound".to_owned()),
            SettingsFault::StatusCallback
        ));
    }

    #[test]
    fn sender_is_a_number_with_its_country_or_a_short_one_or_a_name() {
        for (from, is_valid) in [
            ("+14155550123", true),
            ("72345", true),
            ("Harbour Co", true),
            ("B&B", true),
            ("", false),
            ("+", false),
            ("+141555", false),
            ("+14155550123\n", false),
            ("4155550123", false),
            ("+1 (415) 555-0123", false),
            ("Harbour and Co", false),
            ("MG0123456789abcdef0123456789abcdef", false),
        ] {
            let checked = TwilioSettings { from: from.to_owned(), ..settings() }.check();
            assert_eq!(checked.is_ok(), is_valid, "{from:?}");
        }
    }
}
