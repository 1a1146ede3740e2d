//! The history of an invoice, for the account's owner.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{AccountId, AccountScope, Money, StoreResult};
use outbox::LEASE;
use time::{Date, Duration, OffsetDateTime};

use crate::invoice::{Invoice, InvoiceId};
use crate::payment::{Payment, PaymentMethod, RecordedBy};
use crate::ports::PaymentPageHistory;
use crate::promise::Promise;

/// Something that happened to an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineEntry {
    /// When, UTC.
    pub at: OffsetDateTime,
    /// What happened.
    pub kind: TimelineKind,
}

/// What happened to an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineKind {
    /// It was created.
    Created,
    /// Its mail was queued and waits for delivery.
    MailQueued {
        /// When it was queued, UTC.
        queued_at: OffsetDateTime,
    },
    /// Its mail was handed to the mail server.
    MailSent {
        /// When it was queued, UTC.
        queued_at: OffsetDateTime,
    },
    /// Its mail could not be delivered.
    MailGivenUp {
        /// When it was queued, UTC.
        queued_at: OffsetDateTime,
    },
    /// Its mail was not sent, though nothing failed.
    MailNotSent {
        /// When it was queued, UTC.
        queued_at: OffsetDateTime,
        /// Why.
        reason: NotSent,
    },
    /// The mail with the receipt of an online payment was queued and waits for delivery.
    ReceiptQueued,
    /// The mail with the receipt of an online payment was handed to the mail server.
    ReceiptSent,
    /// The mail with the receipt of an online payment could not be delivered.
    ReceiptGivenUp,
    /// The mail with the receipt of an online payment was not sent, though nothing failed.
    ReceiptNotSent {
        /// Why.
        reason: NotSent,
    },
    /// It was sent; the mail itself is no longer kept.
    Sent,
    /// A reminder of it was sent.
    Reminded {
        /// The name of the channel.
        channel: String,
        /// The step: the number of days after the due date, before it if negative.
        days: i16,
    },
    /// A payment was recorded.
    Payment {
        /// What was paid.
        amount: Money,
        /// How.
        method: PaymentMethod,
        /// Who recorded it.
        recorded_by: RecordedBy,
    },
    /// A payment was refunded or reversed.
    Refunded {
        /// How much.
        amount: Money,
        /// Whether the payer's bank took the money back.
        by_bank: bool,
    },
    /// What was paid online beyond the amount due went back to the payer.
    Returned {
        /// How much.
        amount: Money,
    },
    /// An escalation about the invoice was raised.
    EscalationRaised {
        /// The name of the type.
        escalation_type: String,
    },
    /// An escalation about the invoice was resolved.
    EscalationResolved {
        /// The name of the outcome.
        outcome: String,
    },
    /// A ledger entry is queued.
    LedgerQueued,
    /// The invoice was entered in the ledger.
    LedgerEntered,
    /// The ledger entry was given up.
    LedgerGivenUp,
    /// Voiding the invoice in the ledger is queued.
    VoidQueued,
    /// The invoice was voided in the ledger.
    Voided,
    /// Voiding the invoice in the ledger was given up.
    VoidGivenUp,
    /// The payment page was viewed, for the first time on a day.
    PageViewed,
    /// Its payment page got a new address.
    PayLinkReplaced,
    /// It was cancelled.
    Cancelled,
    /// The last change that has no entry of its own: an edit, or a status change by date.
    Changed,
    /// Payment by a day was promised.
    Promised {
        /// The last day of the promise.
        by: Date,
    },
    /// A promise was withdrawn: the message that made it is none.
    PromiseWithdrawn {
        /// The last day of the promise.
        by: Date,
    },
}

/// Why a mail to a customer was not sent, though nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSent {
    /// The invoice that it brings was cancelled.
    InvoiceCancelled,
    /// The account, or its communications, were off for as long as mail is tried.
    SwitchedOff,
    /// Its contact was erased.
    ContactErased,
}

/// Reads the history of an invoice that the invoice itself does not hold.
#[async_trait]
pub trait TimelineReads: Send + Sync {
    /// The mails, reminders, ledger entries, escalations, cancellation and replaced links of one invoice of
    /// the account, at most the newest [`Timelines::MAX_ENTRIES`], in one statement. The cost depends on how
    /// many there are.
    async fn timeline(&self, account: AccountId, id: InvoiceId) -> StoreResult<Vec<TimelineEntry>>;
}

/// The use case of timelines.
#[derive(Clone)]
pub struct Timelines {
    /// Reads what happened.
    pub reads: Arc<dyn TimelineReads>,
    /// Reads what happened on the payment page.
    pub history: Arc<dyn PaymentPageHistory>,
}

impl Timelines {
    /// The most entries that are shown.
    pub const MAX_ENTRIES: usize = 100;

    /// What happened to an invoice, oldest first, limited to the newest entries.
    pub async fn of(&self, scope: &AccountScope, invoice: &Invoice) -> StoreResult<Vec<TimelineEntry>> {
        // First, so that it stays before what was queued at the same instant.
        let mut entries = vec![TimelineEntry { at: invoice.created_at, kind: TimelineKind::Created }];
        let stored = self.reads.timeline(scope.id, invoice.id).await?.into_iter();
        entries.extend(stored.map(|entry| told_apart(entry, invoice)));
        if let Some(at) = invoice.last_sent_at
            && !entries.iter().any(|entry| queued_at(entry) == Some(at))
        {
            // Finished jobs are deleted after some time.
            entries.push(TimelineEntry { at, kind: TimelineKind::Sent });
        }
        let views = self.history.views(scope.id, invoice.id).await?.into_iter();
        entries.extend(views.map(|view| TimelineEntry { at: view.first_at, kind: TimelineKind::PageViewed }));
        entries.extend(promised(&self.history.promises(scope.id, invoice.id).await?));
        entries.extend(invoice.payments.iter().map(|payment| TimelineEntry {
            at: payment.received_at,
            kind: TimelineKind::Payment {
                amount: payment.amount,
                method: payment.method,
                recorded_by: payment.recorded_by,
            },
        }));
        entries.extend(last_change(invoice, &entries));
        entries.sort_by_key(|entry| entry.at);
        Ok(entries.split_off(entries.len().saturating_sub(Self::MAX_ENTRIES)))
    }
}

/// The entries of an invoice's promises, which are given in the order in which they were made. A day that is
/// promised already is no news, and a withdrawal is none if another promise of the day holds.
fn promised(promises: &[Promise]) -> Vec<TimelineEntry> {
    let another_holds = |among: &[Promise], but: &Promise, at: OffsetDateTime| {
        among.iter().any(|one| {
            let holds = one.made_at <= at && one.withdrawn_at.is_none_or(|end| end > at);
            one.id != but.id && one.promised_on == but.promised_on && holds
        })
    };
    let mut entries = Vec::new();
    // A day that was promised before another one is promised anew.
    for of_day in promises.chunk_by(|one, next| one.promised_on == next.promised_on) {
        for promise in of_day {
            let (at, by) = (promise.made_at, promise.promised_on);
            if !another_holds(of_day, promise, at) {
                entries.push(TimelineEntry { at, kind: TimelineKind::Promised { by } });
            }
            let withdrawn = promise.withdrawn_at.filter(|at| !another_holds(promises, promise, *at));
            let kind = TimelineKind::PromiseWithdrawn { by };
            entries.extend(withdrawn.map(|at| TimelineEntry { at, kind }));
        }
    }
    entries
}

/// An entry of a mail, as one of a receipt if it is that.
fn told_apart(entry: TimelineEntry, invoice: &Invoice) -> TimelineEntry {
    let kind = match entry.kind {
        TimelineKind::MailQueued { queued_at } if is_receipt(invoice, queued_at) => {
            TimelineKind::ReceiptQueued
        }
        TimelineKind::MailSent { queued_at } if is_receipt(invoice, queued_at) => TimelineKind::ReceiptSent,
        TimelineKind::MailGivenUp { queued_at } if is_receipt(invoice, queued_at) => {
            TimelineKind::ReceiptGivenUp
        }
        TimelineKind::MailNotSent { queued_at, reason } if is_receipt(invoice, queued_at) => {
            TimelineKind::ReceiptNotSent { reason }
        }
        other => other,
    };
    TimelineEntry { kind, ..entry }
}

/// Whether a mail that was queued at an instant is the receipt of an online payment: that is queued when the
/// payment is recorded. The content of a mail that was sent is no longer stored.
fn is_receipt(invoice: &Invoice, queued_at: OffsetDateTime) -> bool {
    let mut online = invoice.payments.iter().filter(|one| one.recorded_by == RecordedBy::PaymentPage);
    invoice.last_sent_at != Some(queued_at) && online.any(|payment| is_recorded_at(payment, queued_at))
}

/// When the mail of an entry was queued, however much later it was sent.
const fn queued_at(entry: &TimelineEntry) -> Option<OffsetDateTime> {
    match entry.kind {
        TimelineKind::MailQueued { queued_at }
        | TimelineKind::MailSent { queued_at }
        | TimelineKind::MailGivenUp { queued_at }
        | TimelineKind::MailNotSent { queued_at, .. } => Some(queued_at),
        _ => None,
    }
}

/// The last change of an invoice, unless another entry shows it.
fn last_change(invoice: &Invoice, entries: &[TimelineEntry]) -> Option<TimelineEntry> {
    let at = invoice.updated_at;
    let is_listed = invoice.last_sent_at == Some(at)
        || entries.iter().any(|entry| entry.at == at || is_ledger_entry_of(entry, at))
        || invoice.payments.iter().any(|payment| is_recorded_at(payment, at));
    (!is_listed).then_some(TimelineEntry { at, kind: TimelineKind::Changed })
}

/// Whether an entry may be the job that wrote the ledger's id at an instant: its lease ends soon afterwards.
fn is_ledger_entry_of(entry: &TimelineEntry, at: OffsetDateTime) -> bool {
    entry.kind == TimelineKind::LedgerEntered && (Duration::ZERO..LEASE).contains(&(entry.at - at))
}

/// Whether a payment was recorded at an instant, to the second. Its id tells that; it may have been received
/// earlier.
fn is_recorded_at(payment: &Payment, at: OffsetDateTime) -> bool {
    let recorded = payment.id.uuid().get_timestamp().map(|recorded| recorded.to_unix().0);
    let at = u64::try_from(at.unix_timestamp()).ok();
    recorded.zip(at).is_some_and(|(recorded, at)| recorded.abs_diff(at) <= 1)
}

#[cfg(test)]
mod tests;
