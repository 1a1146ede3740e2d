//! The reminders of one invoice, as a part of its page.

use communications::{DecidedStep, Decision, HoldReason, NextReminder, PausedUntil};
use invoices::InvoiceId;
use invoices::figures::{written_date, written_instant};
use kernel::{PublicUrls, TimeZone};

use super::plan_rows::day_and_time;
use crate::form::{Button, Control, Form, FormField};
use crate::texts::{CommunicationsTexts, ENGLISH};

/// The data about reminders that the page of an invoice shows.
#[derive(Debug, Clone, Default)]
pub struct ShownReminders {
    /// Whether the account has started reminders.
    pub is_started: bool,
    /// The next reminder that will list the invoice, or what holds it back.
    pub next: NextReminder,
    pub paused: Option<PausedUntil>,
    /// The decisions about the invoice's steps, newest first.
    pub why: Vec<DecidedStep>,
}

/// The reminders of one invoice, as text and fields.
#[derive(Debug, Clone)]
pub(crate) struct InvoiceReminders {
    pub(crate) next: String,
    /// Why none is planned, and a link to where the owner can change that.
    pub(crate) held: Option<(String, Option<(String, &'static str)>)>,
    pub(crate) paused: Option<String>,
    /// The decisions and their times.
    pub(crate) why: Vec<(String, String)>,
    pub(crate) href: String,
    pub(crate) until: FormField,
    pub(crate) buttons: Vec<Button>,
    pub(crate) settings: Option<String>,
}

/// How many decisions are shown.
const MAX_SHOWN: usize = 30;

impl InvoiceReminders {
    pub(crate) fn new(
        shown: &ShownReminders,
        invoice: InvoiceId,
        form: &Form,
        zone: &TimeZone,
        urls: &PublicUrls,
    ) -> Self {
        let c = ENGLISH.communications;
        let paused = shown.paused.map(|paused| match paused {
            PausedUntil::Date(day) => (c.paused_until)(&written_date(day)),
            PausedUntil::Never => c.paused_for_good.to_owned(),
        });
        let button =
            |action: &str, label: &str| Button { action: action.to_owned(), label: label.to_owned() };
        let mut buttons = vec![button("pause", c.pause), button("never", c.never_remind)];
        if shown.paused.is_some() {
            buttons.push(button("resume", c.resume));
        }
        let row = |decided: &DecidedStep| (decision(decided, c), written_instant(decided.decided_at, zone));
        Self {
            next: match &shown.next {
                NextReminder::Message(next) => {
                    (c.next)((c.by_channel)(next.channel), &day_and_time(next.at, zone))
                }
                _ if shown.is_started => c.next_nothing.to_owned(),
                _ => c.stopped.to_owned(),
            },
            held: match shown.next {
                // The text about the pause says it.
                NextReminder::Held(HoldReason::Paused) if paused.is_some() => None,
                NextReminder::Held(reason) => Some(held(reason, urls)),
                NextReminder::Message(_) | NextReminder::Nothing => None,
            },
            paused,
            why: shown.why.iter().take(MAX_SHOWN).map(row).collect(),
            href: urls.page(format_args!("/dashboard/invoices/{invoice}/reminders")),
            until: form.field("until", c.until, Control::Line("date")).hint(c.until_hint),
            buttons,
            settings: (!shown.is_started).then(|| urls.page("/dashboard/settings/communications")),
        }
    }
}

fn held(reason: HoldReason, urls: &PublicUrls) -> (String, Option<(String, &'static str)>) {
    let t = &ENGLISH;
    let link = match reason {
        HoldReason::OpenEscalation => Some((urls.page("/dashboard/escalations"), t.account.escalations)),
        HoldReason::ReplyUnread => Some((urls.page("/dashboard/inbox"), t.communications.to_inbox)),
        _ => None,
    };
    ((t.communications.held)((t.communications.hold_reason)(reason)), link)
}

/// The decision about a step: `Step 7 days after the due date, by e-mail: held back, ...`.
fn decision(decided: &DecidedStep, c: &CommunicationsTexts) -> String {
    let key = decided.step.key;
    let step = (c.step_of)(key.days, (c.by_channel)(key.channel));
    let what = match decided.step.decision {
        Decision::Send => c.decided_send.to_owned(),
        Decision::Sent => c.decided_sent.to_owned(),
        Decision::Hold(reason) => (c.decided_hold)((c.hold_reason)(reason)),
        Decision::Skip(reason) => (c.decided_skip)((c.skip_reason)(reason)),
    };
    format!("{step}: {what}")
}
