//! The settings page of the API key.

use askama::Template;
use invoices::figures::written_instant;
use kernel::{PublicUrls, TimeZone};
use partner_accounts::KeyInfo;

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::Button;
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// The visible parts of the account's key, and the button for a new one.
#[derive(Debug, Clone, Template)]
#[template(path = "account/api_key.html")]
pub struct ApiKeyPage {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    facts: Vec<(&'static str, String)>,
    times: String,
    form_token: String,
    /// Of the key that a new one replaces; empty if there is none.
    last_four: String,
    buttons: Vec<Button>,
}

impl Page for ApiKeyPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl ApiKeyPage {
    #[must_use]
    pub fn new(
        company: &str,
        key: Option<&KeyInfo>,
        form_token: String,
        zone: &TimeZone,
        urls: &PublicUrls,
    ) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        let facts = |key: &KeyInfo| {
            let last_used = key.last_used_at.map(|at| written_instant(at, zone));
            vec![
                (s.key, (s.key_masked)(&key.prefix, &key.last_four)),
                (s.created, written_instant(key.created_at, zone)),
                (s.last_used, last_used.unwrap_or_else(|| s.never.to_owned())),
            ]
        };
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::ApiKey, s.api_key, urls, t),
            facts: key.map(facts).unwrap_or_default(),
            times: (s.times)(zone.name()),
            form_token,
            last_four: key.map(|key| key.last_four.clone()).unwrap_or_default(),
            buttons: vec![Button { action: "generate".to_owned(), label: s.generate.to_owned() }],
        }
    }
}
