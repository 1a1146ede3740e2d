//! `/dashboard/webhooks/deliveries`.

use super::{Owner, link, location};
use crate::test_app::authority::AUTHORITY;
use crate::test_app::receiver::{Behaviour, Handshake, Receiver};
use crate::test_app::{Database, TestApp, until};

const PATH: &str = "/dashboard/webhooks/deliveries";

/// Runs a test with a server that may call this machine, and abandons a delivery after about a second.
async fn on_both(test: impl AsyncFn(TestApp)) {
    for database in Database::both() {
        let ca = database.folder.path().join("ca.pem");
        std::fs::write(&ca, AUTHORITY.pem()).unwrap();
        let settings = [
            ("COUNTINGHOUSE_EXTRA_CA_FILE", ca.to_str().unwrap()),
            ("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "true"),
            ("COUNTINGHOUSE_WORKER_INTERVAL", "300ms"),
            ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "100ms,100ms,100ms,100ms"),
        ];
        test(TestApp::start(database, &settings).await).await;
    }
}

/// Adds an endpoint and waits for a test delivery to it to end.
async fn tested(owner: &Owner, url: &str, state: &str) -> String {
    let page = "/dashboard/settings/webhooks";
    let fields = [("url", url), ("events", "escalation.created"), ("action", "add")];
    owner.browser.submit(page, &fields).await.expect(200);
    let endpoints = owner.browser.get(page).await.expect(200);
    let endpoint = crate::test_app::hidden(&endpoints, "endpoint");
    let made = owner.browser.submit(page, &[("endpoint", &*endpoint), ("action", "test")]).await;
    let path = location(&made);
    let status = format!("<p class=\"status\">{state}</p>");
    until(&status, async || {
        let shown = owner.browser.get(&path).await.expect(200).html();
        shown.contains(&status).then_some(())
    })
    .await;
    path
}

#[tokio::test]
async fn abandoned_delivery_is_shown_mailed_and_replayed() {
    on_both(async |server| {
        let (owner, other) = (Owner::new(&server).await, Owner::new(&server).await);
        let empty = owner.browser.get(PATH).await.expect(200).html();
        assert!(empty.contains("Nothing has been sent yet"), "{empty}");
        let receiver = Receiver::with_behaviours(&[Behaviour::Respond(500, b"<b>no</b>".to_vec())]);
        let path = tested(&owner, &receiver.url(), "Abandoned").await;
        let page = owner.browser.get(&path).await.expect(200);
        let shown = page.html();
        assert_eq!(shown.matches("&#60;b&#62;no&#60;/b&#62;").count(), 5, "{shown}");
        assert_eq!(shown.matches("<dd>500</dd>").count(), 5);
        let sent = receiver.received().remove(0);
        assert!(shown.contains(&sent.headers["service-signature"]), "{shown}");
        let resource = format!("\"resource_url\":\"{}/api/v1/", server.base);
        assert!(sent.text().replace(": ", ":").contains(&resource), "{}", sent.text());
        for (query, is_listed) in [
            ("?state=abandoned&event=escalation.created", true),
            ("?state=succeeded", false),
            ("?event=escalation.resolved", false),
            ("?from=2000-01-01&to=9999-12-30", true),
            ("?to=2000-01-01", false),
        ] {
            let list = owner.browser.get(&format!("{PATH}{query}")).await.expect(200);
            assert_eq!(link(&list, "escalation.created").is_some(), is_listed, "{query}: {}", list.html());
        }
        let endpoints = owner.browser.get("/dashboard/settings/webhooks").await.expect(200);
        let of_endpoint = format!("{PATH}?endpoint={}", crate::test_app::hidden(&endpoints, "endpoint"));
        assert!(link(&owner.browser.get(&of_endpoint).await.expect(200), "escalation.created").is_some());
        let none = owner.browser.get(&format!("{of_endpoint}&state=succeeded")).await.expect(200);
        assert!(link(&none, "escalation.created").is_none());
        other.browser.get(&of_endpoint).await.expect(404);
        other.browser.get(&format!("{of_endpoint}&state=succeeded")).await.expect(404);
        let faulty = owner.browser.get(&format!("{PATH}?from=x&state=y")).await.expect(422).html();
        assert!(faulty.contains("id=\"from-error\"") && faulty.contains("id=\"state-error\""), "{faulty}");
        let mail = server.mails(1, |text| text.contains("Webhook deliveries to")).await;
        assert!(mail[0].contains("state=3Dabandoned") || mail[0].contains("state=abandoned"), "{}", mail[0]);
        other.browser.get(&path).await.expect(404);
        let form_token = crate::test_app::hidden(&page, "once");
        let page_of_other = other.browser.get("/dashboard/settings/api").await.expect(200);
        let token_of_other = crate::test_app::hidden(&page_of_other, "once");
        let fields = [("once", &*token_of_other), ("action", "replay")];
        other.browser.post(&path, &fields).await.expect(404);
        receiver.set_behaviour(Handshake::Trusted, Behaviour::Respond(204, Vec::new()));
        let replayed = owner.browser.post(&path, &[("once", &*form_token), ("action", "replay")]).await;
        let new = location(&replayed);
        assert_ne!(new, path);
        assert!(owner.browser.get(&new).await.expect(200).html().contains("escalation.created"));
        assert_eq!(
            location(&owner.browser.post(&path, &[("once", &*form_token), ("action", "replay")]).await),
            new
        );
        let all = server.command_json(&["webhook", "deliveries", "--account", &owner.id]);
        assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
        assert_eq!(all[0]["event_id"], all[1]["event_id"]);
    })
    .await;
}

#[tokio::test]
async fn all_that_was_abandoned_is_replayed_with_its_progress() {
    on_both(async |server| {
        let (owner, other) = (Owner::new(&server).await, Owner::new(&server).await);
        let today = [("action", "replay_abandoned"), ("since", "2020-01-01")];
        let nothing = owner.browser.submit(PATH, &today).await.expect(422).html();
        assert!(nothing.contains("href=\"#since\">There is nothing to replay since that day."), "{nothing}");
        owner.browser.submit(PATH, &[today[0], ("since", "yesterday")]).await.expect(422);
        let receiver = Receiver::with_behaviours(&[Behaviour::Respond(500, Vec::new())]);
        tested(&owner, &receiver.url(), "Abandoned").await;
        let begun = owner.browser.submit(PATH, &today).await.expect(303);
        let progress = location(&begun);
        assert!(progress.contains("/dashboard/webhooks/replays/"), "{progress}");
        until("the replay", async || {
            let page = owner.browser.get(&progress).await.expect(200);
            let shown = page.html();
            if shown.contains("1 delivery was replayed") {
                assert!(page.headers.get("refresh").is_none());
                return Some(());
            }
            assert_eq!(page.header("refresh"), "5", "{shown}");
            None
        })
        .await;
        other.browser.get(&progress).await.expect(404);
        let deliveries = owner.browser.get(PATH).await.expect(200).html();
        assert_eq!(deliveries.matches("/dashboard/webhooks/deliveries/").count(), 2, "{deliveries}");
    })
    .await;
}
