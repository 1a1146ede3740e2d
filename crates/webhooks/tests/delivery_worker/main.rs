//! The delivery worker with an in-memory queue and scripted receivers, in paused time.
#![expect(clippy::unwrap_used, clippy::as_conversions, reason = "a test that is wrong should stop there")]

mod fixture;
mod queue;

use std::sync::atomic::Ordering;
use std::time::Duration;

use fixture::{Behavior, TestApp, endpoint, pass, sealed_elsewhere};
use webhooks::DeliveryState;

const SOON: Duration = Duration::from_millis(200);

#[tokio::test(start_paused = true)]
async fn published_event_is_delivered_at_once() {
    let app = TestApp::new();
    let worker = app.start_worker();
    pass(Duration::from_millis(500)).await;
    app.publish(endpoint(1), 1);
    pass(Duration::from_millis(1)).await;
    assert_eq!(app.receivers.received().len(), 1, "without waiting for a look");
    worker.stop().await;
    assert_eq!(app.queue.all()[0].state, DeliveryState::Succeeded);
    assert_eq!(app.queue.all()[0].attempts[0].response_status, Some(200));
}

#[tokio::test(start_paused = true)]
async fn incomplete_response_is_a_failure_that_is_logged_with_its_status_and_body() {
    for (behavior, error) in [
        (Behavior::BreaksOff(200), "the response broke off"),
        (Behavior::Stalls(200), "no complete response within 15 seconds"),
    ] {
        let app = TestApp::new();
        let worker = app.start_worker();
        app.receivers.behave(endpoint(1), behavior);
        app.publish(endpoint(1), 1);
        pass(Duration::from_secs(20)).await;
        worker.stop().await;
        let logged = &app.queue.all()[0];
        assert_eq!((logged.state, logged.attempts.len()), (DeliveryState::Pending, 1));
        let attempt = &logged.attempts[0];
        assert_eq!((attempt.response_status, attempt.response_body.as_deref()), (Some(200), Some("half")));
        assert_eq!(attempt.error.as_deref(), Some(error));
    }
}

#[tokio::test(start_paused = true)]
async fn failing_delivery_is_attempted_five_times_at_the_scheduled_waits() {
    let app = TestApp::new();
    let _worker = app.start_worker();
    let failing = endpoint(1);
    let took = Duration::from_secs(3);
    app.receivers.behave(failing, Behavior::Answers(500, took));
    app.publish(failing, 1);
    app.until("the end of it", |app| app.queue.pending() == 0).await;
    pass(Duration::from_secs(10_000)).await;
    let received = app.receivers.received();
    let between: Vec<_> = received.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    let waits = [300, 1_800, 7_200, 43_200].map(time::Duration::seconds);
    assert_eq!(between.len(), waits.len());
    for (between, wait) in between.into_iter().zip(waits) {
        let late = between - wait - took;
        assert!(!late.is_negative(), "never early");
        assert!(late <= time::Duration::MINUTE, "at most one interval late");
    }
    assert!(received.iter().all(|one| one.body == received[0].body));
    let kept = &app.queue.all()[0];
    assert_eq!((kept.state, kept.attempts.len()), (DeliveryState::Abandoned, 5));
}

#[tokio::test(start_paused = true)]
async fn hanging_endpoints_delay_no_other() {
    for hanging in [1, 7, 700] {
        let app = TestApp::new();
        let _worker = app.start_worker();
        for n in 0..hanging {
            let one = endpoint(100 + n);
            app.receivers.behave(one, Behavior::Hangs);
            app.publish(one, usize::try_from(700 / hanging).unwrap());
        }
        pass(Duration::from_secs(2)).await;
        for _ in 0..100 {
            app.publish(endpoint(1), 1);
            pass(SOON).await;
        }
        let received = app.receivers.received_by(endpoint(1));
        assert_eq!(received.len(), 100, "{hanging} hanging");
    }
}

#[tokio::test(start_paused = true)]
async fn more_hanging_deliveries_than_attempts_at_once_delay_no_other() {
    for (hanging, each) in [(300, 3), (100, 40), (400, 16)] {
        let app = TestApp::new();
        for n in 0..hanging {
            let one = endpoint(100 + n);
            app.receivers.behave(one, Behavior::Hangs);
            app.publish(one, each);
        }
        app.publish(endpoint(1), 20);
        let _worker = app.start_worker();
        pass(SOON).await;
        assert_eq!(app.receivers.received_by(endpoint(1)).len(), 20, "{hanging} hanging, {each} each");
        // All have failed by then, and are retried at about the same time.
        let retried = Duration::from_secs(5 * 60 + 14);
        pass(retried).await;
        for _ in 0..30 {
            app.publish(endpoint(1), 1);
            pass(Duration::from_secs(1)).await;
        }
        let received = app.receivers.received_by(endpoint(1));
        assert_eq!(received.len(), 50, "{hanging} hanging, {each} each, retried");
    }
}

#[tokio::test(start_paused = true)]
async fn backlog_of_one_endpoint_delays_no_other() {
    let app = TestApp::new();
    app.receivers.behave(endpoint(1), Behavior::Hangs);
    app.publish(endpoint(1), 10_000);
    app.publish(endpoint(2), 500);
    let _worker = app.start_worker();
    pass(SOON).await;
    assert_eq!(app.receivers.received_by(endpoint(2)).len(), 500);
    assert!(app.receivers.received_by(endpoint(1)).len() <= 32);
}

#[tokio::test(start_paused = true)]
async fn stopping_worker_completes_its_attempts_and_gives_the_rest_back() {
    let app = TestApp::new();
    let taken = Duration::from_secs(5);
    app.receivers.behave(endpoint(1), Behavior::Answers(200, taken));
    app.publish(endpoint(1), 200);
    let worker = app.start_worker();
    pass(Duration::from_secs(1)).await;
    worker.stop().await;
    let all = app.queue.all();
    let begun = all.iter().filter(|kept| kept.begun > 0).count();
    let succeeded = |kept: &&queue::Kept| kept.state == DeliveryState::Succeeded;
    assert_eq!(begun, all.iter().filter(succeeded).count());
    assert_eq!(begun, app.receivers.received().len());
    assert!((1..200).contains(&begun));
}

#[tokio::test(start_paused = true)]
async fn panicking_attempt_affects_no_other() {
    let app = TestApp::new();
    app.receivers.behave(endpoint(1), Behavior::Panics);
    let _worker = app.start_worker();
    app.publish(endpoint(1), 40);
    app.publish(endpoint(2), 40);
    pass(SOON).await;
    assert_eq!(app.receivers.received_by(endpoint(2)).len(), 40);
    let lost = app.queue.all();
    assert!(lost[..40].iter().all(|kept| kept.state == DeliveryState::Pending));
    assert!(lost[..40].iter().all(|kept| kept.begun == 1), "each attempt is lost once");
}

#[tokio::test(start_paused = true)]
async fn secret_that_cannot_be_opened_costs_no_attempt() {
    let app = TestApp::new();
    let _worker = app.start_worker();
    app.publish(sealed_elsewhere(), 1);
    pass(Duration::from_secs(3_600)).await;
    assert!(app.receivers.received().is_empty());
    let kept = &app.queue.all()[0];
    assert_eq!(kept.state, DeliveryState::Pending);
    assert!(kept.begun <= 1, "nothing is counted but a lease under way");
}

/// Queues more deliveries to endpoint 1 than may be in progress at once, and changes the endpoint while they
/// wait.
async fn change_while_deliveries_wait(app: &TestApp, url: Option<String>) -> fixture::RunningWorker {
    let worker = app.start_worker();
    // Each quick success widens the window.
    for _ in 0..10 {
        app.publish(endpoint(1), 10);
        pass(Duration::from_secs(1)).await;
    }
    let taken = Duration::from_secs(5);
    app.receivers.behave(endpoint(1), Behavior::Answers(200, taken));
    app.publish(endpoint(1), 60);
    pass(Duration::from_secs(1)).await;
    let begun = app.receivers.received_by(endpoint(1)).len();
    assert_eq!(begun, 100 + 32, "the other 28 wait in the process");
    let lookups = app.queue.lookups.load(Ordering::SeqCst);
    assert_eq!(lookups, 0, "what begins at once is not looked up again");
    let changed = &app.queue.changed_urls;
    changed.lock().unwrap().insert(endpoint(1), url);
    pass(Duration::from_secs(5)).await;
    worker
}

#[tokio::test(start_paused = true)]
async fn waiting_deliveries_go_to_the_changed_url() {
    let app = TestApp::new();
    let url = format!("https://{}.example.com/", endpoint(2));
    let worker = change_while_deliveries_wait(&app, Some(url)).await;
    assert_eq!(app.receivers.received_by(endpoint(1)).len(), 132);
    assert_eq!(app.receivers.received_by(endpoint(2)).len(), 28);
    let lookups = app.queue.lookups.load(Ordering::SeqCst);
    assert_eq!(lookups, 1, "one query for all of them");
    worker.stop().await;
    assert_eq!(app.queue.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn waiting_deliveries_are_not_sent_to_a_disabled_endpoint() {
    let app = TestApp::new();
    let worker = change_while_deliveries_wait(&app, None).await;
    assert_eq!(app.receivers.received_by(endpoint(1)).len(), 132);
    worker.stop().await;
    let not_attempted = app.queue.all().into_iter().filter(|kept| kept.begun == 0);
    assert_eq!(not_attempted.count(), 28, "no attempt is counted");
}
