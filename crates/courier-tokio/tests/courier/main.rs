//! The courier against a queue in memory and receivers that do as they are told, in time that passes only as it is told.
#![expect(
    clippy::unwrap_used,
    clippy::as_conversions,
    reason = "a test that is wrong should stop there"
)]

mod ground;
mod queue;

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ground::{Ground, Manner, endpoint, pass, sealed_elsewhere};
use webhooks::DeliveryState;

const SOON: Duration = Duration::from_millis(200);

#[tokio::test(start_paused = true)]
async fn what_is_published_is_delivered_at_once() {
    let ground = Ground::new();
    let worker = ground.start_worker();
    pass(Duration::from_millis(500)).await;
    ground.publish(endpoint(1), 1);
    pass(Duration::from_millis(1)).await;
    assert_eq!(
        ground.receivers.received().len(),
        1,
        "without waiting for a look"
    );
    worker.stop().await;
    assert_eq!(ground.queue.all()[0].state, DeliveryState::Succeeded);
    assert_eq!(ground.queue.all()[0].attempts[0].response_status, Some(200));
}

#[tokio::test(start_paused = true)]
async fn a_failing_delivery_is_attempted_five_times_at_the_exact_waits() {
    let ground = Ground::new();
    let _courier = ground.start_worker();
    let failing = endpoint(1);
    let took = Duration::from_secs(3);
    ground.receivers.behave(failing, Manner::Answers(500, took));
    ground.publish(failing, 1);
    ground
        .until("the end of it", |ground| ground.queue.pending() == 0)
        .await;
    pass(Duration::from_secs(10_000)).await;
    let received = ground.receivers.received();
    let between: Vec<_> = received
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at)
        .collect();
    let waits = [300, 1_800, 7_200, 43_200].map(time::Duration::seconds);
    assert_eq!(between.len(), waits.len());
    for (between, wait) in between.into_iter().zip(waits) {
        let late = between - wait - took;
        assert!(!late.is_negative(), "never early");
        assert!(late <= time::Duration::MINUTE, "at most one interval late");
    }
    assert!(received.iter().all(|one| one.body == received[0].body));
    let kept = &ground.queue.all()[0];
    assert_eq!(
        (kept.state, kept.attempts.len()),
        (DeliveryState::Abandoned, 5)
    );
}

#[tokio::test(start_paused = true)]
async fn a_hanging_endpoint_delays_no_other() {
    for hanging in [1, 7, 700] {
        let ground = Ground::new();
        let _courier = ground.start_worker();
        for n in 0..hanging {
            let one = endpoint(100 + n);
            ground.receivers.behave(one, Manner::Hangs);
            ground.publish(one, usize::try_from(700 / hanging).unwrap());
        }
        pass(Duration::from_secs(2)).await;
        for _ in 0..100 {
            ground.publish(endpoint(1), 1);
            pass(SOON).await;
        }
        let received = ground.receivers.received_by(endpoint(1));
        assert_eq!(received.len(), 100, "{hanging} hanging");
    }
}

#[tokio::test(start_paused = true)]
async fn a_backlog_of_one_endpoint_stands_in_nobodys_way() {
    let ground = Ground::new();
    ground.receivers.behave(endpoint(1), Manner::Hangs);
    ground.publish(endpoint(1), 10_000);
    ground.publish(endpoint(2), 500);
    let _courier = ground.start_worker();
    pass(SOON).await;
    assert_eq!(ground.receivers.received_by(endpoint(2)).len(), 500);
    assert!(ground.receivers.received_by(endpoint(1)).len() <= 32);
}

#[tokio::test(start_paused = true)]
async fn several_workers_share_the_work_without_attempting_twice() {
    let ground = Ground::new();
    for n in 0..40 {
        let manner = Manner::Answers(200, Duration::from_millis(20));
        ground.receivers.behave(endpoint(n), manner);
        ground.publish(endpoint(n), 50);
    }
    let workers = [ground.start_worker(), ground.start_worker()];
    ground
        .until("all of them", |ground| ground.queue.pending() == 0)
        .await;
    for worker in workers {
        worker.stop().await;
    }
    let received = ground.receivers.received();
    let distinct: HashSet<_> = received.iter().map(|one| &one.body).collect();
    assert_eq!((received.len(), distinct.len()), (2_000, 2_000));
}

#[tokio::test(start_paused = true)]
async fn a_killed_courier_costs_the_attempt_and_never_the_delivery() {
    let ground = Ground::new();
    let taken = Duration::from_secs(1);
    ground
        .receivers
        .behave(endpoint(1), Manner::Answers(200, taken));
    let killed = ground.start_worker();
    ground.publish(endpoint(1), 1);
    pass(Duration::from_millis(500)).await;
    killed.run.abort();
    let _another = ground.start_worker();
    pass(Duration::from_secs(300)).await;
    assert_eq!(
        ground.receivers.received().len(),
        1,
        "not before the wait is over"
    );
    ground
        .until("the second attempt", |ground| ground.queue.pending() == 0)
        .await;
    let kept = &ground.queue.all()[0];
    assert_eq!((kept.state, kept.begun), (DeliveryState::Succeeded, 2));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_recorded_is_recorded_later_and_not_sent_again() {
    let ground = Ground::new();
    let taken = Duration::from_secs(1);
    ground
        .receivers
        .behave(endpoint(1), Manner::Answers(200, taken));
    let _courier = ground.start_worker();
    ground.publish(endpoint(1), 10);
    pass(Duration::from_millis(500)).await;
    ground.queue.out_of_order.store(true, Ordering::SeqCst);
    pass(Duration::from_secs(60)).await;
    assert_eq!(ground.queue.pending(), 10);
    ground.queue.out_of_order.store(false, Ordering::SeqCst);
    pass(Duration::from_secs(2)).await;
    assert_eq!(ground.queue.pending(), 0);
    assert_eq!(ground.receivers.received().len(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_courier_that_stops_sees_its_attempts_through_and_gives_the_rest_back() {
    let ground = Ground::new();
    let taken = Duration::from_secs(5);
    ground
        .receivers
        .behave(endpoint(1), Manner::Answers(200, taken));
    ground.publish(endpoint(1), 200);
    let worker = ground.start_worker();
    pass(Duration::from_secs(1)).await;
    worker.stop().await;
    let all = ground.queue.all();
    let begun = all.iter().filter(|kept| kept.begun > 0).count();
    let succeeded = |kept: &&queue::Kept| kept.state == DeliveryState::Succeeded;
    assert_eq!(begun, all.iter().filter(succeeded).count());
    assert_eq!(begun, ground.receivers.received().len());
    assert!((1..200).contains(&begun));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_breaks_off_harms_no_other() {
    let ground = Ground::new();
    ground.receivers.behave(endpoint(1), Manner::Panics);
    let _courier = ground.start_worker();
    ground.publish(endpoint(1), 40);
    ground.publish(endpoint(2), 40);
    pass(SOON).await;
    assert_eq!(ground.receivers.received_by(endpoint(2)).len(), 40);
    let lost = ground.queue.all();
    assert!(
        lost[..40]
            .iter()
            .all(|kept| kept.state == DeliveryState::Pending)
    );
    assert!(
        lost[..40].iter().all(|kept| kept.begun == 1),
        "each attempt is lost once"
    );
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_cannot_be_opened_costs_no_attempt() {
    let ground = Ground::new();
    let _courier = ground.start_worker();
    ground.publish(sealed_elsewhere(), 1);
    pass(Duration::from_secs(3_600)).await;
    assert!(ground.receivers.received().is_empty());
    let kept = &ground.queue.all()[0];
    assert_eq!(kept.state, DeliveryState::Pending);
    assert!(kept.begun <= 1, "nothing is counted but a lease under way");
}
