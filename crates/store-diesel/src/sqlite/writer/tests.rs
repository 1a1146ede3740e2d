use std::any::Any;
use std::pin::pin;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use futures_util::future::join_all;
use futures_util::poll;
use idempotency::{Endpoint, Fingerprint, IdempotencyKey, Ticket};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::holds::Holds;
use crate::types::RowId;

const NOTES: &str = "CREATE TABLE notes \
    (n INTEGER PRIMARY KEY, about INTEGER REFERENCES notes (n) DEFERRABLE INITIALLY DEFERRED)";

/// A writer, and a table of notes that everybody else sees when they are committed.
struct Stand {
    writer: Writer,
    path: String,
    _goes_with_the_test: Box<dyn Any>,
}

impl Stand {
    async fn new() -> Self {
        let (guard, url) = testkit::sqlite::temporary();
        let path = url.strip_prefix("sqlite://").unwrap().to_owned();
        let writer = Writer::start(&path, Duration::from_secs(60)).unwrap();
        let made = |connection: &mut SqliteConnection| connection.batch_execute(NOTES);
        writer.turn(Wish::Statement, made).await.unwrap().1.unwrap();
        Self {
            writer,
            path,
            _goes_with_the_test: Box::new(guard),
        }
    }

    async fn note(&self, wish: Wish, n: i64) -> Turn {
        let (turn, noted) = self.writer.turn(wish, insert(n)).await.unwrap();
        noted.unwrap();
        turn
    }

    fn seen(&self) -> Vec<i64> {
        #[derive(QueryableByName)]
        struct Note {
            #[diesel(sql_type = BigInt)]
            n: i64,
        }
        let mut connection = SqliteConnection::establish(&self.path).unwrap();
        let notes = diesel::sql_query("SELECT n FROM notes ORDER BY n").load(&mut connection);
        notes
            .unwrap()
            .into_iter()
            .map(|note: Note| note.n)
            .collect()
    }
}

fn insert(n: i64) -> impl FnOnce(&mut SqliteConnection) -> QueryResult<()> + Send + 'static {
    move |connection| connection.batch_execute(&format!("INSERT INTO notes (n) VALUES ({n})"))
}

/// How a turn goes on after its note, and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Commits,
    CommitsUnheard,
    RollsBack,
    FailsAndRollsBack,
    Panics,
    /// SQLite rolls the whole transaction back by itself, as when the disk is full.
    IsRolledBack,
    IsRolledBackAndCommits,
    /// What only the COMMIT finds out.
    CannotBeCommitted,
}

/// Whether it was told that its note is kept. `None` when it did not listen.
async fn end(mut turn: Turn, n: i64, ending: Ending) -> Option<bool> {
    let mut say = async |work: fn(i64) -> String| {
        let statement = work(n);
        let connection = turn.connection().unwrap();
        let said =
            connection.spawn_blocking(move |connection| connection.batch_execute(&statement));
        said.await.is_ok()
    };
    let rolls_all_back = |n| format!("INSERT OR ROLLBACK INTO notes (n) VALUES ({n})");
    match ending {
        Ending::Commits | Ending::CommitsUnheard | Ending::RollsBack => {}
        Ending::FailsAndRollsBack => {
            assert!(!say(|n| format!("INSERT INTO notes (n) VALUES ({n})")).await);
        }
        Ending::Panics => {
            let connection = turn.connection().unwrap();
            let panics = |_: &mut SqliteConnection| -> QueryResult<()> { panic!("on purpose") };
            assert!(connection.spawn_blocking(panics).await.is_err());
        }
        Ending::IsRolledBack | Ending::IsRolledBackAndCommits => {
            assert!(!say(rolls_all_back).await)
        }
        Ending::CannotBeCommitted => {
            assert!(say(|n| format!("UPDATE notes SET about = -1 WHERE n = {n}")).await);
        }
    }
    match ending {
        Ending::Commits | Ending::IsRolledBackAndCommits | Ending::CannotBeCommitted => {
            Some(turn.commit(None, None).await.is_ok())
        }
        Ending::CommitsUnheard => {
            let _nobody_listens = poll!(pin!(turn.commit(None, None)));
            None
        }
        _ => {
            drop(turn);
            Some(false)
        }
    }
}

#[tokio::test]
async fn two_share_a_commit_and_each_has_its_own_end() {
    for (ending, first_is_kept, second_is_kept) in [
        (Ending::Commits, true, true),
        (Ending::RollsBack, true, false),
        (Ending::FailsAndRollsBack, true, false),
        (Ending::Panics, true, false),
        (Ending::IsRolledBack, false, false),
        (Ending::IsRolledBackAndCommits, false, false),
        (Ending::CannotBeCommitted, false, false),
    ] {
        let stand = Stand::new().await;
        let mut first = stand.note(Wish::Transaction, 1).await;
        let mut second = pin!(stand.note(Wish::Joining, 2));
        assert!(poll!(&mut second).is_pending());
        let mut committing = pin!(first.commit(None, None));
        assert!(poll!(&mut committing).is_pending());
        let second = second.await;
        // The second has its turn, and so the first is not committed.
        assert!(poll!(&mut committing).is_pending(), "{ending:?}");
        assert!(stand.seen().is_empty());

        assert_eq!(
            end(second, 2, ending).await,
            Some(second_is_kept),
            "{ending:?}"
        );
        assert_eq!(committing.await.is_ok(), first_is_kept, "{ending:?}");
        let kept = [(1, first_is_kept), (2, second_is_kept)];
        let kept = kept.iter().filter(|(_, is_kept)| *is_kept);
        let mut kept: Vec<i64> = kept.map(|(n, _)| *n).collect();
        assert_eq!(stand.seen(), kept, "{ending:?}");

        // Whatever came of those two, the next one finds all in order.
        let mut third = stand.note(Wish::Transaction, 3).await;
        third.commit(None, None).await.unwrap();
        kept.push(3);
        assert_eq!(stand.seen(), kept, "{ending:?}");
    }
}

#[tokio::test]
async fn who_is_rolled_back_unawares_takes_nobody_along() {
    let stand = Stand::new().await;
    let first = stand.note(Wish::Transaction, 1).await;
    let mut second = pin!(stand.note(Wish::Joining, 2));
    assert!(poll!(&mut second).is_pending());
    let told = end(first, 1, Ending::IsRolledBackAndCommits).await;
    assert_eq!(told, Some(false));
    assert_eq!(end(second.await, 2, Ending::Commits).await, Some(true));
    assert_eq!(stand.seen(), [2]);
}

#[tokio::test]
async fn who_does_not_join_finds_the_others_committed() {
    for wish in [Wish::Transaction, Wish::Statement] {
        let stand = Stand::new().await;
        let mut first = stand.note(Wish::Joining, 1).await;
        let mut second = pin!(stand.note(wish, 2));
        assert!(poll!(&mut second).is_pending());
        let committing = first.commit(None, None);
        let (second, committed) = tokio::join!(second, committing);
        // The second still has its turn.
        committed.unwrap();
        assert_eq!(stand.seen().first(), Some(&1));
        drop(second);
    }
}

#[tokio::test]
async fn a_group_is_committed_when_it_is_full_however_many_wait() {
    const MOST: usize = crate::sqlite::writer_thread::MOST_IN_A_GROUP;
    let stand = Stand::new().await;
    let numbers = 1..=i64::try_from(MOST).unwrap();
    let mut turn = stand.note(Wish::Joining, 0).await;
    let mut committing = Vec::new();
    for n in numbers {
        let mut next = pin!(stand.note(Wish::Joining, n));
        assert!(poll!(&mut next).is_pending());
        let mut commit = Box::pin(async move { turn.commit(None, None).await });
        assert!(poll!(&mut commit).is_pending());
        committing.push(commit);
        turn = next.await;
        let is_full = committing.len() == MOST;
        assert_eq!(stand.seen().len(), if is_full { MOST } else { 0 });
    }
    for committed in join_all(committing).await {
        committed.unwrap();
    }
}

#[tokio::test]
async fn a_hold_lasts_until_the_commit_even_if_nobody_waits_for_it() {
    let stand = Stand::new().await;
    let (holds, account) = (Holds::default(), RowId(Uuid::from_u128(1)));
    let ticket = Ticket {
        endpoint: Endpoint::CreateInvoice,
        key: IdempotencyKey::parse("k").unwrap(),
        fingerprint: Fingerprint::of(b"{}"),
    };
    let hold = holds.take(account, &ticket).await;
    let mut first = stand.note(Wish::Joining, 1).await;
    let mut second = pin!(stand.note(Wish::Joining, 2));
    assert!(poll!(&mut second).is_pending());
    assert!(poll!(pin!(first.commit(None, hold))).is_pending());
    drop(first);
    let mut second = second.await;
    assert!(holds.take(account, &ticket).await.is_none());
    second.commit(None, None).await.unwrap();
    assert!(holds.take(account, &ticket).await.is_some());
    assert_eq!(stand.seen(), [1, 2]);
}

#[tokio::test]
async fn who_waits_too_long_or_goes_away_has_no_turn() {
    let stand = Stand::new().await;
    let first = stand.note(Wish::Joining, 2).await;
    // It has to wait for the other, and has no patience at all.
    let impatient = Writer::start(&stand.path, Duration::ZERO).unwrap();
    let refused = impatient.turn(Wish::Joining, insert(1)).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))));
    {
        let mut gone = pin!(stand.note(Wish::Joining, 3));
        assert!(poll!(&mut gone).is_pending());
        assert_eq!(stand.writer.waiting(), 1);
    }
    assert_eq!(stand.writer.waiting(), 0);
    assert!(stand.writer.is_lent());
    drop(first);
    let mut next = stand.note(Wish::Joining, 4).await;
    next.commit(None, None).await.unwrap();
    assert!(!stand.writer.is_lent());
    assert_eq!(stand.seen(), [4]);
}

#[tokio::test]
async fn a_turn_outlives_those_who_could_ask_for_another() {
    let stand = Stand::new().await;
    let mut turn = stand.note(Wish::Transaction, 1).await;
    let Stand {
        writer,
        path,
        _goes_with_the_test,
    } = stand;
    drop(writer);
    turn.commit(None, None).await.unwrap();
    let again = Writer::start(&path, Duration::from_secs(60)).unwrap();
    let (_turn, there) = again.turn(Wish::Joining, insert(1)).await.unwrap();
    assert!(there.is_err(), "the note is there already");
}

fn endings() -> impl Strategy<Value = Vec<(bool, Ending)>> {
    let ending = prop_oneof![
        8 => Just(Ending::Commits),
        1 => Just(Ending::CommitsUnheard),
        2 => Just(Ending::RollsBack),
        1 => Just(Ending::FailsAndRollsBack),
        1 => Just(Ending::IsRolledBack),
        1 => Just(Ending::IsRolledBackAndCommits),
        1 => Just(Ending::CannotBeCommitted),
    ];
    prop::collection::vec((any::<bool>(), ending), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.div_ceil(4), ..ProptestConfig::default() })]

    /// Whatever becomes of the others.
    #[test]
    fn what_somebody_was_told_is_true(endings in endings()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (told, seen) = runtime.block_on(async {
            let stand = Stand::new().await;
            let turns = endings.iter().zip(1..).map(async |((joins, ending), n)| {
                let wish = if *joins { Wish::Joining } else { Wish::Transaction };
                let turn = stand.note(wish, n).await;
                (n, end(turn, n, *ending).await)
            });
            let told = join_all(turns).await;
            // The last of those that nobody listened to is done by then.
            drop(stand.note(Wish::Transaction, 1_000).await);
            (told, stand.seen())
        });
        for (n, is_kept) in told {
            if let Some(is_kept) = is_kept {
                prop_assert_eq!(seen.contains(&n), is_kept, "{}", n);
            }
        }
    }
}
