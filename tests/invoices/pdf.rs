//! GET /invoices/{id}/pdf.

use reqwest::Method;

use crate::test_app::{invoice_body, on_both};

#[tokio::test]
async fn the_pdf_is_available_to_its_own_account_only() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account.post("/invoices", &invoice_body()).await.expect(201);
        let path = format!("/invoices/{}/pdf", made.text("id"));
        let pdf = account.get(&path).await.expect(200);
        assert!(pdf.bytes.starts_with(b"%PDF-"));
        assert_eq!(pdf.header("Content-Type"), "application/pdf");
        assert!(pdf.header("Content-Disposition").contains("INV-0001.pdf"));
        assert!(account.send(Method::HEAD, &path, &[], None).await.expect(200).bytes.is_empty());
        server.account().await.get(&path).await.refused(404, "NOT_FOUND");
        server.anonymous().get(&path).await.refused(401, "UNAUTHENTICATED");
    })
    .await;
}
