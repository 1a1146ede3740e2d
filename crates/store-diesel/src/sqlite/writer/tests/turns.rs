//! Who has the turn, who waits for it, and what goes wrong with either.

use super::*;
use crate::holds::Holds;
use crate::sqlite::blocking::Place;
use crate::sqlite::connect::{Role, connect};
use crate::sqlite::dialect::Connection;

#[tokio::test]
async fn a_hold_lasts_until_the_commit_even_if_nobody_waits_for_it() {
    let stand = Stand::new().await;
    let holds = Holds::default();
    let hold = holds.take(ACCOUNT, &ticket(1)).await;
    let mut first = stand.note(Wish::Joining, 1).await;
    let mut second = pin!(stand.note(Wish::Joining, 2));
    assert!(poll!(&mut second).is_pending());
    assert!(poll!(pin!(first.commit(answer(1), hold))).is_pending());
    drop(first);
    let mut second = second.await;
    assert!(holds.take(ACCOUNT, &ticket(1)).await.is_none());
    second.commit(answer(2), None).await.unwrap();
    assert!(holds.take(ACCOUNT, &ticket(1)).await.is_some());
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
    next.commit(answer(4), None).await.unwrap();
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
    turn.commit(answer(1), None).await.unwrap();
    let again = Writer::start(&path, Duration::from_secs(60)).unwrap();
    let (_turn, there) = again.turn(Wish::Joining, insert(1)).await.unwrap();
    assert!(there.is_err(), "the note is there already");
}

#[tokio::test]
async fn who_panics_takes_nobody_along_but_its_group() {
    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("on purpose");
        }
    }
    let stand = Stand::new().await;
    let (begun, has_begun) = channel();
    let (gone, is_gone) = channel::<()>();
    {
        // What came of this work is dropped where nobody expects it to be: its asker goes away while it is done.
        let work = move |_: &mut SqliteConnection| {
            begun.send(()).unwrap();
            let _closed = is_gone.recv();
            Ok(PanicsWhenDropped)
        };
        let mut asking = pin!(stand.writer.turn(Wish::Joining, work));
        assert!(poll!(&mut asking).is_pending());
        has_begun.recv().unwrap();
    }
    drop(gone);
    let mut next = stand.note(Wish::Joining, 1).await;
    next.commit(answer(1), None).await.unwrap();
    assert_eq!(stand.seen(), [1]);
}

#[tokio::test]
async fn when_the_thread_is_gone_nobody_waits() {
    let (_guard, url) = testkit::sqlite::temporary();
    let path = url.strip_prefix("sqlite://").unwrap();
    let (messages, received) = channel();
    drop(received);
    let made = connect(path, Role::Writer).unwrap();
    let connection = Connection::with_runtime(made, Place::Writer(messages.clone()));
    let mut turn = Turn::new(connection, 1, messages.clone());
    let work = |_: &mut SqliteConnection| Ok(());
    let worked = turn.connection().unwrap().spawn_blocking(work).await;
    assert!(worked.is_err());
    assert!(turn.commit(None, None).await.is_err());

    let writer = Writer(Arc::new(Desk {
        messages,
        acquire_timeout: Duration::from_secs(600),
        waiting: AtomicUsize::new(0),
        is_lent: Arc::default(),
    }));
    let asked = writer.turn(Wish::Joining, work).await;
    assert!(matches!(asked, Err(StoreError::Failed(_))));
}
