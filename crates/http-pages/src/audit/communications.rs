//! Audit entries for changes of reminders and contacts by an owner or the operator. They stay when a contact
//! is erased, so they contain no name, address or text of the contact.

use communications::{Channel, CloseReason, NewConsent, PausedUntil, PolicyChange};
use contacts::ContactId;
use kernel::Named as _;
use serde_json::json;
use sessions::AuditedChange;

/// The content of the entry for changed settings of reminders. The transaction adds the old and new values.
#[must_use]
pub const fn settings_changed(change: &PolicyChange) -> AuditedChange {
    AuditedChange::of(match change.started {
        Some(true) => "reminders.started",
        Some(false) => "reminders.stopped",
        None => "reminders.changed",
    })
}

/// The content of the entry for reminders of an invoice that are paused or resumed. The transaction adds the
/// invoice, and until when they are and were paused.
#[must_use]
pub const fn paused(until: Option<PausedUntil>) -> AuditedChange {
    AuditedChange::of(if until.is_some() { "reminders.paused" } else { "reminders.resumed" })
}

/// The content of the entry for a consent or its withdrawal.
#[must_use]
pub fn consent(contact: ContactId, new: &NewConsent) -> AuditedChange {
    let action = if new.is_given { "consent.recorded" } else { "consent.withdrawn" };
    of_contact(action, contact, new.channel)
}

/// The content of the entry for an address that may be written to again.
#[must_use]
pub fn hold_ended(contact: ContactId, channel: Channel, reason: CloseReason) -> AuditedChange {
    let action = match reason {
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
