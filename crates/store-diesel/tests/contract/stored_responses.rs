//! Keeping and forgetting answers.

use time::{Duration, OffsetDateTime};

use idempotency::{Claim, IdempotentOutcome};
use kernel::{Clock, SystemClock};

use crate::database::{on_both, on_postgres};
use crate::fixtures::{answer, tenant, ticket};

#[test]
fn old_answers_are_forgotten_a_bounded_number_at_a_time() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (tenant(store).await.id, tenant(store).await.id);
        for n in 0..5 {
            let account = if n % 2 == 0 { one } else { other };
            let mine = ticket(&format!("k{n}"), "{}");
            let mut tx = store.answers.begin(account).await.unwrap();
            assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
            tx.stored_responses().keep(&mine, &answer("kept")).await.unwrap();
            tx.commit().await.unwrap();
        }
        let forget =
            async |before: OffsetDateTime, most| store.answers.forget_before(before, most).await.unwrap();
        // The database's clock, which is this machine's.
        let now = SystemClock.now();
        assert_eq!(forget(now - Duration::hours(1), 100).await, 0);
        let later = now + Duration::hours(1);
        assert_eq!(forget(later, 2).await, 2);
        assert_eq!(forget(later, 100).await, 3);
        assert_eq!(forget(later, 100).await, 0);
        let mut tx = store.answers.begin(one).await.unwrap();
        let claim = tx.stored_responses().claim(&ticket("k0", "{}")).await.unwrap();
        assert_eq!(claim, Claim::Fresh);
    });
}

/// The window between a claim's snapshot and its lock, held open: an answer that the claim did not see is
/// there by the commit.
#[test]
fn an_answer_that_came_in_between_makes_the_whole_be_done_again() {
    on_postgres(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mine = ticket("k", "{}");
        let mut tx = store.answers.begin(account).await.unwrap();
        assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
        let rival = format!(
            "INSERT INTO idempotency_keys (account_id, endpoint, key, fingerprint, status, body) \
             VALUES ('{account}', 'POST /invoices', 'k', decode(repeat('00', 32), 'hex'), 201, 'rival')"
        );
        db.execute(&rival).await;
        tx.stored_responses().keep(&mine, &answer("mine")).await.unwrap();
        assert!(tx.commit().await.unwrap_err().is_contended());
        let mut tx = store.answers.begin(account).await.unwrap();
        let claim = tx.stored_responses().claim(&mine).await.unwrap();
        let rival = IdempotentOutcome::KeyReused(answer("rival"));
        assert_eq!(claim, Claim::Taken(rival));
    });
}
