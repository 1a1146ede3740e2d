//! After SIGTERM, requests in progress are finished.

use futures_util::future::join_all;

use crate::test_app::{invoice_body, on_both};

#[tokio::test]
async fn sigterm_finishes_requests_in_flight() {
    on_both(async |mut server| {
        let account = server.account().await;
        let requests: Vec<_> = (0..10)
            .map(|_| {
                let account = account.clone();
                tokio::spawn(async move {
                    let mut made = Vec::new();
                    // Until the server no longer takes requests.
                    while let Ok(answer) = account
                        .try_to_send(
                            reqwest::Method::POST,
                            "/invoices",
                            &[],
                            Some(invoice_body().to_string().into_bytes()),
                        )
                        .await
                    {
                        made.push(answer.expect(201).text("id").to_owned());
                    }
                    made
                })
            })
            .collect();
        while !account.get("/invoices?limit=5").await.expect(200).body["has_more"].as_bool().unwrap() {}
        assert!(server.terminate().await.success());
        let made: Vec<String> = join_all(requests).await.into_iter().flat_map(Result::unwrap).collect();
        server.start_again();
        let account = account.at(&server.base);
        assert!(made.len() > 5);
        for id in made {
            account.get(&format!("/invoices/{id}")).await.expect(200);
        }
    })
    .await;
}
