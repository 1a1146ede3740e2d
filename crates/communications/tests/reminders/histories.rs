//! Random histories: whatever happens, in whatever order, no reminder is sent that must not be. The oracle
//! keeps its own record of what happened and uses none of the guards. `PROPTEST_CASES=200000` tries 200,000
//! histories.

use std::collections::{BTreeMap, BTreeSet};

use communications::{
    AccountFacts, Channel, CloseReason, ContactFacts, Decision, Facts, InvoiceFacts, PausedUntil, Plan,
    PolicyChange, ReminderPolicy, Step, StepKey, plan,
};
use invoices::InvoiceStatus;
use kernel::Named as _;
use proptest::prelude::*;
use time::{Date, Duration, OffsetDateTime};

use crate::samples::{NOW, account, apply, contact, invoice};

#[derive(Debug, Clone)]
enum Happening {
    Pass(i64),
    Pay(usize),
    Cancel(usize),
    Move(usize, i64),
    Pending(usize, bool),
    Promise(usize, i64),
    Pause(usize, Option<i64>),
    Resume(usize),
    Escalate,
    Resolve,
    Reply(bool),
    OptOut(bool, bool),
    Bounce,
    NewAddress,
    Consent(bool),
    Mail,
    Switch(bool),
    Stop(bool),
    Edit(usize),
}

/// The steps that the owner may enter.
const STEPS: [&str; 4] = [
    "-3:email,1:email,2:sms,4:email,7:sms,10:email,14:email,21:sms",
    "-3:email,1:email,2:sms,4:email,7:email,10:sms,14:email,21:sms",
    "1:email,3:email,9:email:final,15:sms,22:email",
    "-3:email,4:email",
];

/// Mostly only time passes; otherwise every history would end early.
fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    use Happening as H;
    let of = 0..3_usize;
    let one = prop_oneof![
        20 => (1..2_000_i64).prop_map(H::Pass),
        1 => of.clone().prop_map(H::Pay),
        1 => of.clone().prop_map(H::Cancel),
        2 => (of.clone(), -20..30_i64).prop_map(|(n, days)| H::Move(n, days)),
        2 => (of.clone(), any::<bool>()).prop_map(|(n, is)| H::Pending(n, is)),
        2 => (of.clone(), 0..9_i64).prop_map(|(n, days)| H::Promise(n, days)),
        1 => (of.clone(), proptest::option::of(0..9_i64)).prop_map(|(n, days)| H::Pause(n, days)),
        2 => of.prop_map(H::Resume),
        1 => Just(H::Escalate),
        3 => Just(H::Resolve),
        3 => any::<bool>().prop_map(H::Reply),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(sms, is)| H::OptOut(sms, is)),
        1 => Just(H::Bounce),
        2 => Just(H::NewAddress),
        2 => any::<bool>().prop_map(H::Consent),
        1 => Just(H::Mail),
        1 => any::<bool>().prop_map(H::Switch),
        1 => any::<bool>().prop_map(H::Stop),
        2 => (0..STEPS.len()).prop_map(H::Edit),
    ];
    proptest::collection::vec(one, 1..60)
}

/// What the oracle remembers.
#[derive(Default)]
struct Oracle {
    /// Invoice, due date, days after it, and channel.
    sent: BTreeSet<(usize, Date, i16, &'static str)>,
    /// The present due dates.
    due: Vec<Date>,
    /// The steps that were added while reminders ran: days and channel, and when.
    added: BTreeMap<(i16, &'static str), OffsetDateTime>,
    reminded: Vec<OffsetDateTime>,
    mailed: Vec<OffsetDateTime>,
    /// Reasons in force, by name.
    standing: BTreeSet<String>,
    until: BTreeMap<String, OffsetDateTime>,
}

impl Oracle {
    fn stand(&mut self, reason: impl Into<String>, stands: bool) {
        let reason = reason.into();
        if stands {
            self.standing.insert(reason);
        } else {
            self.standing.remove(&reason);
        }
    }

    fn sends(&mut self, index: usize, key: StepKey, now: OffsetDateTime) -> Result<(), TestCaseError> {
        let (channel, due) = (key.channel.as_str(), self.due[index]);
        for date in [due.previous_day().unwrap(), due, due.next_day().unwrap()] {
            let is_new = !self.sent.contains(&(index, date, key.days, channel));
            prop_assert!(is_new, "twice: {} {:?}, due on {}", index, key, date);
        }
        self.sent.insert((index, due, key.days, channel));
        // Nine in the morning in Berlin.
        let due_at = midnight(due + Duration::days(key.days.into())) + Duration::hours(9);
        let added = self.added.get(&(key.days, channel));
        prop_assert!(added.is_none_or(|added| due_at >= *added), "{:?} was added at {:?}", key, added);
        let invoice = |what: &str| format!("{what} {index}");
        let of_all = ["escalation", "reply", "off", "stopped"].map(str::to_owned);
        let of_channel =
            [format!("opt-out {channel}"), format!("bounce {channel}"), format!("consent {channel}")];
        let of_invoice = ["closed", "pending", "never"].map(invoice);
        for reason in of_all.into_iter().chain(of_channel).chain(of_invoice) {
            prop_assert!(!self.standing.contains(&reason), "{} stands at {}", reason, now);
        }
        for reason in ["resolved".to_owned(), invoice("promise"), invoice("pause")] {
            prop_assert!(self.until.get(&reason).is_none_or(|until| now >= *until), "{} at {}", reason, now);
        }
        Ok(())
    }

    /// The checks that are made once for each message.
    fn is_wanted(&mut self, now: OffsetDateTime) -> Result<(), TestCaseError> {
        let within = |all: &[OffsetDateTime], hours: i64| {
            all.iter().filter(|at| now - **at < Duration::hours(hours)).count()
        };
        prop_assert_eq!(within(&self.mailed, 48), 0, "mailed lately");
        prop_assert_eq!(within(&self.reminded, 48), 0, "reminded lately");
        prop_assert!(within(&self.reminded, 7 * 24) < 3 && within(&self.reminded, 30 * 24) < 10);
        // Germany is one hour ahead of UTC in winter.
        let local = now + Duration::HOUR;
        let minutes = i64::from(local.hour()) * 60 + i64::from(local.minute());
        let is_weekend = matches!(local.weekday(), time::Weekday::Saturday | time::Weekday::Sunday);
        let from = if is_weekend { 9 * 60 } else { 7 * 60 + 30 };
        prop_assert!((from..21 * 60).contains(&minutes), "at {}", local);
        self.reminded.push(now);
        Ok(())
    }

    fn look(&mut self, plan: &Plan, now: OffsetDateTime) -> Result<(), TestCaseError> {
        let sent: Vec<_> = plan.changes.iter().filter(|step| step.decision == Decision::Send).collect();
        let channels: BTreeSet<&str> = sent.iter().map(|step| step.key.channel.as_str()).collect();
        prop_assert!(channels.len() <= 1, "one message at a time");
        prop_assert_eq!(plan.permit.is_some(), !sent.is_empty());
        for step in &sent {
            let index = usize::try_from(step.invoice.uuid().as_u128()).unwrap() - 10;
            let day = self.due[index] + Duration::days(step.key.days.into());
            prop_assert!(step.due_at <= now && (now + Duration::HOUR).date() >= day);
            self.sends(index, step.key, now)?;
        }
        if sent.is_empty() { Ok(()) } else { self.is_wanted(now) }
    }
}

/// The midnight in Berlin with which a day begins.
fn midnight(date: Date) -> OffsetDateTime {
    date.midnight().assume_utc() - Duration::HOUR
}

fn of_invoice(what: &Happening, invoices: &mut [InvoiceFacts], oracle: &mut Oracle, now: OffsetDateTime) {
    let day = |days: i64| (now + Duration::HOUR).date() + Duration::days(days);
    match what {
        Happening::Pay(n) => {
            (invoices[*n].status, invoices[*n].is_due) = (InvoiceStatus::Paid, false);
            oracle.stand(format!("closed {n}"), true);
        }
        Happening::Cancel(n) => {
            invoices[*n].status = InvoiceStatus::Cancelled;
            oracle.stand(format!("closed {n}"), true);
        }
        Happening::Move(n, days) => {
            (invoices[*n].due_date, oracle.due[*n]) = (day(*days), day(*days));
        }
        Happening::Pending(n, is) => {
            invoices[*n].payment_pending = *is;
            oracle.stand(format!("pending {n}"), *is);
        }
        Happening::Promise(n, days) => {
            invoices[*n].promised_until = Some(day(*days));
            oracle.until.insert(format!("promise {n}"), midnight(day(*days + 1)));
        }
        Happening::Pause(n, days) => {
            invoices[*n].paused = Some(days.map_or(PausedUntil::Never, |days| PausedUntil::Date(day(days))));
            oracle.stand(format!("never {n}"), days.is_none());
            oracle.until.insert(format!("pause {n}"), days.map_or(now, |days| midnight(day(days))));
        }
        Happening::Resume(n) => {
            invoices[*n].paused = None;
            oracle.stand(format!("never {n}"), false);
            oracle.until.remove(&format!("pause {n}"));
        }
        _ => {}
    }
}

fn of_contact(what: &Happening, contact: &mut ContactFacts, oracle: &mut Oracle, now: OffsetDateTime) {
    match what {
        Happening::Escalate => {
            contact.open_escalation = true;
            oracle.stand("escalation", true);
        }
        Happening::Resolve if std::mem::take(&mut contact.open_escalation) => {
            contact.escalation_closed_at = Some(now);
            oracle.stand("escalation", false);
            oracle.until.insert("resolved".to_owned(), now + Duration::hours(48));
        }
        Happening::Reply(is) => {
            contact.reply_unread = *is;
            oracle.stand("reply", *is);
        }
        Happening::OptOut(sms, is) => {
            let channel = if *sms { Channel::Sms } else { Channel::Email };
            contact.closed.retain(|one| *one != (channel, CloseReason::OptedOut));
            contact.closed.extend(is.then_some((channel, CloseReason::OptedOut)));
            oracle.stand(format!("opt-out {}", channel.as_str()), *is);
        }
        Happening::Bounce => {
            contact.closed.push((Channel::Email, CloseReason::Bounced));
            oracle.stand("bounce email", true);
        }
        Happening::NewAddress => {
            contact.closed.clear();
            for reason in ["bounce email", "opt-out email", "opt-out sms"] {
                oracle.stand(reason, false);
            }
        }
        Happening::Consent(is) => {
            contact.consents = is.then_some(Channel::Sms).into_iter().collect();
            oracle.stand("consent sms", !*is);
        }
        Happening::Mail => {
            contact.written_at.push(now);
            oracle.mailed.push(now);
        }
        _ => {}
    }
}

fn of_account(what: &Happening, account: &mut AccountFacts, oracle: &mut Oracle, now: OffsetDateTime) {
    let policy = &mut account.policy;
    match what {
        Happening::Switch(is) => {
            account.is_on = *is;
            oracle.stand("off", !*is);
        }
        Happening::Stop(stops) => {
            let change = PolicyChange { started: Some(!stops), ..PolicyChange::default() };
            *policy = change.applied_to(policy, now, &account.zone);
            // Long ago, so that no invoice belongs to the backlog.
            let long_ago = NOW - Duration::days(60);
            policy.started_at = policy.started_at.map(|_| long_ago);
            policy.started_on = policy.started_on.map(|_| long_ago.date());
            oracle.stand("stopped", *stops);
            if *stops {
                oracle.added.clear();
            }
        }
        Happening::Edit(n) => {
            let steps = ReminderPolicy::parse_steps(STEPS[*n]).unwrap();
            let named = |step: &Step| (step.key.days, step.key.channel.as_str());
            let (before, after): (BTreeSet<_>, BTreeSet<_>) =
                (policy.steps.iter().map(named).collect(), steps.iter().map(named).collect());
            oracle.added.retain(|step, _| after.contains(step));
            if policy.started_at.is_some() {
                oracle.added.extend(after.difference(&before).map(|step| (*step, now)));
            }
            let change = PolicyChange { steps: Some(steps), ..PolicyChange::default() };
            *policy = change.applied_to(policy, now, &account.zone);
        }
        _ => {}
    }
}

/// Three invoices that are due this many days after [`NOW`].
fn invoices(dues: [i64; 3]) -> Vec<InvoiceFacts> {
    let of = |(n, days): (u128, i64)| invoice(n, NOW.date() + Duration::days(days));
    (10..).zip(dues).map(of).collect()
}

proptest! {
    #[test]
    fn no_history_sends_what_must_not_be_sent(
        history in happenings(),
        dues in proptest::array::uniform3(-20..30_i64),
    ) {
        let (mut account, mut contact, mut invoices) = (account(STEPS[0]), contact(), invoices(dues));
        let due = invoices.iter().map(|invoice| invoice.due_date).collect();
        let mut oracle = Oracle { due, ..Oracle::default() };
        let mut now = NOW;
        for what in &history {
            let waits = if let Happening::Pass(minutes) = what { *minutes } else { 1 };
            now += Duration::minutes(waits);
            of_invoice(what, &mut invoices, &mut oracle, now);
            of_contact(what, &mut contact, &mut oracle, now);
            of_account(what, &mut account, &mut oracle, now);
            let mut facts = Facts { account: &account, contact: contact.clone(), invoices: invoices.clone() };
            let plan = plan(&facts, now);
            oracle.look(&plan, now)?;
            apply(&mut facts, &plan.changes, now);
            (contact, invoices) = (facts.contact, facts.invoices);
        }
    }
}
