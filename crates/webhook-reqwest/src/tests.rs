//! The client against test servers that respond well, badly, late or never.

mod authority;
mod connecting;
mod downloading;
mod failing;
mod logos;
mod pooling;
mod proxies;
mod sending;
mod server;
mod timing;

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use kernel::HttpsUrl;
use webhooks::{ReceiverResponse, SendError, WebhookSender};

use crate::guard::AddressGuard;
use crate::{Client, HostResolver, Reach};
use authority::AUTHORITY;

/// Longer than any call here that must complete.
const LONG: Duration = Duration::from_secs(60);

/// Shorter than a response that never comes.
const SHORT: Duration = Duration::from_millis(400);

/// Resolves the names of the test, and no others.
#[derive(Default)]
struct Table(Mutex<HashMap<String, Vec<IpAddr>>>);

impl Table {
    fn with(name: &str, addresses: &[&str]) -> Arc<Self> {
        let table = Self::default();
        table.set(name, addresses);
        Arc::new(table)
    }

    fn set(&self, name: &str, addresses: &[&str]) {
        let addresses = addresses.iter().map(|one| one.parse().unwrap()).collect();
        self.0.lock().unwrap().insert(name.to_owned(), addresses);
    }
}

#[async_trait]
impl HostResolver for Table {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "silent.example" {
            return std::future::pending().await;
        }
        let known = self.0.lock().unwrap().get(name).cloned();
        known.ok_or_else(|| io::Error::other("no such name"))
    }
}

/// A client for development, which resolves `hooks.example` to this machine and trusts the tests' authority.
fn client() -> Client {
    let names = Table::with("hooks.example", &["127.0.0.1"]);
    let guard = AddressGuard::new(Reach::Anywhere, names);
    Client::guarded_by(guard, Some(AUTHORITY.pem())).unwrap()
}

fn url(text: &str) -> HttpsUrl {
    HttpsUrl::parse(text).unwrap()
}

/// Sends `{}` to a port of `hooks.example`.
async fn send(client: &Client, port: u16, limit: Duration) -> Result<ReceiverResponse, SendError> {
    let target = url(&format!("https://hooks.example:{port}/hook"));
    client.send(&target, "{}", "c2lnbmF0dXJl", limit).await
}

fn failure(sent: Result<ReceiverResponse, SendError>) -> String {
    match sent {
        Err(SendError::Failed(what)) => what,
        other => panic!("{other:?}"),
    }
}
