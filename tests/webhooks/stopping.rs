//! SIGTERM in the midst of deliveries.

use super::ground::{LONG_WAITS, is_signed, on_both, received, until};
use crate::harness::receiver::{Play, Receiver};

#[tokio::test]
async fn what_is_under_way_is_seen_through() {
    on_both(&[LONG_WAITS], async |mut ground| {
        let receiver = Receiver::playing(&[Play::Hold]);
        let endpoint = ground.add(&receiver.url());
        ground.pay();
        let request = received(&receiver, 1).await.remove(0);
        assert!(is_signed(&request, &endpoint.secret));
        let log = ground.server.log_of_its_own();
        let letting_go = async {
            until("the word that it stops", || {
                log().contains("stopping").then_some(())
            })
            .await;
            receiver.let_go();
        };
        let stopping = tokio::task::spawn_blocking(move || {
            assert!(ground.server.terminate().success());
            ground
        });
        let (ground, ()) = tokio::join!(stopping, letting_go);
        let delivery = ground.unwrap().deliveries().remove(0);
        assert_eq!(
            (
                &delivery["state"],
                delivery["attempts"][0]["response_status"].as_u64()
            ),
            (&"succeeded".into(), Some(204))
        );
        assert_eq!(receiver.received().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_receiver_that_never_answers_does_not_keep_the_process() {
    let patient = ("COUNTINGHOUSE_WEBHOOK_TIMEOUT", "10m");
    on_both(&[LONG_WAITS, patient], async |mut ground| {
        let receiver = Receiver::playing(&[Play::Silence]);
        ground.add(&receiver.url());
        ground.pay();
        received(&receiver, 1).await;
        let asked = std::time::Instant::now();
        assert!(ground.server.terminate().success());
        assert!(
            asked.elapsed().as_secs() < 30,
            "the contract with supervisors"
        );
        let delivery = ground.deliveries().remove(0);
        assert_eq!(delivery["state"], "pending", "nothing is lost");
        assert!(delivery["next_attempt_at"].is_string());
    })
    .await;
}
