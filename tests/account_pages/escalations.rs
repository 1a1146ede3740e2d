//! `/dashboard/escalations`.

use serde_json::json;

use super::{Owner, link, location};
use crate::escalations::raise;
use crate::test_app::on_both;

#[tokio::test]
async fn owner_reads_and_resolves_an_escalation() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let empty = owner.browser.get("/dashboard/escalations").await.expect(200);
        assert!(empty.html().contains("There are none yet"), "{}", empty.html());
        let raised = raise(&server, &owner.id, &["--statement", "No <b>tea</b>.\nNone."]);
        let id = raised["id"].as_str().unwrap();
        let list = owner.browser.get("/dashboard/escalations").await.expect(200);
        assert!(list.html().contains("Open") && list.html().contains("No &#60;b&#62;tea"), "{}", list.html());
        let path = link(&list, "Disputes an invoice").unwrap();
        let page = owner.browser.get(&path).await.expect(200);
        assert!(page.html().contains("No &#60;b&#62;tea&#60;/b&#62;.\nNone."), "{}", page.html());
        let resolve = format!("/dashboard/escalations/{id}/resolve");
        let form_token = crate::test_app::hidden(&page, "once");
        let refused =
            owner.browser.post(&resolve, &[("once", &*form_token), ("notes", "Sent <again>")]).await;
        let refused = refused.expect(422).html();
        assert!(
            refused.contains("Choose an outcome.") && refused.contains("Sent &#60;again&#62;"),
            "{refused}"
        );
        let fields = [("once", &*form_token), ("outcome", "invoice_corrected"), ("notes", "Sent again.")];
        let resolved = owner.browser.post(&resolve, &fields).await;
        let page = owner.browser.get(&location(&resolved)).await.expect(200);
        assert!(page.html().contains("resolved, Invoice corrected"), "{}", page.html());
        assert_eq!(location(&owner.browser.post(&resolve, &fields).await), location(&resolved));
        let read = owner.caller.get(&format!("/escalations/{id}")).await.expect(200).body;
        assert_eq!((&read["status"], &read["resolution_notes"]), (&json!("resolved"), &json!("Sent again.")));
        let form_token =
            crate::test_app::hidden(&owner.browser.get("/dashboard/settings/api").await.expect(200), "once");
        let again =
            owner.browser.post(&resolve, &[("once", &*form_token), ("outcome", "paid")]).await.expect(409);
        assert!(again.html().contains("resolved already"), "{}", again.html());
        let link = format!("href=\"/dashboard/escalations/{id}\">Open the escalation</a>");
        assert!(again.html().contains(&link), "{}", again.html());
    })
    .await;
}

#[tokio::test]
async fn escalation_says_how_its_contact_is_reached() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let contact = json!({"name": "Ada", "email": "ada@example.com", "phone": "+61 2 5550 1234"});
        let contact = owner.caller.post("/contacts", &contact).await.expect(201).body;
        let raised = raise(&server, &owner.id, &["--contact", contact["id"].as_str().unwrap()]);
        let path = format!("/dashboard/escalations/{}", raised["id"].as_str().unwrap());
        let page = owner.browser.get(&path).await.expect(200).html();
        for text in ["<dd>ada@example.com</dd>", "<dd>+61 2 5550 1234</dd>"] {
            assert!(page.contains(text), "{text} in {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn another_accounts_escalation_is_not_found_and_unchanged() {
    on_both(async |server| {
        let (owner, other) = (Owner::new(&server).await, Owner::new(&server).await);
        let raised = raise(&server, &owner.id, &[]);
        let id = raised["id"].as_str().unwrap();
        other.browser.get(&format!("/dashboard/escalations/{id}")).await.expect(404);
        other.browser.get("/dashboard/escalations/1").await.expect(404);
        let page = other.browser.get("/dashboard/settings/api").await.expect(200);
        let form_token = crate::test_app::hidden(&page, "once");
        let path = format!("/dashboard/escalations/{id}/resolve");
        other.browser.post(&path, &[("once", &*form_token), ("outcome", "paid")]).await.expect(404);
        other.browser.post(&path, &[("once", &*form_token)]).await.expect(404);
        let read = owner.caller.get(&format!("/escalations/{id}")).await.expect(200).body;
        assert_eq!(read["status"], "open");
    })
    .await;
}

#[tokio::test]
async fn list_goes_on_by_cursor_and_refuses_others() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let mut first = None;
        for _ in 0..27 {
            first = first.or(Some(raise(&server, &owner.id, &[])));
        }
        let list = owner.browser.get("/dashboard/escalations").await.expect(200);
        let next = link(&list, "Next page").unwrap();
        let rest = owner.browser.get(&next).await.expect(200);
        assert!(rest.html().contains(first.unwrap()["id"].as_str().unwrap()));
        assert!(link(&rest, "Next page").is_none() && link(&rest, "First page").is_some());
        owner.browser.get("/dashboard/escalations?cursor=x").await.expect(400);
        let other = Owner::new(&server).await;
        other.browser.get(&next).await.expect(400);
    })
    .await;
}
