//! Settings of the operator.

use https_client::{SetupError, UrlFault, checked_url};
use reqwest::Url;

/// How to reach Stripe. The keys are not here: each account has its own.
#[derive(Debug, Clone)]
pub struct StripeSettings {
    /// The base of the API: `COUNTINGHOUSE_STRIPE_URL`.
    pub base_url: String,
    /// PEM certificates that are trusted in addition to the system's.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// The base of the API is not a URL that a key may be sent to.
    #[error("the base URL {0}")]
    BaseUrl(#[from] UrlFault),
    #[error(transparent)]
    Client(#[from] SetupError),
}

impl Default for StripeSettings {
    fn default() -> Self {
        Self { base_url: Self::BASE_URL.to_owned(), extra_ca_pem: None }
    }
}

impl StripeSettings {
    /// The base URL of Stripe's API.
    pub const BASE_URL: &'static str = "https://api.stripe.com";
    /// The origin of Stripe's checkout pages.
    pub(crate) const CHECKOUT_ORIGIN: &'static str = "https://checkout.stripe.com";

    /// Checks that keys may be sent to the base URL: HTTPS, or plain HTTP to this machine, where a stand-in
    /// may run.
    ///
    /// # Errors
    /// The [`UrlFault`] of the base URL.
    pub fn check(&self) -> Result<(), UrlFault> {
        self.base().map(drop)
    }

    pub(crate) fn base(&self) -> Result<Url, UrlFault> {
        checked_url(&self.base_url)
    }

    /// The origin of the checkout pages: a stand-in serves its pages itself.
    pub(crate) fn checkout_origin(base: &Url) -> String {
        let own = Url::parse(Self::BASE_URL).is_ok_and(|own| own.origin() == base.origin());
        if own { Self::CHECKOUT_ORIGIN.to_owned() } else { base.origin().ascii_serialization() }
    }
}
