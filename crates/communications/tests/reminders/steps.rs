//! Which steps are considered, and how they become messages.

use communications::{Channel, Decision, HoldReason, SkipReason, plan};
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};

use crate::samples::{DUE, NOW, account, apply, facts, invoice};

fn decisions(facts: &communications::Facts<'_>, now: OffsetDateTime) -> Vec<(i16, Decision)> {
    plan(facts, now).changes.iter().map(|step| (step.key.days, step.decision)).collect()
}

#[test]
fn step_is_due_at_nine_where_the_contact_lives_and_sent_once() {
    let account = account("1:email,7:email");
    let mut facts = facts(&account);
    assert!(decisions(&facts, datetime!(2026-12-03 07:59:59 UTC)).is_empty());
    let nine = datetime!(2026-12-03 08:00 UTC);
    let plan = plan(&facts, nine);
    assert_eq!(plan.changes[0].due_at, nine);
    let permit = plan.permit.unwrap();
    assert_eq!((permit.channel(), permit.address().as_str()), (Channel::Email, "ada@example.com"));
    apply(&mut facts, &plan.changes, nine);
    assert!(decisions(&facts, nine + Duration::days(3)).is_empty());
}

#[test]
fn missed_steps_collapse_into_the_latest() {
    let account = account("-3:email,1:email,7:email,14:email");
    let facts = facts(&account);
    let late = datetime!(2026-12-12 10:00 UTC);
    assert_eq!(late.weekday(), time::Weekday::Saturday);
    let expected = [
        (-3, Decision::Skip(SkipReason::Collapsed)),
        (1, Decision::Skip(SkipReason::Collapsed)),
        (7, Decision::Send),
    ];
    assert_eq!(decisions(&facts, late), expected);
}

#[test]
fn steps_before_the_issue_are_skipped() {
    let account = account("-3:email,1:email");
    let mut facts = facts(&account);
    facts.invoices[0].issued_at = datetime!(2026-12-01 12:00 UTC);
    let expected = [(-3, Decision::Skip(SkipReason::BeforeIssue)), (1, Decision::Send)];
    assert_eq!(decisions(&facts, NOW), expected);
}

#[test]
fn backlog_of_over_30_days_is_skipped_unless_the_owner_includes_it() {
    let mut account = account("1:email");
    account.policy.started_at = Some(NOW);
    let days = |days| NOW.date() - Duration::days(days);
    let mut with_late = facts(&account);
    with_late.invoices = vec![invoice(10, days(31)), invoice(11, days(30))];
    let expected = [(1, Decision::Skip(SkipReason::Backlog)), (1, Decision::Send)];
    assert_eq!(decisions(&with_late, NOW), expected);
    let invoices = with_late.invoices;
    account.policy.backlog = true;
    let with_all = communications::Facts { invoices, ..facts(&account) };
    assert_eq!(decisions(&with_all, NOW), [(1, Decision::Send), (1, Decision::Send)]);
}

#[test]
fn steps_of_one_day_and_channel_are_one_message_of_all_invoices() {
    let account = account("1:email,1:sms");
    let mut facts = facts(&account);
    facts.invoices.push(invoice(11, DUE));
    let mut promised = invoice(12, DUE);
    promised.promised_until = Some(date!(2026 - 12 - 10));
    facts.invoices.push(promised);
    let plan = plan(&facts, NOW);
    let invoices: Vec<u128> = plan.permit.unwrap().invoices().iter().map(|id| id.uuid().as_u128()).collect();
    assert_eq!(invoices, [10, 11]);
    let of = |channel| plan.changes.iter().filter(move |step| step.key.channel == channel);
    let by_mail: Vec<Decision> = of(Channel::Email).map(|step| step.decision).collect();
    assert_eq!(by_mail, [Decision::Send, Decision::Send, Decision::Hold(HoldReason::Promise)]);
    let by_sms: Vec<Decision> = of(Channel::Sms).map(|step| step.decision).collect();
    let waits = Decision::Hold(HoldReason::RecentlyMailed);
    assert_eq!(by_sms, [waits, waits, Decision::Hold(HoldReason::Promise)]);
}

#[test]
fn nothing_is_planned_while_reminders_are_stopped() {
    let mut account = account("1:email");
    account.policy.started_at = None;
    assert!(decisions(&facts(&account), NOW).is_empty());
}
