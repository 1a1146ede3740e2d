//! Steps that the owner adds to the policy while reminders run.

use communications::{
    AccountFacts, Channel, Decision, Facts, ForecastStep, PolicyChange, ReminderPolicy, Step, forecast, plan,
};
use proptest::prelude::*;
use time::{Date, Duration, OffsetDateTime};

use crate::samples::{DUE, account, contact, facts, invoice, sent_daily};

/// The account after its owner entered other steps at an instant.
fn with_steps(account: &AccountFacts, steps: &str, at: OffsetDateTime) -> AccountFacts {
    let steps = Some(ReminderPolicy::parse_steps(steps).unwrap());
    changed(account, &PolicyChange { steps, ..PolicyChange::default() }, at)
}

fn changed(account: &AccountFacts, change: &PolicyChange, at: OffsetDateTime) -> AccountFacts {
    AccountFacts { policy: change.applied_to(&account.policy, at, &account.zone), ..account.clone() }
}

fn noon(day: Date) -> OffsetDateTime {
    day.midnight().assume_utc() + Duration::hours(12)
}

fn decisions(facts: &Facts<'_>, now: OffsetDateTime) -> Vec<(i16, &'static str)> {
    let changes = plan(facts, now).changes;
    let name = |decision: Decision| decision.reason().unwrap_or(decision.as_str());
    changes.iter().map(|step| (step.key.days, name(step.decision))).collect()
}

#[test]
fn step_whose_day_has_passed_when_it_is_added_is_skipped_and_a_later_invoice_gets_it() {
    let before = account("1:email,14:email");
    for (steps, added) in [("1:email,14:sms", 14), ("1:email,15:email", 15)] {
        let mut facts = facts(&before);
        assert_eq!(sent_daily(&mut facts, noon(DUE), 60), [(1, 1), (14, 14)]);
        let edited = noon(DUE + Duration::days(60));
        let after = with_steps(&before, steps, edited);
        let mut facts = Facts { account: &after, ..facts };
        assert_eq!(decisions(&facts, edited), [(added, "added_later")]);
        assert_eq!(sent_daily(&mut facts, edited, 40), []);
        facts.invoices = vec![invoice(11, edited.date() - Duration::days(10))];
        assert_eq!(sent_daily(&mut facts, edited, 40), [(0, 1), (i64::from(added) - 10, added)]);
    }
}

#[test]
fn held_step_is_sent_although_a_later_one_was_added_after_it_was_due() {
    let before = account("1:email,14:email");
    let mut facts = facts(&before);
    sent_daily(&mut facts, noon(DUE), 10);
    facts.invoices[0].promised_until = Some(DUE + Duration::days(20));
    assert_eq!(sent_daily(&mut facts, noon(DUE + Duration::days(10)), 7), []);
    let edited = noon(DUE + Duration::days(17));
    // The step whose day comes next, and one that is due with the held one, are added too.
    let after = with_steps(&before, "1:email,14:email,14:sms,15:email,17:email,30:email", edited);
    let mut facts = Facts { account: &after, ..facts };
    let skipped = [(14, "added_later"), (15, "added_later"), (17, "added_later")];
    assert_eq!(decisions(&facts, edited), skipped);
    assert_eq!(sent_daily(&mut facts, edited, 30), [(4, 14), (13, 30)]);
}

#[test]
fn steps_that_were_there_are_not_added_by_other_changes() {
    let before = account("1:email,14:email");
    let edited = noon(DUE + Duration::days(60));
    let added = |account: &AccountFacts| -> Vec<_> {
        account.policy.steps.iter().map(|step| step.added_at).collect()
    };
    let after = with_steps(&before, "14:email:friendly,7:sms,1:email:final", edited);
    assert_eq!(added(&after), [None, Some(edited), None], "tone and order add nothing");
    let later = edited + Duration::DAY;
    let same = with_steps(&after, "1:email:final,7:sms,14:email:friendly", later);
    assert_eq!(same, after, "what the form sends unchanged");
    let again = with_steps(&with_steps(&after, "1:email", later), "1:email,7:sms,14:email", later);
    assert_eq!(added(&again), [None, Some(later), Some(later)]);
    let change = |started| PolicyChange { started: Some(started), ..PolicyChange::default() };
    assert_eq!(changed(&again, &change(true), later), again, "they run already");
    let stopped = changed(&again, &change(false), later);
    assert_eq!(added(&with_steps(&stopped, "1:email,7:sms,21:email", later)), [None; 3]);
    let steps = Some(ReminderPolicy::parse_steps("1:email,21:email").unwrap());
    let stops = PolicyChange { steps, ..change(false) };
    assert_eq!(added(&changed(&again, &stops, later)), [None; 2]);
    let starts = PolicyChange { steps: stops.steps, ..change(true) };
    assert_eq!(added(&changed(&stopped, &starts, later)), [None; 2]);
}

#[test]
fn step_that_is_removed_and_added_again_is_sent_to_later_invoices_only_and_never_twice() {
    let before = account("1:email,14:email");
    let (days, edited) = (|days| DUE + Duration::days(days), noon(DUE + Duration::days(14)));
    let after = with_steps(&with_steps(&before, "1:email", edited), "1:email,14:email", edited);
    let mut facts = Facts { account: &after, ..facts(&before) };
    facts.invoices = vec![invoice(10, days(0)), invoice(11, days(1))];
    assert_eq!(sent_daily(&mut facts, noon(days(1)), 1), [(0, 1)]);
    assert_eq!(decisions(&facts, edited), [(14, "added_later"), (1, "send")]);
    assert_eq!(sent_daily(&mut facts, edited, 30), [(0, 1), (2, 14)]);
    let edited = edited + Duration::days(40);
    let again = with_steps(&with_steps(&after, "1:email", edited), "1:email,14:email", edited);
    let mut facts = Facts { account: &again, ..facts };
    assert_eq!(sent_daily(&mut facts, edited, 30), []);
}

#[test]
fn steps_of_a_policy_that_was_stopped_changed_and_started_again_are_sent_if_missed() {
    let before = account("1:email");
    let mut facts = facts(&before);
    assert_eq!(sent_daily(&mut facts, noon(DUE), 20), [(1, 1)]);
    let now = noon(DUE + Duration::days(20));
    let change = |started| PolicyChange { started: Some(started), ..PolicyChange::default() };
    let stopped = with_steps(&changed(&before, &change(false), now), "1:email,14:email", now);
    let started = changed(&stopped, &change(true), now);
    let mut facts = Facts { account: &started, ..facts };
    assert_eq!(sent_daily(&mut facts, now, 20), [(0, 14)]);
}

/// Steps as the command takes them, each once.
fn steps(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    let step = (-3..20_i16, prop_oneof![2 => Just(Channel::Email), 1 => Just(Channel::Sms)]);
    let step = step.prop_map(|(days, channel)| Step::new(days, channel));
    proptest::collection::vec(step, count).prop_map(|mut steps| {
        steps.sort_by_key(|step| step.key.order());
        steps.dedup();
        steps
    })
}

proptest! {
    /// The forecast after an edit is that of a policy without the steps that were added too late.
    #[test]
    fn steps_that_are_added_too_late_are_as_if_they_had_not_been_added(
        before in steps(1..6),
        kept in proptest::collection::vec(any::<bool>(), 6),
        entered in steps(0..6),
        late in -10..40_i64,
        minutes in -300..300_i64,
        promise in proptest::option::of(-10..10_i64),
        phone in any::<bool>(),
    ) {
        let mut account = account("30:email");
        account.policy.steps.splice(0..0, before);
        let mut facts = Facts { account: &account, contact: contact(), invoices: vec![invoice(10, DUE)] };
        let (from, edited) = (noon(DUE - Duration::days(5)), noon(DUE + Duration::days(late)));
        let edited = edited + Duration::minutes(minutes);
        facts.invoices[0].promised_until = promise.map(|days| edited.date() + Duration::days(days));
        facts.contact.phone = facts.contact.phone.filter(|_| phone);
        sent_daily(&mut facts, from, (edited - from).whole_days());

        let is_new = |step: &&Step| account.policy.step(step.key).is_none();
        let due_at = |step: &Step| facts.contact.clock.step_due(DUE + Duration::days(step.key.days.into()));
        let is_kept = |(step, is_kept): &(&Step, bool)| *is_kept || step.key.days == 30;
        let kept = account.policy.steps.iter().zip(kept).filter(is_kept);
        let kept = kept.map(|(step, _)| *step);
        let new: Vec<Step> = entered.iter().filter(is_new).copied().collect();
        let with = |new: Vec<Step>| {
            let steps = ReminderPolicy::ordered(kept.clone().chain(new).collect()).unwrap();
            AccountFacts { policy: ReminderPolicy { steps, ..account.policy.clone() }, ..account.clone() }
        };
        let in_time = with(new.iter().copied().filter(|step| due_at(step) >= edited).collect());
        let steps = Some(with(new).policy.steps);
        let all = changed(&account, &PolicyChange { steps, ..PolicyChange::default() }, edited);
        let rows = |account| {
            let facts = Facts { account, ..facts.clone() };
            forecast(&facts, edited, edited + Duration::days(60))
        };
        let is_late = |row: &ForecastStep| row.step.decision.reason() == Some("added_later");
        let (late, others): (Vec<_>, Vec<_>) = rows(&all).into_iter().partition(is_late);
        prop_assert_eq!(others, rows(&in_time));
        prop_assert!(late.iter().all(|row| row.at == edited), "{:?}", late);
        prop_assert_eq!(late.len(), all.policy.steps.len() - in_time.policy.steps.len());
    }
}
