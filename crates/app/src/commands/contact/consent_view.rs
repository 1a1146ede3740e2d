//! A consent as commands print it.

use communications::Consent;
use kernel::{Named as _, instant_text};
use serde::Serialize;

#[derive(Serialize)]
pub(in crate::commands) struct ConsentView {
    pub(super) contact_id: String,
    pub(super) channel: &'static str,
    pub(super) consent: bool,
    pub(super) at: String,
    how: String,
}

impl From<&Consent> for ConsentView {
    fn from(consent: &Consent) -> Self {
        Self {
            contact_id: consent.contact.to_string(),
            channel: consent.channel.as_str(),
            consent: consent.is_given,
            at: instant_text(consent.recorded_at),
            how: consent.how.to_string(),
        }
    }
}
