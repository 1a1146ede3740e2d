//! A page that shows a secret, once.

use askama::Template;
use kernel::PublicUrls;

use crate::dashboard::{Dashboard, Section};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// A page that shows a secret. It is the response to the form that created the secret, and is never rendered
/// again.
#[derive(Clone, Template)]
#[template(path = "account/secret.html")]
pub struct SecretPage {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    sentence: String,
    label: &'static str,
    secret: String,
    back: (String, String),
}

impl Page for SecretPage {}

impl SecretPage {
    /// A new API key.
    #[must_use]
    pub fn api_key(company: &str, key: &str, urls: &PublicUrls) -> Self {
        let s = ENGLISH.account;
        let layout = Dashboard::new(company, Section::ApiKey, s.new_key, urls, &ENGLISH);
        let back = (urls.page("/dashboard/settings/api"), (s.back)(s.api_key));
        Self::new(layout, s.new_key_hint.to_owned(), s.key, key, back)
    }

    /// The signing secret of a new endpoint.
    #[must_use]
    pub fn signing_secret(company: &str, url: &str, secret: &str, urls: &PublicUrls) -> Self {
        let s = ENGLISH.account;
        let layout = Dashboard::new(company, Section::Webhooks, s.new_secret, urls, &ENGLISH);
        let back = (urls.page("/dashboard/settings/webhooks"), (s.back)(s.webhooks));
        Self::new(layout, (s.new_secret_hint)(url), s.signing_secret, secret, back)
    }

    fn new(
        layout: Dashboard,
        sentence: String,
        label: &'static str,
        secret: &str,
        back: (String, String),
    ) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        Self { t, s, layout, sentence, label, secret: secret.to_owned(), back }
    }
}

impl std::fmt::Debug for SecretPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretPage(redacted)")
    }
}
