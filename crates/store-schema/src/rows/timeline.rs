//! Rows of an invoice's history.

use communications::{CONTACT_ERASED, INVOICE_CANCELLED};
use diesel::prelude::*;
use diesel::sql_types::Text;
use invoices::{LedgerTask, NotSent, TimelineEntry, TimelineKind};
use mail::MailTask;
use outbox::NotDone;
use outbox::Task as _;

use crate::types::{Instant, RowInstant};

const MAIL: &str = MailTask::KIND;

/// An entry of an invoice's history. For a job, `what` is its kind, or `void` if it voids the invoice in the
/// ledger, and `detail` its state, with the reason after a space if it is mail that was given up; for an
/// escalation, `raised` with its type, or `resolved` with its outcome; for a reminder, `reminded` with its
/// channel and days; for a cancellation, `cancelled`; for a replaced payment link, `link_replaced`. Mail to
/// the owner is no entry.
#[derive(Debug, QueryableByName)]
pub struct TimelineRow {
    #[diesel(sql_type = Instant)]
    happened_at: RowInstant,
    /// When the job was queued; of other entries when it happened.
    #[diesel(sql_type = Instant)]
    queued_at: RowInstant,
    #[diesel(sql_type = Text)]
    what: String,
    #[diesel(sql_type = Text)]
    detail: String,
}

impl TimelineRow {
    /// The entry; `None` for rows that are not shown, such as jobs of other kinds.
    pub fn into_entry(self) -> Option<TimelineEntry> {
        let queued_at = self.queued_at.0;
        let kind = match (self.what.as_str(), self.detail.as_str()) {
            (MAIL, "waiting") => TimelineKind::MailQueued { queued_at },
            (MAIL, "done") => TimelineKind::MailSent { queued_at },
            (MAIL, given_up) => match not_sent(given_up) {
                Some(reason) => TimelineKind::MailNotSent { queued_at, reason },
                None => TimelineKind::MailGivenUp { queued_at },
            },
            (LedgerTask::KIND, "waiting") => TimelineKind::LedgerQueued,
            (LedgerTask::KIND, "done") => TimelineKind::LedgerEntered,
            (LedgerTask::KIND, "given_up") => TimelineKind::LedgerGivenUp,
            ("void", "waiting") => TimelineKind::VoidQueued,
            ("void", "done") => TimelineKind::Voided,
            ("void", "given_up") => TimelineKind::VoidGivenUp,
            ("raised", _) => TimelineKind::EscalationRaised { escalation_type: self.detail },
            ("resolved", _) => TimelineKind::EscalationResolved { outcome: self.detail },
            ("reminded", step) => {
                let (channel, days) = step.split_once(' ')?;
                TimelineKind::Reminded { channel: channel.to_owned(), days: days.parse().ok()? }
            }
            ("cancelled", _) => TimelineKind::Cancelled,
            ("link_replaced", _) => TimelineKind::PayLinkReplaced,
            _ => return None,
        };
        Some(TimelineEntry { at: self.happened_at.0, kind })
    }
}

/// Why a mail that was given up was not sent; `None` if something failed.
fn not_sent(given_up: &str) -> Option<NotSent> {
    match given_up.strip_prefix("given_up ")? {
        INVOICE_CANCELLED => Some(NotSent::InvoiceCancelled),
        NotDone::HELD => Some(NotSent::SwitchedOff),
        CONTACT_ERASED => Some(NotSent::ContactErased),
        _ => None,
    }
}
