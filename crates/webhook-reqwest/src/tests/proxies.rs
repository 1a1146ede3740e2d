//! Proxies in the environment, which would connect to addresses that the guard never checked.

use std::process::Stdio;

use tokio::process::Command;

use super::server::{OnConnect, OnRequest, Server};
use super::{LONG, client, send};

/// Marks the second run of the test's own process, which has the proxies in its environment.
const MARK: &str = "WEBHOOK_REQWEST_HAS_PROXIES";

#[tokio::test]
async fn proxies_of_the_environment_are_not_used() {
    if std::env::var_os(MARK).is_some() {
        let server = Server::start(OnRequest::Respond(b"HTTP/1.1 204 No\r\n\r\n".into())).await;
        let sent = send(&client(), server.port(), LONG).await;
        assert_eq!(sent.map(|response| response.status), Ok(204));
        return;
    }
    // The environment of a process is set when it starts.
    let proxy = Server::start_at("127.0.0.1:0", OnConnect::Plain, OnRequest::Hang(Vec::new())).await;
    let address = format!("http://127.0.0.1:{}", proxy.port());
    let mut again = Command::new(std::env::current_exe().unwrap());
    again
        .args(["--exact", "tests::proxies::proxies_of_the_environment_are_not_used"])
        .env(MARK, "1")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        again.env(name, &address);
    }
    let ran = again.output().await.unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    assert_eq!(proxy.connections(), 0);
}
