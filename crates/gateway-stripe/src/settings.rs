//! What the operator sets.

use https_client::{SetupFault, UrlFault, checked_url};
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
    #[error(transparent)]
    Client(#[from] SetupFault),
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
        checked_url(&self.base_url)
    }

    /// Where payers are sent: a stand-in shows its checkout pages itself.
    pub(crate) fn checkout_origin(base: &Url) -> String {
        let own = Url::parse(Self::BASE_URL).is_ok_and(|own| own.origin() == base.origin());
        if own { Self::CHECKOUT_ORIGIN.to_owned() } else { base.origin().ascii_serialization() }
    }
}
