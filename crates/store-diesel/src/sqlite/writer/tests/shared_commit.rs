//! Those who share a COMMIT, and what each of them is told.

use futures_util::future::join_all;
use proptest::prelude::*;

use super::*;
use crate::errors::commit_error;
use crate::sqlite::writer_thread::MOST_IN_A_GROUP;

#[tokio::test]
async fn two_share_a_commit_and_each_has_its_own_end() {
    for (ending, first_is_kept, second_is_kept) in [
        (Ending::Commits, true, true),
        (Ending::CommitsTooLate, true, false),
        (Ending::RollsBack, true, false),
        (Ending::FailsAndRollsBack, true, false),
        (Ending::Panics, true, false),
        (Ending::IsRolledBack, false, false),
        (Ending::IsRolledBackAndCommits, false, false),
        (Ending::CannotBeCommitted, false, false),
    ] {
        let stand = Stand::new().await;
        let mut zeroth = stand.note(Wish::Transaction, 0).await;
        zeroth.commit(answer(0), None).await.unwrap();
        let mut first = stand.note(Wish::Transaction, 1).await;
        let mut second = pin!(stand.note(Wish::Joining, 2));
        assert!(poll!(&mut second).is_pending());
        let mut committing = pin!(first.commit(answer(1), None));
        assert!(poll!(&mut committing).is_pending());
        let second = second.await;
        // The second has its turn, and so the first is not committed.
        assert!(poll!(&mut committing).is_pending(), "{ending:?}");
        assert_eq!(stand.seen(), [0]);

        assert_eq!(
            end(second, 2, ending).await,
            Some(second_is_kept),
            "{ending:?}"
        );
        let committed = committing.await;
        assert_eq!(committed.is_ok(), first_is_kept, "{ending:?}");
        if let Err(error) = committed {
            // What the other one did is no reason not to do it again; what the COMMIT itself finds is.
            let is_contended = commit_error(error).is_contended();
            assert_eq!(is_contended, ending != Ending::CannotBeCommitted);
        }
        let kept = [(0, true), (1, first_is_kept), (2, second_is_kept)];
        let kept = kept.iter().filter(|(_, is_kept)| *is_kept);
        let mut kept: Vec<i64> = kept.map(|(n, _)| *n).collect();
        assert_eq!(stand.seen(), kept, "{ending:?}");

        // Whatever came of those two, the next one finds all in order.
        let mut third = stand.note(Wish::Transaction, 3).await;
        third.commit(answer(3), None).await.unwrap();
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
        let committing = first.commit(answer(1), None);
        let (second, committed) = tokio::join!(second, committing);
        // The second still has its turn.
        committed.unwrap();
        if wish == Wish::Transaction {
            assert_eq!(stand.seen(), [1]);
        }
        drop(second);
    }
}

#[tokio::test]
async fn a_group_is_committed_when_it_is_full_however_many_wait() {
    let stand = Stand::new().await;
    let numbers = 1..=i64::try_from(MOST_IN_A_GROUP).unwrap();
    let mut turn = stand.note(Wish::Joining, 0).await;
    let mut committing = Vec::new();
    for n in numbers {
        let mut next = pin!(stand.note(Wish::Joining, n));
        assert!(poll!(&mut next).is_pending());
        let mut commit = Box::pin(async move { turn.commit(answer(n - 1), None).await });
        assert!(poll!(&mut commit).is_pending());
        committing.push(commit);
        turn = next.await;
        let is_full = committing.len() == MOST_IN_A_GROUP;
        assert_eq!(
            stand.seen().len(),
            if is_full { MOST_IN_A_GROUP } else { 0 }
        );
    }
    for committed in join_all(committing).await {
        committed.unwrap();
    }
}

fn endings() -> impl Strategy<Value = Vec<(bool, Ending)>> {
    let ending = prop_oneof![
        8 => Just(Ending::Commits),
        1 => Just(Ending::CommitsUnheard),
        1 => Just(Ending::CommitsTooLate),
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
            stand.note(Wish::Transaction, 0).await.commit(answer(0), None).await.unwrap();
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
        let takes_all_along = |(_, ending): &(bool, Ending)| matches!(
            ending,
            Ending::IsRolledBack | Ending::IsRolledBackAndCommits | Ending::CannotBeCommitted
        );
        let unheard_are_kept = !endings.iter().any(takes_all_along);
        for (n, is_kept) in told {
            match is_kept {
                Some(is_kept) => prop_assert_eq!(seen.contains(&n), is_kept, "{}", n),
                None => prop_assert!(seen.contains(&n) || !unheard_are_kept, "{}", n),
            }
        }
    }
}
