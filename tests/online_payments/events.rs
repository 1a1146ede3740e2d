//! Events of a gateway: nothing is stored without a valid signature.

use kernel::{Clock as _, SystemClock, SystemIds};
use serde_json::json;

use super::{Payer, on_both};
use crate::test_app::authority::AUTHORITY;
use crate::test_app::receiver::{Behaviour, Handshake, Receiver};
use crate::test_app::{Database, until};

#[tokio::test]
async fn event_that_is_not_signed_by_the_gateway_is_refused() {
    on_both(async |payer| {
        payer.begin(&[]).await;
        let client = reqwest::Client::new();
        let account = &payer.account;
        let unknown = kernel::Ids::uuid_at(&SystemIds::default(), time::OffsetDateTime::UNIX_EPOCH);
        let body = json!({"id": "evt_1", "about": "charge", "subject": "ch_1"}).to_string();
        for path in [
            format!("/gateways/sandbox/{account}/events"),
            format!("/gateways/sandbox/{unknown}/events"),
            format!("/gateways/stripe/{account}/events"),
            format!("/gateways/nobody/{account}/events"),
            "/gateways/sandbox/none/events".to_owned(),
        ] {
            for signature in ["", "t=1,v1=00", "t=1796115600,v1=00"] {
                let request = client.post(format!("{}{path}", payer.server.base)).body(body.clone());
                let request = request.header("Sandbox-Signature", signature);
                let request = request.header("Stripe-Signature", signature);
                assert_eq!(request.send().await.unwrap().status(), 400, "{path} with {signature}");
            }
        }
        let get = client.get(format!("{}/gateways/sandbox/{account}/events", payer.server.base));
        assert_eq!(get.send().await.unwrap().status(), 405);
    })
    .await;
}

/// A proxy on this machine, such as a developer's, may have a certificate of an authority of its own.
#[tokio::test]
async fn sandbox_sends_its_events_to_a_public_url_with_a_certificate_of_an_extra_authority() {
    for database in Database::both() {
        let proxy = Receiver::start(Handshake::Trusted, &[Behaviour::Respond(200, Vec::new())]);
        let ca = database.folder.path().join("ca.pem");
        std::fs::write(&ca, AUTHORITY.pem()).unwrap();
        let public_url = proxy.url().replace("/hooks?of=us", "");
        let settings = [
            ("COUNTINGHOUSE_EXTRA_CA_FILE", ca.to_str().unwrap()),
            ("COUNTINGHOUSE_PUBLIC_URL", &public_url),
            ("COUNTINGHOUSE_WORKER_INTERVAL", "1h"),
        ];
        let payer = Payer::with(database, SystemClock.now(), &settings).await;
        let checkout = payer.begin(&[]).await;
        payer.press(&checkout, "pay").await;
        let received = until("the event", async || proxy.received().into_iter().next()).await;
        assert_eq!(received.line, format!("POST /gateways/sandbox/{}/events HTTP/1.1", payer.account));
    }
}
