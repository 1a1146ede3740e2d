//! The timeline of an invoice as rows.

use communications::Channel;
use invoices::figures::{money_text, written_date, written_instant};
use invoices::{TimelineEntry, TimelineKind};
use kernel::{Named as _, TimeZone};

use crate::texts::Texts;

#[derive(Debug, Clone)]
pub(super) struct TimelineItem {
    pub(super) at: String,
    pub(super) what: String,
}

impl TimelineItem {
    pub(super) fn new(entry: &TimelineEntry, zone: &TimeZone, t: &Texts) -> Self {
        Self { at: written_instant(entry.at, zone), what: words(&entry.kind, t) }
    }
}

fn words(kind: &TimelineKind, t: &Texts) -> String {
    let d = &t.invoicing;
    match kind {
        TimelineKind::Created => d.created.to_owned(),
        TimelineKind::MailQueued { .. } => d.mail_queued.to_owned(),
        TimelineKind::MailSent { .. } => d.mail_sent.to_owned(),
        TimelineKind::MailGivenUp { .. } => d.mail_given_up.to_owned(),
        TimelineKind::MailNotSent { reason, .. } => (d.mail_not_sent)((d.not_sent_because)(*reason)),
        TimelineKind::ReceiptQueued => d.receipt_queued.to_owned(),
        TimelineKind::ReceiptSent => d.receipt_sent.to_owned(),
        TimelineKind::ReceiptGivenUp => d.receipt_given_up.to_owned(),
        TimelineKind::ReceiptNotSent { reason } => (d.receipt_not_sent)((d.not_sent_because)(*reason)),
        TimelineKind::Sent => d.sent.to_owned(),
        TimelineKind::Reminded { channel, days } => {
            let by = Channel::parse(channel).map(t.communications.by_channel);
            (d.reminded)(by.unwrap_or(channel.as_str()), *days)
        }
        TimelineKind::Payment { amount, method, recorded_by } => {
            let how =
                format!("{}, {}", (t.payment_method)(*method).to_lowercase(), (d.recorded_by)(*recorded_by));
            (d.paid)(&money_text(*amount), &how)
        }
        TimelineKind::Refunded { amount, by_bank: false } => (d.refunded)(&money_text(*amount)),
        TimelineKind::Refunded { amount, by_bank: true } => (d.taken_back)(&money_text(*amount)),
        TimelineKind::Returned { amount } => (d.charge_returned)(&money_text(*amount)),
        TimelineKind::EscalationRaised { escalation_type } => (d.escalation_raised)(&spaced(escalation_type)),
        TimelineKind::EscalationResolved { outcome } => (d.escalation_resolved)(&spaced(outcome)),
        TimelineKind::LedgerQueued => d.ledger_queued.to_owned(),
        TimelineKind::LedgerEntered => d.ledger_entered.to_owned(),
        TimelineKind::LedgerGivenUp => d.ledger_given_up.to_owned(),
        TimelineKind::VoidQueued => d.void_queued.to_owned(),
        TimelineKind::Voided => d.voided.to_owned(),
        TimelineKind::VoidGivenUp => d.void_given_up.to_owned(),
        TimelineKind::PageViewed => d.page_viewed.to_owned(),
        TimelineKind::PayLinkReplaced => d.link_replaced.to_owned(),
        TimelineKind::Cancelled => d.cancelled.to_owned(),
        TimelineKind::Changed => d.changed.to_owned(),
        TimelineKind::Promised { by } => (d.promised)(&written_date(*by)),
        TimelineKind::PromiseWithdrawn { by } => (d.promise_withdrawn)(&written_date(*by)),
    }
}

/// A name of the API with spaces: `human_request` is "human request".
fn spaced(name: &str) -> String {
    name.replace('_', " ")
}
