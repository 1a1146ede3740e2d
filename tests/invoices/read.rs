//! GET /invoices/{id}.

use crate::test_app::{invoice_body, on_both};

#[tokio::test]
async fn reading_an_invoice_returns_the_response_of_its_creation() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account.post("/invoices", &invoice_body()).await.expect(201);
        let path = format!("/invoices/{}", made.text("id"));
        assert_eq!(account.get(&path).await.expect(200).bytes, made.bytes);
        assert_eq!(
            account.get(&path.to_uppercase().replace("/INVOICES", "/invoices")).await.expect(200).bytes,
            made.bytes
        );
        server.account().await.get(&path).await.refused(404, "NOT_FOUND");
        account.get("/invoices/019aa1b2-0000-7000-8000-0123456789ab").await.refused(404, "NOT_FOUND");
        assert_eq!(account.get("/invoices/7").await.refused(400, "VALIDATION_ERROR").fields(), ["id"]);
    })
    .await;
}
