//! Events of a gateway: nothing is stored without a valid signature.

use kernel::SystemIds;
use serde_json::json;

use super::on_both;

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
