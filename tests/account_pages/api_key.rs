//! `/dashboard/settings/api`.

use super::Owner;
use crate::test_app::{Browser, Caller, hidden, on_both, on_both_with, until};

const PATH: &str = "/dashboard/settings/api";

#[tokio::test]
async fn generated_key_is_shown_once_and_the_earlier_one_is_revoked() {
    on_both(async |server| {
        let (owner, other) = (Owner::new(&server).await, Owner::new(&server).await);
        let old = owner.caller.key.clone().unwrap();
        let page = owner.browser.get(PATH).await.expect(200);
        let masked = format!("ct_live_…{}", &old[old.len() - 4..]);
        assert!(page.html().contains(&masked) && !page.html().contains(&old), "{}", page.html());
        let fields = [("once", &*hidden(&page, "once")), ("action", "generate")];
        let shown = owner.browser.post(PATH, &fields).await.expect(200);
        assert_eq!(shown.header("cache-control"), "no-store");
        let shown = shown.html();
        let key = shown.split("<code>").nth(1).unwrap().split('<').next().unwrap().to_owned();
        owner.caller.get("/invoices").await.refused(401, "INVALID_API_KEY");
        Caller::new(&server.base, Some(&key)).get("/invoices").await.expect(200);
        let again = owner.browser.post(PATH, &fields).await.expect(409).html();
        assert!(again.contains("shown already") && !again.contains(&key), "{again}");
        Caller::new(&server.base, Some(&key)).get("/invoices").await.expect(200);
        other.caller.get("/invoices").await.expect(200);
        owner.browser.submit(PATH, &[("action", "other")]).await.expect(400);
        Caller::new(&server.base, Some(&key)).get("/invoices").await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn key_is_not_replaced_from_a_page_that_shows_an_earlier_one() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let mut keys = Vec::new();
        let tabs = [owner.browser.get(PATH).await.expect(200), owner.browser.get(PATH).await.expect(200)];
        for (tab, status) in tabs.iter().zip([200, 409]) {
            let (once, last_four) = (hidden(tab, "once"), hidden(tab, "last_four"));
            let fields = [("once", &*once), ("last_four", &*last_four), ("action", "generate")];
            keys.push(owner.browser.post(PATH, &fields).await.expect(status).html());
        }
        let key = keys[0].split("<code>").nth(1).unwrap().split('<').next().unwrap();
        Caller::new(&server.base, Some(key)).get("/invoices").await.expect(200);
        assert!(keys[1].contains("was changed in the meantime"), "{}", keys[1]);
    })
    .await;
}

/// A page that is still open in a tab after its browser signed in to another account.
#[tokio::test]
async fn form_of_a_page_of_another_account_changes_nothing() {
    on_both(async |server| {
        let (mine, other) = (Owner::new(&server).await, Owner::new(&server).await);
        let form_token = hidden(&mine.browser.get(PATH).await.expect(200), "once");
        mine.browser.set_cookie(other.browser.cookie());
        let fields = [("once", &*form_token), ("action", "generate")];
        let refused = mine.browser.post(PATH, &fields).await.expect(409).html();
        assert!(refused.contains("from a page of another account"), "{refused}");
        // A form that is shown again would otherwise become one of the other account.
        let path = "/dashboard/invoices/new";
        mine.browser.post(path, &[("once", &*form_token), ("action", "add_line")]).await.expect(409);
        for account in [&mine, &other] {
            account.caller.get("/invoices").await.expect(200);
        }
    })
    .await;
}

#[tokio::test]
async fn last_use_of_the_key_is_shown() {
    on_both_with(&[("COUNTINGHOUSE_WORKER_INTERVAL", "300ms")], async |server| {
        let owner = Owner::new(&server).await;
        assert!(owner.browser.get(PATH).await.expect(200).html().contains("<dd>Never</dd>"));
        owner.caller.get("/invoices").await.expect(200);
        until("the last use", async || {
            let page = owner.browser.get(PATH).await.expect(200).html();
            (!page.contains("<dd>Never</dd>")).then_some(())
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn last_use_of_the_key_is_stored_when_the_service_stops() {
    on_both(async |mut server| {
        let owner = Owner::new(&server).await;
        owner.caller.get("/invoices").await.expect(200);
        assert!(server.terminate().await.success());
        server.start_again();
        let browser = Browser::signed_in(&server, &owner.id).await;
        assert!(!browser.get(PATH).await.expect(200).html().contains("<dd>Never</dd>"));
    })
    .await;
}
