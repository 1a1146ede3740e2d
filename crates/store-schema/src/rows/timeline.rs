//! Rows of what happened to an invoice.

use diesel::prelude::*;
use diesel::sql_types::Text;
use invoices::{Happening, LedgerTask, TimelineEntry};
use mail::MailJob;

use crate::types::{Instant, RowInstant};

const MAIL: &str = MailJob::KIND;

/// Something that happened to an invoice. Of a job, `what` is its kind and `detail` its state; of an
/// escalation, they are `raised` with its type, and `resolved` with its outcome; of a new address of the
/// payment page, `link_replaced`.
#[derive(Debug, QueryableByName)]
pub struct TimelineRow {
    #[diesel(sql_type = Instant)]
    happened_at: RowInstant,
    #[diesel(sql_type = Text)]
    what: String,
    #[diesel(sql_type = Text)]
    detail: String,
}

impl TimelineRow {
    /// The entry; `None` of what is not shown, such as a job of another kind.
    pub fn into_entry(self) -> Option<TimelineEntry> {
        let what = match (self.what.as_str(), self.detail.as_str()) {
            (MAIL, "waiting") => Happening::MailQueued,
            (MAIL, "done") => Happening::MailSent,
            (MAIL, _) => Happening::MailGivenUp,
            (LedgerTask::KIND, "waiting") => Happening::LedgerQueued,
            (LedgerTask::KIND, "done") => Happening::LedgerUpdated,
            (LedgerTask::KIND, "given_up") => Happening::LedgerGivenUp,
            ("raised", _) => Happening::EscalationRaised { escalation_type: self.detail },
            ("resolved", _) => Happening::EscalationResolved { outcome: self.detail },
            ("link_replaced", _) => Happening::PayLinkReplaced,
            _ => return None,
        };
        Some(TimelineEntry { at: self.happened_at.0, what })
    }
}
