//! Which steps are considered, and how they become messages.

use communications::{
    AccountFacts, Channel, ContactClock, Decision, Facts, HoldReason, SkipReason, StepKey, StepRecord, plan,
};
use kernel::TimeZone;
use proptest::prelude::*;
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};

use crate::samples::{DUE, NOW, account, apply, contact, facts, invoice, sent_daily};

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
fn invoice_that_is_mailed_after_its_date_gets_no_step_from_before_its_date() {
    let account = account("-3:email,14:email");
    let mut facts = facts(&account);
    let noon = DUE.midnight().assume_utc() + Duration::hours(12);
    facts.invoices[0].invoice_date = DUE;
    let mut mailed = |at: Option<OffsetDateTime>| {
        facts.invoices[0].mailed_at = at;
        decisions(&facts, noon + Duration::days(5))
    };
    let skipped = [(-3, Decision::Skip(SkipReason::BeforeIssue))];
    assert_eq!(mailed(None), skipped);
    assert_eq!(mailed(Some(noon + Duration::days(2))), skipped);
    assert_eq!(mailed(Some(noon - Duration::days(4))), [(-3, Decision::Send)], "it was mailed early");
}

#[test]
fn sent_step_replaces_earlier_ones_although_the_owner_removed_it() {
    let before = account("1:email,7:email,14:email");
    let mut facts = facts(&before);
    let noon = DUE.midnight().assume_utc() + Duration::days(15) + Duration::hours(12);
    assert_eq!(sent_daily(&mut facts, noon, 1), [(0, 14)]);
    let after = account("1:email,7:email,30:email");
    let mut facts = Facts { account: &after, ..facts };
    assert_eq!(sent_daily(&mut facts, noon + Duration::DAY, 30), [(14, 30)]);
}

#[test]
fn removed_step_that_failed_replaces_no_earlier_one() {
    let after = account("12:email");
    let mut facts = facts(&after);
    let key = StepKey { days: 14, channel: Channel::Sms };
    let due_at = (DUE + Duration::days(14)).midnight().assume_utc() + Duration::hours(8);
    facts.invoices[0].records =
        vec![StepRecord { key, due_at, decision: Decision::Skip(SkipReason::Failed) }];
    assert_eq!(decisions(&facts, due_at + Duration::DAY), [(12, Decision::Send)]);
    facts.invoices[0].records[0].decision = Decision::Sent;
    assert_eq!(decisions(&facts, due_at + Duration::DAY), [(12, Decision::Skip(SkipReason::Collapsed))]);
}

#[test]
fn backlog_of_over_30_days_is_skipped_unless_the_owner_includes_it() {
    let mut account = account("1:email");
    (account.policy.started_at, account.policy.started_on) = (Some(NOW), Some(NOW.date()));
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

/// Where the account is now, it was another day when its reminders were started.
#[test]
fn backlog_stays_when_the_account_moves_to_another_time_zone() {
    let mut account = account("1:email");
    let start = datetime!(2026-12-01 10:30 UTC);
    account.policy.started_at = None;
    account.policy.start(start, &TimeZone::parse("Pacific/Kiritimati").unwrap());
    let late = invoice(10, date!(2026 - 11 - 01));
    for zone in ["Pacific/Kiritimati", "Pacific/Auckland", "America/Los_Angeles"] {
        let zone = TimeZone::parse(zone).unwrap();
        let account = AccountFacts { zone, ..account.clone() };
        let facts = communications::Facts { invoices: vec![late.clone()], ..facts(&account) };
        assert_eq!(decisions(&facts, start + Duration::DAY), [(1, Decision::Skip(SkipReason::Backlog))]);
    }
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

#[test]
fn steps_are_sent_again_once_each_after_the_due_date_moved() {
    let account = account("-3:email,1:email,7:email");
    let mut facts = facts(&account);
    let noon = datetime!(2026-11-28 11:00 UTC);
    assert_eq!(sent_daily(&mut facts, noon, 8), [(1, -3), (5, 1)]);
    facts.invoices[0].due_date = date!(2026 - 12 - 15);
    assert_eq!(sent_daily(&mut facts, noon + Duration::days(8), 40), [(6, -3), (10, 1), (16, 7)]);
}

#[test]
fn due_date_that_moved_away_and_back_has_no_step_sent_twice() {
    let account = account("-3:email,1:email,7:email");
    let mut facts = facts(&account);
    let noon = datetime!(2026-11-28 11:00 UTC);
    assert_eq!(sent_daily(&mut facts, noon, 6), [(1, -3), (5, 1)]);
    facts.invoices[0].due_date = date!(2026 - 11 - 25);
    let moved = noon + Duration::days(6);
    let collapsed = Decision::Skip(SkipReason::Collapsed);
    assert_eq!(decisions(&facts, moved)[..2], [(-3, collapsed), (1, collapsed)]);
    assert_eq!(sent_daily(&mut facts, moved, 3), [(1, 7)]);
    facts.invoices[0].due_date = DUE;
    assert_eq!(sent_daily(&mut facts, moved + Duration::days(3), 40), [(2, 7)]);
}

#[test]
fn move_by_one_day_sends_nothing_again_and_two_in_turn_do() {
    let account = account("1:email");
    let mut facts = facts(&account);
    assert_eq!(sent_daily(&mut facts, NOW, 1), [(0, 1)]);
    facts.invoices[0].due_date = DUE + Duration::DAY;
    assert_eq!(sent_daily(&mut facts, NOW + Duration::DAY, 5), []);
    facts.invoices[0].due_date = DUE + Duration::days(2);
    assert_eq!(sent_daily(&mut facts, NOW + Duration::days(6), 5), [(0, 1)]);
}

#[test]
fn sent_step_counts_before_a_later_one_of_another_day_that_is_held() {
    let mut invoice = invoice(10, DUE);
    let key = StepKey { days: 1, channel: Channel::Email };
    let record = |days, decision| StepRecord { key, due_at: NOW + Duration::days(days), decision };
    let hold = Decision::Hold(HoldReason::Promise);
    invoice.records = vec![record(1, hold), record(-1, Decision::Sent), record(9, Decision::Send)];
    assert_eq!(invoice.record(key, NOW), Some(Decision::Sent));
    assert_eq!(invoice.record(key, NOW + Duration::days(1)), Some(hold));
    assert_eq!(invoice.record(key, NOW + Duration::days(5)), None);
}

const ZONES: [&str; 9] = [
    "Etc/GMT+12", "Pacific/Pago_Pago", "Pacific/Honolulu", "America/New_York", "Europe/Berlin",
    "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati",
];

proptest! {
    #[test]
    fn change_of_the_time_zone_sends_nothing_again_and_a_move_by_three_days_does(
        days in 0..800_i64,
        [from, to] in proptest::array::uniform2(0..ZONES.len()),
        moved in prop_oneof![Just(-1_i64), Just(1)],
    ) {
        let account = account("1:email");
        let clock = |zone: usize| ContactClock::new(None, &TimeZone::parse(ZONES[zone]).unwrap(), &[]);
        let due = DUE + Duration::days(days);
        let mut facts = Facts { account: &account, contact: contact(), invoices: vec![invoice(10, due)] };
        facts.contact.clock = clock(from);
        let sent_at = facts.contact.clock.step_due(due + Duration::DAY);
        prop_assert_eq!(sent_daily(&mut facts, sent_at, 1), [(0, 1)]);
        facts.contact.clock = clock(to);
        let later = facts.contact.clock.step_due(due + Duration::days(8));
        prop_assert_eq!(sent_daily(&mut facts, later, 3), []);
        facts.invoices[0].due_date = due + Duration::days(3 * moved);
        prop_assert_eq!(sent_daily(&mut facts, later + Duration::days(3), 3).len(), 1);
    }
}
