//! A sample account, contact and invoice, with nothing that holds reminders back.

use communications::{
    AccountFacts, Address, Channel, ContactClock, ContactFacts, Decision, Facts, InvoiceFacts,
    ReminderPolicy, StepDecision, StepRecord, plan,
};
use invoices::InvoiceStatus;
use kernel::{EmailAddress, Id, TimeZone};
use time::macros::{date, datetime};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

/// A Thursday, ten in the morning in Berlin.
pub(crate) const NOW: OffsetDateTime = datetime!(2026-12-03 09:00 UTC);
/// One day before [`NOW`]: the step at +1 is due.
pub(crate) const DUE: Date = date!(2026 - 12 - 02);

pub(crate) fn id<E>(n: u128) -> Id<E> {
    Id::from_uuid(Uuid::from_u128(n))
}

pub(crate) fn account(steps: &str) -> AccountFacts {
    AccountFacts {
        account: id(1),
        zone: TimeZone::parse("Europe/Berlin").unwrap(),
        is_on: true,
        policy: ReminderPolicy {
            started_at: Some(NOW - Duration::days(60)),
            started_on: Some((NOW - Duration::days(60)).date()),
            steps: ReminderPolicy::parse_steps(steps).unwrap(),
            backlog: false,
            holidays: Vec::new(),
            language_model_host: None,
        },
        texts: None,
        sends_texts: true,
    }
}

pub(crate) fn contact() -> ContactFacts {
    ContactFacts {
        contact: id(2),
        name: "Ada".to_owned(),
        clock: ContactClock::new(Some("Germany"), &TimeZone::utc(), &[]),
        email: Some(EmailAddress::parse("ada@example.com").unwrap()),
        phone: Some(Address::parse(Channel::Sms, "+491701234567").unwrap()),
        open_escalation: false,
        escalation_closed_at: None,
        reply_unread: false,
        closed: Vec::new(),
        consents: vec![Channel::Sms],
        written_at: Vec::new(),
        reminded_at: Vec::new(),
    }
}

pub(crate) fn invoice(n: u128, due_date: Date) -> InvoiceFacts {
    InvoiceFacts {
        invoice: id(n),
        status: InvoiceStatus::Unpaid,
        is_due: true,
        invoice_date: due_date - Duration::days(14),
        due_date,
        issued_at: (due_date - Duration::days(14)).midnight().assume_utc(),
        mailed_at: Some((due_date - Duration::days(14)).midnight().assume_utc()),
        promised_until: None,
        payment_pending: false,
        paused: None,
        records: Vec::new(),
    }
}

pub(crate) fn facts(account: &AccountFacts) -> Facts<'_> {
    Facts { account, contact: contact(), invoices: vec![invoice(10, DUE)] }
}

/// Changes the facts as the worker changes the store. What is to be sent counts as sent at once.
pub(crate) fn apply(facts: &mut Facts<'_>, changes: &[StepDecision], now: OffsetDateTime) {
    for step in changes {
        let invoice = facts.invoices.iter_mut().find(|invoice| invoice.invoice == step.invoice).unwrap();
        let decision = if step.decision == Decision::Send { Decision::Sent } else { step.decision };
        invoice.records.retain(|record| (record.key, record.due_at) != (step.key, step.due_at));
        invoice.records.push(StepRecord { key: step.key, due_at: step.due_at, decision });
    }
    if changes.iter().any(|step| step.decision == Decision::Send) {
        facts.contact.was_reminded(now);
    }
}

/// Sends what is due, once a day, and returns what was sent: after how many days, and which step.
pub(crate) fn sent_daily(facts: &mut Facts<'_>, from: OffsetDateTime, days: i64) -> Vec<(i64, i16)> {
    let mut sent = Vec::new();
    for day in 0..days {
        let now = from + Duration::days(day);
        let plan = plan(facts, now);
        let sends = plan.changes.iter().filter(|step| step.decision == Decision::Send);
        sent.extend(sends.map(|step| (day, step.key.days)));
        apply(facts, &plan.changes, now);
    }
    sent
}
