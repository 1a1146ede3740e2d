//! The forecast equals, row by row, what moving the clock does.

use communications::{
    AccountFacts, Channel, ContactClock, Decision, Facts, ForecastStep, HoldReason, MonthlyTexts,
    PausedUntil, SkipReason, forecast, plan,
};
use proptest::prelude::*;
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};

use crate::samples::{NOW, account, apply, contact, invoice};

/// All instants of the facts and all zone offsets are multiples of this.
const GRID: Duration = Duration::minutes(15);

/// A Friday in the last half of a month, ten in the morning in Berlin.
const FROM: OffsetDateTime = datetime!(2026-12-18 09:00 UTC);

/// What a worker does that runs every quarter of an hour, and again at once if something has changed.
fn walk(facts: Facts<'_>, until: OffsetDateTime) -> Vec<ForecastStep> {
    let mut account = facts.account.clone();
    let (mut contact, mut invoices) = (facts.contact, facts.invoices);
    let (mut walked, mut sent_in) = (Vec::<ForecastStep>::new(), Vec::new());
    let mut now = FROM;
    while now <= until {
        // Berlin is one hour ahead of UTC in winter.
        let today = (now + Duration::HOUR).date();
        if let (Some(texts), Some(before)) = (&mut account.texts, facts.account.texts) {
            let used = if today.month() == before.counted_on.month() { before.used } else { 0 };
            let sent = sent_in.iter().filter(|month| **month == today.month()).count();
            (texts.used, texts.counted_on) = (used + i64::try_from(sent).unwrap(), today);
        }
        let mut facts = Facts { account: &account, contact, invoices };
        let plan = plan(&facts, now);
        apply(&mut facts, &plan.changes, now);
        (contact, invoices) = (facts.contact, facts.invoices);
        sent_in.extend(plan.permit.filter(|one| one.channel() != Channel::Email).map(|_| today.month()));
        if plan.changes.is_empty() {
            now += GRID;
        }
        walked.extend(plan.changes.into_iter().map(|step| ForecastStep { at: now, step }));
    }
    walked
}

const STEPS: [&str; 5] = [
    "-3:email,1:email,7:email,14:email",
    "1:email,1:sms,2:sms,3:email",
    "-1:sms,7:sms,9:email",
    "0:email",
    "-9:sms,-6:sms,-3:sms,0:sms,3:sms,6:sms,9:sms",
];
const COUNTRIES: [&str; 6] = ["Germany", "US", "Australia", "Kiribati", "Atlantis", "Chile"];

/// An invoice: days until it is due, steps of the grid since its issue, whether it was mailed, days until a
/// promise ends and until a pause ends.
type Row = (i64, i64, bool, Option<i64>, Option<i64>);

#[derive(Debug, Clone)]
struct Shape {
    steps: usize,
    /// How long ago steps were added, in steps of the grid.
    added: Vec<Option<i64>>,
    country: usize,
    holidays: Vec<i64>,
    rows: Vec<Row>,
    written: Option<i64>,
    closed: Option<i64>,
    sends_texts: bool,
    /// The limit of text messages in a month, and how many are used.
    texts: Option<(i64, i64)>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let optional = |range: std::ops::Range<i64>| proptest::option::weighted(0.3, range);
    let row = (-20..20_i64, 0..2_000_i64, any::<bool>(), optional(-3..10), optional(-3..10));
    let rows = proptest::collection::vec(row, 1..4);
    let holidays = proptest::collection::vec(0..20_i64, 0..3);
    let happened = (optional(0..300), optional(0..300));
    let texts = (proptest::bool::weighted(0.8), proptest::option::of((0..4_i64, 0..4_i64)));
    let steps = (0..STEPS.len(), proptest::collection::vec(optional(0..2_000), 0..7));
    (steps, 0..COUNTRIES.len(), holidays, rows, happened, texts).prop_map(
        |((steps, added), country, holidays, rows, (written, closed), (sends_texts, texts))| Shape {
            steps,
            added,
            country,
            holidays,
            rows,
            written,
            closed,
            sends_texts,
            texts,
        },
    )
}

fn account_of(shape: &Shape) -> AccountFacts {
    let mut account = account(STEPS[shape.steps]);
    for (step, ago) in account.policy.steps.iter_mut().zip(&shape.added) {
        step.added_at = ago.map(|ago| FROM - GRID * i32::try_from(ago).unwrap());
    }
    account.sends_texts = shape.sends_texts;
    let texts = shape.texts;
    account.texts = texts.map(|(limit, used)| MonthlyTexts { limit, used, counted_on: FROM.date() });
    account.policy.holidays = shape.holidays.iter().map(|days| FROM.date() + Duration::days(*days)).collect();
    account
}

fn facts_of<'a>(shape: &Shape, account: &'a AccountFacts) -> Facts<'a> {
    let mut contact = contact();
    contact.clock =
        ContactClock::new(Some(COUNTRIES[shape.country]), &account.zone, &account.policy.holidays);
    contact.written_at = shape.written.iter().map(|ago| FROM - GRID * i32::try_from(*ago).unwrap()).collect();
    contact.escalation_closed_at = shape.closed.map(|ago| FROM - GRID * i32::try_from(ago).unwrap());
    let of = |(n, row): (usize, &Row)| {
        let (due, issued, was_mailed, promised, paused) = *row;
        let day = |days| FROM.date() + Duration::days(days);
        let mut invoice = invoice(10 + u128::try_from(n).unwrap(), day(due));
        invoice.issued_at = FROM - GRID * i32::try_from(issued).unwrap();
        invoice.mailed_at = was_mailed.then_some(invoice.issued_at);
        invoice.promised_until = promised.map(day);
        invoice.paused = paused.map(|days| PausedUntil::Date(day(days)));
        invoice
    };
    Facts { account, contact, invoices: shape.rows.iter().enumerate().map(of).collect() }
}

proptest! {
    #[test]
    fn forecast_equals_row_by_row_what_moving_the_clock_does(shape in shapes()) {
        let account = account_of(&shape);
        let until = FROM + Duration::days(20);
        let forecast = forecast(&facts_of(&shape, &account), FROM, until);
        prop_assert_eq!(forecast, walk(facts_of(&shape, &account), until));
    }
}

/// When what is decided about the steps of an invoice that is due on a day, by an account that may send one
/// text message in a month.
fn with_one_text(steps: &str, due: time::Date, used: i64) -> Vec<(OffsetDateTime, i16, Decision)> {
    let mut account = account(steps);
    account.texts = Some(MonthlyTexts { limit: 1, used, counted_on: NOW.date() });
    let facts = Facts { account: &account, contact: contact(), invoices: vec![invoice(10, due)] };
    let forecast = forecast(&facts, NOW, NOW + Duration::days(60));
    forecast.into_iter().map(|row| (row.at, row.step.key.days, row.step.decision)).collect()
}

#[test]
fn text_that_is_over_the_months_limit_is_sent_in_the_next_month() {
    assert_eq!(
        with_one_text("1:sms", date!(2026 - 12 - 24), 1),
        [
            (datetime!(2026-12-25 08:00 UTC), 1, Decision::Hold(HoldReason::Cap)),
            // Midnight in the account's time zone, and half past seven in the contact's.
            (datetime!(2026-12-31 23:00 UTC), 1, Decision::Hold(HoldReason::QuietHours)),
            (datetime!(2027-01-01 06:30 UTC), 1, Decision::Send),
        ]
    );
}

#[test]
fn texts_that_are_forecast_count_against_the_months_limit() {
    let (cap, collapsed) = (Decision::Hold(HoldReason::Cap), Decision::Skip(SkipReason::Collapsed));
    assert_eq!(
        with_one_text("1:sms,5:sms,9:sms,13:sms", date!(2026 - 12 - 05), 0),
        [
            (datetime!(2026-12-06 08:00 UTC), 1, Decision::Send),
            (datetime!(2026-12-10 08:00 UTC), 5, cap),
            (datetime!(2026-12-14 08:00 UTC), 5, collapsed),
            (datetime!(2026-12-14 08:00 UTC), 9, cap),
            (datetime!(2026-12-18 08:00 UTC), 9, collapsed),
            (datetime!(2026-12-18 08:00 UTC), 13, cap),
            (datetime!(2026-12-31 23:00 UTC), 13, Decision::Hold(HoldReason::QuietHours)),
            (datetime!(2027-01-01 06:30 UTC), 13, Decision::Send),
        ]
    );
}

#[test]
fn forecast_of_60_days_goes_through_the_whole_policy_and_over_a_change_of_clocks() {
    let account = account("-3:email,1:email,7:sms,14:email,21:email");
    let mut contact = contact();
    contact.clock = ContactClock::new(Some("Chile"), &account.zone, &[]);
    let from = datetime!(2027-03-20 12:00 UTC);
    let due = date!(2027 - 04 - 02);
    let facts = Facts { account: &account, contact, invoices: vec![invoice(10, due)] };
    let forecast = forecast(&facts, from, from + Duration::days(60));
    let sent: Vec<(i16, i64)> =
        forecast.iter().map(|row| (row.step.key.days, (row.at - row.step.due_at).whole_minutes())).collect();
    assert_eq!(sent, [(-3, 0), (1, 0), (7, 0), (14, 0), (21, 0)]);
    // At 9:00 on Easter Island, the time zone of Chile that is last; its clocks go back an hour on 4 April
    // 2027.
    assert_eq!(forecast[0].at.time(), time::macros::time!(14:00));
    assert_eq!(forecast[2].at.time(), time::macros::time!(15:00));
}

#[test]
fn contact_with_thousands_of_open_invoices_is_forecast() {
    let account =
        account("-3:email,0:email,1:sms,3:email,7:email,10:sms,14:email,21:email,30:email,40:email");
    let mut contact = contact();
    // Each invoice was mailed or issued at its own instant: deciding about all of them whenever something
    // changes for one would take hours.
    let instants = (0..2_000_i32).map(|n| NOW - Duration::MINUTE * n);
    contact.written_at = instants.clone().collect();
    let of = |(n, issued_at): (i64, OffsetDateTime)| {
        let mut invoice = invoice(10 + u128::try_from(n).unwrap(), NOW.date() + Duration::days(n % 40 - 20));
        (invoice.issued_at, invoice.mailed_at) = (issued_at, (n % 2 == 0).then_some(issued_at));
        invoice
    };
    let facts = Facts { account: &account, contact, invoices: (0..).zip(instants).map(of).collect() };
    let forecast = forecast(&facts, NOW, NOW + Duration::days(60));
    let sent = forecast.iter().filter(|row| row.step.decision == Decision::Send);
    let invoices: std::collections::BTreeSet<_> = sent.map(|row| row.step.invoice).collect();
    assert_eq!(invoices.len(), 2_000);
}
