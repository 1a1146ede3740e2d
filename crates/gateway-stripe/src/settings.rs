//! What the operator sets.

use std::net::IpAddr;

use reqwest::Url;

/// Where Stripe is. The keys are not here: they are the accounts' own.
#[derive(Debug, Clone)]
pub struct StripeSettings {
    /// The base of the API: `COUNTINGHOUSE_STRIPE_URL`.
    pub base_url: String,
    /// Certificates in PEM that are trusted beside those of the system.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// Why settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// The base of the API is no address to send a key to.
    #[error("the base URL {0}")]
    BaseUrl(#[from] UrlFault),
    /// The extra certificates are not PEM.
    #[error("the extra certificates must be PEM: {0}")]
    ExtraCa(String),
    #[error("the HTTP client cannot be made")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What is wrong with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// It is no address.
    #[error("must be an https:// address")]
    Malformed,
    /// It is not HTTPS, and not this machine.
    #[error("must begin with https://, or http:// for this machine itself")]
    InTheClear,
}

impl Default for StripeSettings {
    fn default() -> Self {
        Self { base_url: Self::BASE_URL.to_owned(), extra_ca_pem: None }
    }
}

impl StripeSettings {
    /// Stripe's own address.
    pub const BASE_URL: &'static str = "https://api.stripe.com";
    /// Where Stripe's own checkout pages are.
    pub(crate) const CHECKOUT_ORIGIN: &'static str = "https://checkout.stripe.com";

    /// Whether keys may be sent to the base: HTTPS, or plain HTTP to the machine itself, where a stand-in may
    /// run.
    ///
    /// # Errors
    /// The [`UrlFault`] of the base.
    pub fn check(&self) -> Result<(), UrlFault> {
        self.base().map(drop)
    }

    pub(crate) fn base(&self) -> Result<Url, UrlFault> {
        let url = Url::parse(self.base_url.trim()).map_err(|_malformed| UrlFault::Malformed)?;
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        let is_here = host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        match url.scheme() {
            "https" if is_bare => Ok(url),
            "http" if is_bare && is_here => Ok(url),
            "http" if is_bare => Err(UrlFault::InTheClear),
            _ => Err(UrlFault::Malformed),
        }
    }

    /// Where payers are sent: a stand-in shows its checkout pages itself.
    pub(crate) fn checkout_origin(base: &Url) -> String {
        let own = Url::parse(Self::BASE_URL).is_ok_and(|own| own.origin() == base.origin());
        if own { Self::CHECKOUT_ORIGIN.to_owned() } else { base.origin().ascii_serialization() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(base_url: &str) -> Result<(), UrlFault> {
        StripeSettings { base_url: base_url.to_owned(), extra_ca_pem: None }.check()
    }

    #[test]
    fn key_is_sent_over_https_or_to_the_machine_itself() {
        for fine in
            [StripeSettings::BASE_URL, "http://127.0.0.1:4010", "http://[::1]:4010", "http://localhost"]
        {
            assert_eq!(checked(fine), Ok(()), "{fine}");
        }
        assert_eq!(checked("http://127.0.0.1.example.com/"), Err(UrlFault::InTheClear));
        for bad in
            ["", "stripe", "ftp://localhost", "https://user:word@example.com", "https://example.com/?a"]
        {
            assert_eq!(checked(bad), Err(UrlFault::Malformed), "{bad}");
        }
    }
}
