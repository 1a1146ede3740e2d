//! Outcomes that cannot be recorded at once.

use super::*;

#[tokio::test(start_paused = true)]
async fn contended_recording_is_repeated_without_another_attempt() {
    let handler = TestHandler::new([]);
    let id = handler.queue_one();
    handler.queue.contended.store(9, Ordering::SeqCst);
    assert_eq!(run_until_idle(handler.clone()).await, 1);
    assert!(matches!(handler.outcome(id), Some(Outcome::Done { .. })));
}

#[tokio::test(start_paused = true)]
async fn outcome_is_recorded_when_the_store_is_back_and_the_job_is_not_attempted_again() {
    for outage in [Duration::minutes(1), LEASE + Duration::MINUTE] {
        let handler = TestHandler::new([]);
        let id = handler.queue_one();
        handler.fail_recordings(Some(unavailable));
        let (stop, running) = start(&handler, Arc::new(()));
        pass(outage).await;
        assert_eq!(handler.outcome(id), None);
        handler.fail_recordings(None);
        pass(Duration::seconds(10)).await;
        assert!(matches!(handler.outcome(id), Some(Outcome::Done { .. })));
        pass(LEASE).await;
        assert_eq!(handler.attempts(), 1, "after {outage}");
        stop.send(()).unwrap();
        running.await.unwrap();
    }
}

/// On a cluster, one account's server has no space left.
#[tokio::test(start_paused = true)]
async fn outcome_that_one_account_cannot_store_is_kept_and_delays_no_other_account() {
    let handler = TestHandler::new([]);
    let stuck = handler.queue_new("7", false);
    *handler.queue.faulty.lock().unwrap() = Some(stuck.account);
    let mut others = vec![handler.queue_one()];
    let rounds = Arc::new(FailedRounds::default());
    let (stop, running) = start(&handler, rounds.clone());
    for _ in 0..3 {
        pass(Duration::MINUTE).await;
        others.push(handler.queue_one());
    }
    pass(Duration::seconds(5)).await;
    assert_eq!(*handler.queue.recorded.lock().unwrap(), others, "each once");
    assert_eq!((handler.outcome(stuck.id), handler.attempts()), (None, 5));
    assert_eq!(rounds.0.load(Ordering::SeqCst), 0, "the worker works");
    *handler.queue.faulty.lock().unwrap() = Some(Id::new(&handler.ids, handler.clock.now()));
    pass(Duration::seconds(5)).await;
    assert!(matches!(handler.outcome(stuck.id), Some(Outcome::Done { .. })));
    assert_eq!(handler.attempts(), 5);
    stop.send(()).unwrap();
    running.await.unwrap();
}

/// Another attempt may have begun when the lease ended.
#[tokio::test(start_paused = true)]
async fn job_that_is_refused_after_its_lease_is_not_given_up_but_attempted_again() {
    let mut handler = TestHandler::new([Failure::Permanent("no such street".to_owned()).into()]);
    Arc::get_mut(&mut handler).unwrap().takes = LEASE.try_into().unwrap();
    let id = handler.queue_one();
    assert_eq!(run_until_idle(handler.clone()).await, 1);
    let outcome = handler.outcome(id);
    assert!(!matches!(outcome, Some(Outcome::GivenUp { .. })), "{outcome:?}");
    assert_eq!(attempts_after(&handler, Duration::minutes(5)).await, 1);
    assert!(handler.given_up.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn outcome_that_is_not_recorded_within_the_lease_is_dropped() {
    let handler = TestHandler::new([]);
    handler.queue_one();
    handler.fail_recordings(Some(failed));
    let (stop, running) = start(&handler, Arc::new(()));
    pass(LEASE - Duration::seconds(5)).await;
    assert_eq!(handler.attempts(), 1);
    pass(Duration::seconds(10)).await;
    assert_eq!(handler.attempts(), 2);
    handler.fail_recordings(None);
    stop.send(()).unwrap();
    running.await.unwrap();
}

/// Counts failed rounds in a row.
#[derive(Default)]
struct FailedRounds(AtomicUsize);

impl Monitor for FailedRounds {
    fn ended(&self, result: Result<(), &StoreError>) {
        match result {
            Ok(()) => self.0.store(0, Ordering::SeqCst),
            Err(_) => drop(self.0.fetch_add(1, Ordering::SeqCst)),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn monitor_sees_failed_recordings_until_one_succeeds() {
    let handler = TestHandler::new([]);
    handler.queue_one();
    handler.fail_recordings(Some(failed));
    let rounds = Arc::new(FailedRounds::default());
    let (stop, running) = start(&handler, rounds.clone());
    pass(Duration::seconds(10)).await;
    assert!(rounds.0.load(Ordering::SeqCst) >= 3);
    handler.fail_recordings(None);
    pass(Duration::seconds(5)).await;
    assert_eq!(rounds.0.load(Ordering::SeqCst), 0);
    stop.send(()).unwrap();
    running.await.unwrap();
}
