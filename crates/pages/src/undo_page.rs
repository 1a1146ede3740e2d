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

/// What the page that undoes a change says of the account.
#[derive(Debug, Clone)]
pub struct Undoing {
    pub company: String,
    /// The account's.
    pub time_zone: TimeZone,
    pub form_token: String,
}

/// The page that undoes a change of bank details or of a gateway's key, or confirms that it is undone.
#[derive(Debug, Clone, Template)]
#[template(path = "undo.html")]
pub struct UndoPage {
    t: &'static Texts,
    stylesheet: String,
    /// Names the company.
    heading: String,
    /// The confirmation, once the change was undone.
    undone: Option<&'static str>,
    forgot_password: String,
    intro: String,
    fields: Vec<(&'static str, String)>,
    from: String,
    form_token: String,
}

impl UndoPage {
    /// The entry with the button that undoes it.
    #[must_use]
    pub fn of_bank_details(entry: &BankDetailsEntry, undoing: Undoing, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let fields = entry.fields().into_iter();
        let intro = if entry.details.is_some() { t.payer.undo_intro } else { t.payer.undo_removal_intro };
        let from = if entry.details.is_some() { t.payer.undo_from } else { t.payer.undo_removal_from };
        Self {
            intro: intro(entry.currency.code()),
            fields: fields.map(|(field, text)| ((t.payer.transfer_field)(field), text)).collect(),
            from: from(&zoned_instant_text(entry.in_force_at, &undoing.time_zone)),
            form_token: undoing.form_token,
            ..Self::with(t.payer.undo_heading, &undoing.company, urls)
        }
    }

    /// A key of a gateway, with the button that undoes it, and when it comes into force, if it waits.
    #[must_use]
    pub fn of_gateway_key(
        gateway: GatewayKind,
        waits_until: Option<OffsetDateTime>,
        undoing: Undoing,
        urls: &PublicUrls,
    ) -> Self {
        let t = &ENGLISH;
        let from = match waits_until {
            Some(at) => (t.payer.undo_key_from)(&zoned_instant_text(at, &undoing.time_zone)),
            None => t.payer.undo_key_in_force.to_owned(),
        };
        Self {
            intro: (t.payer.undo_key_intro)(gateway.label()),
            from,
            form_token: undoing.form_token,
            ..Self::with(t.payer.undo_key_heading, &undoing.company, urls)
        }
    }

    /// The confirmation that a change of bank details was undone.
    #[must_use]
    pub fn bank_details_undone(company: &str, urls: &PublicUrls) -> Self {
        Self { undone: Some(ENGLISH.payer.undone), ..Self::with(ENGLISH.payer.undone_heading, company, urls) }
    }

    /// The confirmation that the entry of a key was undone.
    #[must_use]
    pub fn gateway_key_undone(company: &str, urls: &PublicUrls) -> Self {
        let undone = Some(ENGLISH.payer.key_undone);
        Self { undone, ..Self::with(ENGLISH.payer.undone_heading, company, urls) }
    }

    fn with(heading: &str, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        Self {
            t,
            stylesheet: urls.asset(&stylesheet::NAME),
            heading: (t.title)(heading, company),
            undone: None,
            forgot_password: urls.page("/password/forgot"),
            intro: String::new(),
            fields: Vec::new(),
            from: String::new(),
            form_token: String::new(),
        }
    }
}

impl Page for UndoPage {}
