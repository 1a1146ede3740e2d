//! Audit entries for changes of reminders and contacts by an owner or the operator. They stay when a contact
//! is erased, so they contain no name, address or text of the contact.

use communications::{Channel, CloseReason, NewConsent, PausedUntil, PolicyChange, ReminderPolicy};
use contacts::ContactId;
use invoices::InvoiceId;
use kernel::{Named as _, clock::date_text};
use serde_json::json;
use sessions::AuditedChange;

/// The content of the entry for a changed policy.
#[must_use]
pub fn policy_changed(
    change: &PolicyChange,
    before: &ReminderPolicy,
    after: &ReminderPolicy,
) -> AuditedChange {
    let action = match change.started {
        Some(true) => "reminders.started",
        Some(false) => "reminders.stopped",
        None => "reminders.changed",
    };
    AuditedChange::of(action).from(before.to_string()).to(after.to_string())
}

/// The content of the entry for reminders of an invoice that are paused or resumed.
#[must_use]
pub fn paused(invoice: InvoiceId, until: Option<PausedUntil>) -> AuditedChange {
    let invoice = invoice.to_string();
    let until = match until {
        None => return AuditedChange::of("reminders.resumed").to(json!({"invoice": invoice})),
        Some(PausedUntil::Date(day)) => date_text(day),
        Some(PausedUntil::Never) => "never".to_owned(),
    };
    AuditedChange::of("reminders.paused").to(json!({"invoice": invoice, "until": until}))
}

/// The content of the entry for a consent or its withdrawal.
#[must_use]
pub fn consent(contact: ContactId, new: &NewConsent) -> AuditedChange {
    let action = if new.given { "consent.recorded" } else { "consent.withdrawn" };
    of_contact(action, contact, new.channel)
}

/// The content of the entry for an address that may be written to again.
#[must_use]
pub fn hold_ended(contact: ContactId, channel: Channel, closed: CloseReason) -> AuditedChange {
    let action = match closed {
        CloseReason::OptedOut => "opt_out.ended",
        CloseReason::Bounced => "bounce.ended",
    };
    of_contact(action, contact, channel)
}

/// The content of the entry for an erased contact.
#[must_use]
pub fn erased(contact: ContactId) -> AuditedChange {
    AuditedChange::of("contact.erased").to(json!({"contact": contact.to_string()}))
}

fn of_contact(action: &'static str, contact: ContactId, channel: Channel) -> AuditedChange {
    AuditedChange::of(action).to(json!({"contact": contact.to_string(), "channel": channel.as_str()}))
}
