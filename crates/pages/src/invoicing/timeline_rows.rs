//! The timeline of an invoice as rows.

use invoices::figures::{date_text, instant_text, money_text};
use invoices::{Happening, TimelineEntry};
use kernel::TimeZone;

use crate::texts::Texts;

#[derive(Debug, Clone)]
pub(super) struct TimelineRow {
    pub(super) at: String,
    pub(super) what: String,
}

impl TimelineRow {
    pub(super) fn new(entry: &TimelineEntry, zone: &TimeZone, t: &Texts) -> Self {
        Self { at: instant_text(entry.at, zone), what: words(&entry.what, t) }
    }
}

fn words(what: &Happening, t: &Texts) -> String {
    let d = &t.invoicing;
    match what {
        Happening::Created => d.created.to_owned(),
        Happening::MailQueued => d.mail_queued.to_owned(),
        Happening::MailSent => d.mail_sent.to_owned(),
        Happening::MailGivenUp => d.mail_given_up.to_owned(),
        Happening::Sent => d.sent.to_owned(),
        Happening::Payment { amount, method, recorded_by } => {
            let how =
                format!("{}, {}", (t.payment_method)(*method).to_lowercase(), (d.recorded_by)(*recorded_by));
            (d.paid)(&money_text(*amount), &how)
        }
        Happening::Refunded { amount, by_bank: false } => (d.refunded)(&money_text(*amount)),
        Happening::Refunded { amount, by_bank: true } => (d.taken_back)(&money_text(*amount)),
        Happening::EscalationRaised { escalation_type } => (d.escalation_raised)(&spaced(escalation_type)),
        Happening::EscalationResolved { outcome } => (d.escalation_resolved)(&spaced(outcome)),
        Happening::LedgerQueued => d.ledger_queued.to_owned(),
        Happening::LedgerUpdated => d.ledger_updated.to_owned(),
        Happening::LedgerGivenUp => d.ledger_given_up.to_owned(),
        Happening::PageViewed => d.page_viewed.to_owned(),
        Happening::PayLinkReplaced => d.link_replaced.to_owned(),
        Happening::Cancelled => d.cancelled.to_owned(),
        Happening::Changed => d.changed.to_owned(),
        Happening::Promised { by } => (d.promised)(&date_text(*by)),
    }
}

/// A name of the API with spaces: `human_request` is "human request".
fn spaced(name: &str) -> String {
    name.replace('_', " ")
}
