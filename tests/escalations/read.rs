//! GET /escalations/{id}.

use reqwest::Method;

use super::{account, id, raise};
use crate::test_app::on_both;

#[tokio::test]
async fn an_escalation_is_readable_by_its_own_account_only() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let raised = raise(&server, &account, &[]);
        let path = format!("/escalations/{}", id(&raised));
        let read = caller.get(&path).await.expect(200);
        assert_eq!(read.text("account_id"), account);
        let unknown =
            caller.get("/escalations/019aa1b2-0000-7000-8000-0123456789ab").await.refused(404, "NOT_FOUND");
        let stranger = server.account().await.get(&path).await;
        assert_eq!(stranger.refused(404, "NOT_FOUND").bytes, unknown.bytes);
        let faulty = caller.get("/escalations/7").await;
        assert_eq!(faulty.refused(400, "VALIDATION_ERROR").fields(), ["id"]);
        let anonymous = server.anonymous().get(&path).await;
        anonymous.refused(401, "UNAUTHENTICATED");
        server.partner().get(&path).await.refused(401, "INVALID_API_KEY");
    })
    .await;
}

#[tokio::test]
async fn escalations_have_no_other_method() {
    on_both(async |server| {
        let (caller, account) = account(&server).await;
        let raised = raise(&server, &account, &[]);
        let path = format!("/escalations/{}", id(&raised));
        let head = caller.send(Method::HEAD, &path, &[], None).await;
        let get = caller.get(&path).await.expect(200);
        assert!(head.expect(200).bytes.is_empty());
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let body = Some(br#"{"status": "resolved"}"#.to_vec());
            let refused = caller.send(method, &path, &[], body).await;
            let refused = refused.refused(405, "METHOD_NOT_ALLOWED");
            assert_eq!(refused.header("allow"), "GET, HEAD");
        }
        assert_eq!(caller.get(&path).await.expect(200).bytes, get.bytes);
        caller.get("/escalations").await.refused(404, "NOT_FOUND");
    })
    .await;
}
