//! The page on which an owner undoes a change of bank details or of a gateway's key, linked in the mail about
//! it.

use askama::Template;
use invoices::figures::zoned_instant_text;
use kernel::{PublicUrls, TimeZone};
use payments::{BankDetailsEntry, GatewayKind};
use time::OffsetDateTime;

use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, Texts};

/// The page that undoes a change of bank details or of a gateway's key, or confirms that it is undone.
#[derive(Debug, Clone, Template)]
#[template(path = "undo.html")]
pub struct UndoPage {
    t: &'static Texts,
    stylesheet: String,
    heading: &'static str,
    /// The confirmation, once the change was undone.
    undone: Option<&'static str>,
    intro: String,
    fields: Vec<(&'static str, String)>,
    from: String,
    form_token: String,
}

impl UndoPage {
    /// The entry with the button that undoes it. `zone` is the account's.
    #[must_use]
    pub fn of_bank_details(
        entry: &BankDetailsEntry,
        zone: &TimeZone,
        form_token: String,
        urls: &PublicUrls,
    ) -> Self {
        let t = &ENGLISH;
        let fields = entry.fields().into_iter();
        let intro = if entry.details.is_some() { t.payer.undo_intro } else { t.payer.undo_removal_intro };
        let from = if entry.details.is_some() { t.payer.undo_from } else { t.payer.undo_removal_from };
        Self {
            t,
            stylesheet: urls.asset(&stylesheet::NAME),
            heading: t.payer.undo_heading,
            undone: None,
            intro: intro(entry.currency.code()),
            fields: fields.map(|(field, text)| ((t.payer.transfer_field)(field), text)).collect(),
            from: from(&zoned_instant_text(entry.in_force_at, zone)),
            form_token,
        }
    }

    /// A key of a gateway, with the button that undoes it, and when it comes into force, if it waits. `zone`
    /// is the account's.
    #[must_use]
    pub fn of_gateway_key(
        gateway: GatewayKind,
        waits_until: Option<OffsetDateTime>,
        zone: &TimeZone,
        form_token: String,
        urls: &PublicUrls,
    ) -> Self {
        let t = &ENGLISH;
        let from = match waits_until {
            Some(at) => (t.payer.undo_key_from)(&zoned_instant_text(at, zone)),
            None => t.payer.undo_key_in_force.to_owned(),
        };
        Self {
            t,
            stylesheet: urls.asset(&stylesheet::NAME),
            heading: t.payer.undo_key_heading,
            undone: None,
            intro: (t.payer.undo_key_intro)(gateway.label()),
            fields: Vec::new(),
            from,
            form_token,
        }
    }

    /// The confirmation that a change of bank details was undone.
    #[must_use]
    pub fn bank_details_undone(urls: &PublicUrls) -> Self {
        Self::said(ENGLISH.payer.undone, urls)
    }

    /// The confirmation that the entry of a key was undone.
    #[must_use]
    pub fn gateway_key_undone(urls: &PublicUrls) -> Self {
        Self::said(ENGLISH.payer.key_undone, urls)
    }

    fn said(undone: &'static str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        Self {
            t,
            stylesheet: urls.asset(&stylesheet::NAME),
            heading: t.payer.undone_heading,
            undone: Some(undone),
            intro: String::new(),
            fields: Vec::new(),
            from: String::new(),
            form_token: String::new(),
        }
    }
}

impl Page for UndoPage {}
