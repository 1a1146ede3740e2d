//! Storing responses, and deleting old ones.

use time::{Duration, OffsetDateTime};

use idempotency::{Claim, IdempotentOutcome};
use kernel::{Clock, SystemClock, is_contended};

use crate::database::{on_both, on_one_server, on_postgres};
use crate::fixtures::{stored_response, tenant, ticket};

#[test]
fn old_answers_are_forgotten_a_bounded_number_at_a_time() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (tenant(store).await.id, tenant(store).await.id);
        for n in 0..5 {
            let account = if n % 2 == 0 { one } else { other };
            let mine = ticket(&format!("k{n}"), "{}");
            let mut tx = store.stored_responses.begin(account).await.unwrap();
            assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
            tx.stored_responses().store(&mine, &stored_response("kept")).await.unwrap();
            tx.commit().await.unwrap();
        }
        let prune =
            async |before: OffsetDateTime, limit| store.stored_responses.prune(before, limit).await.unwrap();
        // The database's clock, which is this machine's.
        let now = SystemClock.now();
        assert_eq!(prune(now - Duration::hours(1), 100).await, 0);
        let later = now + Duration::hours(1);
        assert_eq!(prune(later, 2).await, 2);
        assert_eq!(prune(later, 100).await, 3);
        assert_eq!(prune(later, 100).await, 0);
        let mut tx = store.stored_responses.begin(one).await.unwrap();
        let claim = tx.stored_responses().claim(&ticket("k0", "{}")).await.unwrap();
        assert_eq!(claim, Claim::Fresh);
    });
}

#[test]
fn responses_that_contain_a_text_are_rewritten_in_their_account_alone() {
    on_both(async |db| {
        let store = &db.store;
        let (own, other) = (tenant(store).await.id, tenant(store).await.id);
        let kept = [(own, "a", "ada"), (own, "b", "xadax"), (own, "c", "grace"), (other, "a", "ada")];
        for (account, key, body) in kept {
            let mut tx = store.stored_responses.begin(account).await.unwrap();
            tx.stored_responses().claim(&ticket(key, "{}")).await.unwrap();
            tx.stored_responses().store(&ticket(key, "{}"), &stored_response(body)).await.unwrap();
            tx.commit().await.unwrap();
        }
        let mut tx = store.stored_responses.begin(own).await.unwrap();
        let shorten = |body: &[u8]| (body.len() < 5).then(|| b"-".to_vec());
        tx.stored_responses().rewrite("ada", &shorten).await.unwrap();
        tx.commit().await.unwrap();
        for ((account, key, _), expected) in kept.into_iter().zip(["-", "xadax", "grace", "ada"]) {
            let mut tx = store.stored_responses.begin(account).await.unwrap();
            let claim = tx.stored_responses().claim(&ticket(key, "{}")).await.unwrap();
            let replayed = IdempotentOutcome::Replayed(stored_response(expected));
            assert_eq!(claim, Claim::Taken(replayed), "{key}");
        }
    });
}

/// Simulates the window between a claim's snapshot and its lock: a response that the claim missed exists by
/// the time of the commit.
#[test]
fn response_stored_meanwhile_makes_the_commit_contended() {
    on_postgres(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mine = ticket("k", "{}");
        let mut tx = store.stored_responses.begin(account).await.unwrap();
        assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
        let rival = format!(
            "INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, status, body) \
             VALUES ('{account}', 'POST /invoices', 'k', decode(repeat('00', 32), 'hex'), 201, 'rival')"
        );
        db.execute(&rival).await;
        tx.stored_responses().store(&mine, &stored_response("mine")).await.unwrap();
        assert!(is_contended(&tx.commit().await.unwrap_err()));
        let mut tx = store.stored_responses.begin(account).await.unwrap();
        let claim = tx.stored_responses().claim(&mine).await.unwrap();
        let rival = IdempotentOutcome::KeyReused(stored_response("rival"));
        assert_eq!(claim, Claim::Taken(rival));
    });
}

/// A trigger raises the messages of a database that is contended, out of space, or refuses for another
/// reason.
#[test]
fn failed_commit_is_contended_unavailable_or_failed() {
    on_one_server(async |db| {
        let account = tenant(&db.store).await.id;
        let [contended, full] = match db.is_postgres() {
            true => ["deadlock detected", "could not extend file: No space left on device"],
            false => ["database is locked", "database or disk is full"],
        };
        for (said, kind) in [(contended, "Contended"), (full, "Unavailable"), ("not today", "Failed")] {
            db.execute(&refusing(db.is_postgres(), said)).await;
            let mine = ticket(said, "{}");
            let mut tx = db.store.stored_responses.begin(account).await.unwrap();
            assert_eq!(tx.stored_responses().claim(&mine).await.unwrap(), Claim::Fresh);
            tx.stored_responses().store(&mine, &stored_response("mine")).await.unwrap();
            let refused = tx.commit().await.unwrap_err();
            assert!(format!("{refused:?}").starts_with(kind), "{said}: {refused:?}");
        }
    });
}

/// SQL that makes the database refuse every stored response with this message.
fn refusing(is_postgres: bool, said: &str) -> String {
    if is_postgres {
        format!(
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{said}'; \
             END $$; CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON idempotency_keys \
             FOR EACH ROW EXECUTE FUNCTION refuse()"
        )
    } else {
        format!(
            "DROP TRIGGER IF EXISTS refuse; CREATE TRIGGER refuse BEFORE INSERT ON idempotency_keys \
             BEGIN SELECT RAISE(ABORT, '{said}'); END"
        )
    }
}
