use kernel::{AccountId, Id, Ids, StoreResult, TimeZone};
use mockall::predicate::{always, eq};
use testkit::{CountingIds, FixedClock};
use time::Date;
use time::macros::{date, datetime};

use super::*;
use crate::ports::MockDueDateStore;
use crate::status::InvoiceStatus;

/// Friday in Sydney, Thursday in New York.
const NOW: OffsetDateTime = datetime!(2026-11-20 02:00 UTC);
const FRIDAY: Date = date!(2026 - 11 - 20);
const THURSDAY: Date = date!(2026 - 11 - 19);

/// An invoice that is unpaid and was due on Thursday.
fn candidate(ids: &dyn Ids, zone: &str) -> StatusCandidate {
    let key =
        CandidateKey { status_changes_on: FRIDAY, account: AccountId::new(ids, NOW), id: Id::new(ids, NOW) };
    let time_zone = TimeZone::parse(zone).unwrap();
    StatusCandidate {
        key,
        status: InvoiceStatus::Unpaid,
        invoice_date: THURSDAY,
        due_date: THURSDAY,
        time_zone,
    }
}

async fn apply(store: MockDueDateStore) -> StoreResult<u64> {
    let clock = FixedClock::at(NOW);
    DueDates { store: Arc::new(store), clock: Arc::new(clock) }.apply().await
}

#[tokio::test]
async fn invoice_changes_when_its_day_has_come_where_its_account_is() {
    let ids = CountingIds::default();
    let in_sydney = candidate(&ids, "Australia/Sydney");
    let read = vec![candidate(&ids, "America/New_York"), in_sydney.clone()];
    let mut store = MockDueDateStore::new();
    // 14 hours ahead of UTC it is also Friday.
    let candidates = store.expect_candidates().with(eq(FRIDAY), eq(None), eq(BATCH));
    candidates.once().return_once(|_, _, _| Ok(read));
    let overdue =
        StatusChange { candidate: in_sydney, status: InvoiceStatus::Overdue, status_changes_on: None };
    let changes =
        store.expect_change_statuses().withf(move |made, now| *made == [overdue.clone()] && *now == NOW);
    changes.once().return_once(|_, _| Ok(1));
    assert_eq!(apply(store).await.unwrap(), 1);
}

#[tokio::test]
async fn full_batch_is_followed_by_the_one_behind_its_last_key() {
    let ids = CountingIds::default();
    let full: Vec<StatusCandidate> = (0..BATCH).map(|_| candidate(&ids, "Australia/Sydney")).collect();
    let last = full.last().map(|one| one.key);
    let mut store = MockDueDateStore::new();
    store.expect_candidates().with(always(), eq(None), always()).once().return_once(|_, _, _| Ok(full));
    let rest = vec![candidate(&ids, "Australia/Sydney")];
    store.expect_candidates().with(always(), eq(last), always()).once().return_once(|_, _, _| Ok(rest));
    // Another process has changed one of these invoices meanwhile.
    store.expect_change_statuses().withf(|made, _| made.len() == 500).once().return_once(|_, _| Ok(499));
    store.expect_change_statuses().withf(|made, _| made.len() == 1).once().return_once(|_, _| Ok(1));
    assert_eq!(apply(store).await.unwrap(), 500);
}

#[tokio::test]
async fn nothing_is_written_when_no_day_has_come() {
    let early = candidate(&CountingIds::default(), "America/New_York");
    let mut store = MockDueDateStore::new();
    store.expect_candidates().once().return_once(|_, _, _| Ok(vec![early]));
    store.expect_change_statuses().never();
    assert_eq!(apply(store).await.unwrap(), 0);
}
