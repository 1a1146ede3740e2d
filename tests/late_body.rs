//! A request whose body comes late: what was refused meanwhile does not act.

use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::test_app::{Browser, hidden, on_both};

/// A request of which the head and the first half of the body were sent.
struct HalfSent {
    connection: TcpStream,
    rest: Vec<u8>,
}

impl HalfSent {
    async fn post(base: &str, path: &str, headers: &str, body: &str) -> Self {
        let host = base.trim_start_matches("http://");
        let mut connection = TcpStream::connect(host).await.unwrap();
        let (length, (first, rest)) = (body.len(), body.split_at(body.len() / 2));
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\
             Content-Length: {length}\r\n\r\n{first}"
        );
        connection.write_all(head.as_bytes()).await.unwrap();
        Self { connection, rest: rest.as_bytes().to_vec() }
    }

    /// Sends the rest; returns the response.
    async fn finish(mut self) -> String {
        self.connection.write_all(&self.rest).await.unwrap();
        let mut response = Vec::new();
        self.connection.read_to_end(&mut response).await.unwrap();
        String::from_utf8_lossy(&response).into_owned()
    }
}

#[tokio::test]
async fn key_that_is_revoked_while_the_body_is_sent_is_refused() {
    on_both(async |server| {
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({})).await;
        let key = made["api_key"].as_str().unwrap();
        let headers = format!("Authorization: Bearer {key}\r\nContent-Type: application/json\r\n");
        let body = json!({"name": "Ada", "email": "ada@example.com"}).to_string();
        let late = HalfSent::post(&server.base, "/api/v1/contacts", &headers, &body).await;
        // The server has begun with the request, since it accepts connections in their order.
        account.get("/invoices").await.expect(200);
        let path = format!("/partner/accounts/{}/api-key", made["id"].as_str().unwrap());
        let rotated = partner.send(Method::POST, &path, &[], None).await.expect(200);
        let response = late.finish().await;
        assert!(response.starts_with("HTTP/1.1 401 "), "{response}");
        let account = server.with_key(rotated.text("api_key"));
        account.get("/contacts?email=ada@example.com").await.refused(404, "NOT_FOUND");
    })
    .await;
}

#[tokio::test]
async fn session_that_is_ended_while_a_form_is_sent_does_not_act() {
    on_both(async |server| {
        let partner = server.partner();
        let (account, made) = server.account_of(&partner, json!({})).await;
        let owner = Browser::signed_in(&server, made["id"].as_str().unwrap()).await;
        let once = hidden(&owner.get("/dashboard/settings/api").await.expect(200), "once");
        let headers = format!(
            "Cookie: {}\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n",
            owner.cookie().unwrap()
        );
        let form = format!("action=generate&once={once}");
        let late = HalfSent::post(&server.base, "/dashboard/settings/api", &headers, &form).await;
        owner.get("/dashboard/settings/api").await.expect(200);
        owner.post("/logout", &[]).await.expect(303);
        let response = late.finish().await;
        assert!(response.starts_with("HTTP/1.1 303 ") && response.contains("/login"), "{response}");
        account.get("/invoices").await.expect(200);
    })
    .await;
}
