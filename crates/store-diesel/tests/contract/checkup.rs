//! What the database reports about itself.

use communications::{CONTACT_ERASED, INVOICE_CANCELLED};
use kernel::{Clock as _, SystemClock};
use outbox::{NotDone, Outcome};
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, OPERATOR, tenant};
use crate::jobs::{lease, queue};

#[test]
fn the_database_tells_its_version_and_its_time() {
    on_both(async |db| {
        let checkup = &db.store.checkup;
        let version = checkup.version().await.unwrap();
        assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{version}");
        assert_eq!(checkup.message_language().await.unwrap(), "C");
        // Server and test run on one machine, with one clock.
        let before = SystemClock.now() - Duration::MILLISECOND;
        let shown = checkup.clock().await.unwrap();
        assert!(before <= shown && shown <= SystemClock.now() + Duration::MILLISECOND);
    });
}

#[test]
fn jobs_that_were_given_up_are_counted_from_an_instant_on() {
    on_both(async |db| {
        let (store, minute) = (&db.store, Duration::MINUTE);
        let given_up = |reason: &str| Outcome::GivenUp { at: NOW, reason: reason.to_owned() };
        let decided = [CONTACT_ERASED, INVOICE_CANCELLED, NotDone::HELD].map(given_up);
        for outcome in [Outcome::Done { at: NOW }, given_up("no")].into_iter().chain(decided) {
            let account = tenant(store).await.id;
            queue(store, account).await;
            let lease = lease(store, NOW, 1).await[0].lease;
            store.jobs.record(lease, &outcome).await.unwrap();
        }
        let count = async |instant| {
            let counted = store.checkup.jobs_given_up_since(OPERATOR, "mail", instant);
            counted.await.unwrap()
        };
        assert_eq!(count(NOW - minute).await, 1);
        assert_eq!(count(NOW).await, 0);
    });
}
