//! `/dashboard/settings/webhooks`.

use serde_json::Value;

use super::{Owner, location};
use crate::test_app::hidden;
use crate::test_app::{TestApp, on_both};

const PATH: &str = "/dashboard/settings/webhooks";
const PAYMENTS: (&str, &str) = ("events", "invoice.payment_recorded");

fn endpoints(server: &TestApp, owner: &Owner) -> Vec<Value> {
    server.command_json(&["webhook", "list", "--account", &owner.id]).as_array().unwrap().clone()
}

async fn add(owner: &Owner, url: &str) -> crate::test_app::TestResponse {
    owner.browser.submit(PATH, &[("url", url), PAYMENTS, ("action", "add")]).await
}

#[tokio::test]
async fn endpoint_is_added_and_its_secret_shown_once() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let page = owner.browser.get(PATH).await.expect(200);
        let form_token = hidden(&page, "once");
        let url = ("url", "https://hooks.example.com/a?b=<c>");
        let sent =
            [("once", &*form_token), url, PAYMENTS, ("events", "escalation.created"), ("action", "add")];
        let shown = owner.browser.post(PATH, &sent).await.expect(200);
        let shown = shown.html();
        let secret = shown.split("<code>").nth(1).unwrap().split('<').next().unwrap();
        assert_eq!(secret.len(), 43);
        let again = owner.browser.post(PATH, &sent).await.expect(409).html();
        assert!(!again.contains(secret), "{again}");
        let listed = endpoints(&server, &owner);
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0]["events"].as_array().unwrap().len(), 2);
        let page = owner.browser.get(PATH).await.expect(200).html();
        assert!(page.contains("hooks.example.com/a?b=") && !page.contains(secret), "{page}");
    })
    .await;
}

#[tokio::test]
async fn faulty_endpoints_are_refused_with_a_reason() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let faulty =
            owner.browser.submit(PATH, &[("url", "http://<x>"), ("action", "add")]).await.expect(422);
        let faulty = faulty.html();
        assert!(faulty.contains("http://&#60;x&#62;"), "the value is kept: {faulty}");
        assert!(faulty.contains("id=\"url-error\"") && faulty.contains("id=\"events-error\""), "{faulty}");
        let unknown = [("url", "https://hooks.example.com"), ("events", "invoice.sent"), ("action", "add")];
        owner.browser.submit(PATH, &unknown).await.expect(400);
        let private = add(&owner, "https://127.0.0.1/hook").await.expect(422).html();
        assert!(private.contains("id=\"url-error\""), "{private}");
        for n in 0..5 {
            add(&owner, &format!("https://hooks.example.com/{n}")).await.expect(200);
        }
        let sixth = add(&owner, "https://hooks.example.com/6").await.expect(422).html();
        assert!(sixth.contains("5 enabled endpoints"), "{sixth}");
        assert_eq!(endpoints(&server, &owner).len(), 5);
    })
    .await;
}

#[tokio::test]
async fn endpoints_are_switched_tested_and_deleted_by_their_own_account() {
    on_both(async |server| {
        let (owner, other) = (Owner::new(&server).await, Owner::new(&server).await);
        add(&owner, "https://hooks.example.com/a").await.expect(200);
        let id = endpoints(&server, &owner)[0]["endpoint_id"].as_str().unwrap().to_owned();
        let act = async |who: &Owner, action: &str| {
            who.browser.submit(PATH, &[("endpoint", &*id), ("action", action)]).await
        };
        for action in ["disable", "enable", "delete", "test"] {
            act(&other, action).await.expect(404);
        }
        assert_eq!(endpoints(&server, &owner)[0]["enabled"], true);
        let tested = location(&act(&owner, "test").await);
        let delivery = owner.browser.get(&tested).await.expect(200).html();
        assert!(delivery.contains("invoice.payment_recorded") && delivery.contains(&owner.id), "{delivery}");
        act(&owner, "disable").await.expect(303);
        assert_eq!(endpoints(&server, &owner)[0]["enabled"], false);
        act(&owner, "test").await.expect(409);
        act(&owner, "enable").await.expect(303);
        assert_eq!(endpoints(&server, &owner)[0]["enabled"], true);
        act(&owner, "delete").await.expect(303);
        assert!(endpoints(&server, &owner).is_empty());
        let deliveries = format!("/dashboard/webhooks/deliveries?endpoint={id}");
        owner.browser.get(&deliveries).await.expect(200);
        owner.browser.get(&format!("{deliveries}&event=escalation.created")).await.expect(200);
        other.browser.get(&format!("{deliveries}&event=escalation.created")).await.expect(404);
        for action in ["enable", "delete", "test"] {
            let gone = act(&owner, action).await.expect(404).html();
            assert!(gone.contains("It may have been deleted."), "{gone}");
            assert!(gone.contains(&format!("href=\"{PATH}\">Open the endpoints</a>")), "{gone}");
        }
    })
    .await;
}
