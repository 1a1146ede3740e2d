//! SIGTERM during deliveries.

use super::fixture::{LONG_WAITS, is_signed, on_both, received};
use crate::test_app::receiver::{Behaviour, Receiver};
use crate::test_app::until;

#[tokio::test]
async fn sigterm_finishes_attempts_under_way() {
    on_both(&[LONG_WAITS], async |mut fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Hold]);
        let endpoint = fixture.add(&receiver.url());
        fixture.pay();
        let request = received(&receiver, 1).await.remove(0);
        assert!(is_signed(&request, &endpoint.secret));
        let log = fixture.server.log_of_its_own();
        let letting_go = async {
            until("the word that it stops", async || log().contains("stopping").then_some(())).await;
            receiver.release();
        };
        let (status, ()) = tokio::join!(fixture.server.terminate(), letting_go);
        assert!(status.success());
        let delivery = fixture.deliveries().remove(0);
        assert_eq!(
            (&delivery["state"], delivery["attempts"][0]["response_status"].as_u64()),
            (&"succeeded".into(), Some(204))
        );
        assert_eq!(receiver.received().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_silent_receiver_does_not_delay_the_stop() {
    let patient = ("COUNTINGHOUSE_WEBHOOK_TIMEOUT", "10m");
    on_both(&[LONG_WAITS, patient], async |mut fixture| {
        let receiver = Receiver::with_behaviours(&[Behaviour::Silence]);
        fixture.add(&receiver.url());
        fixture.pay();
        received(&receiver, 1).await;
        let asked = std::time::Instant::now();
        assert!(fixture.server.terminate().await.success());
        assert!(asked.elapsed().as_secs() < 30, "the contract with supervisors");
        let delivery = fixture.deliveries().remove(0);
        assert_eq!(delivery["state"], "pending", "nothing is lost");
        assert!(delivery["next_attempt_at"].is_string());
    })
    .await;
}
