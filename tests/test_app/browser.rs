//! A browser: it keeps its cookie, follows no redirect, and sends forms as pages of the service do.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kernel::{AccountId, AccountToken, Clock as _, Id, SystemClock, SystemIds, SystemRandom};
use reqwest::header::{ACCEPT, CONTENT_TYPE, COOKIE, SET_COOKIE, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use sessions::{Origin, Session};
use store_diesel::StoreOptions;
use time::OffsetDateTime;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{TestApp, TestResponse};

pub(crate) struct Browser {
    base: String,
    client: reqwest::Client,
    /// Its `User-Agent`.
    pub(crate) name: String,
    cookie: Mutex<Option<String>>,
}

impl Browser {
    /// A browser that is not signed in.
    pub(crate) fn new(server: &TestApp) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().redirect(Policy::none()).build().expect("a client");
        let name = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0".to_owned();
        Self { base: server.base.clone(), client, name, cookie: Mutex::default() }
    }

    /// A browser whose session was begun in the store, without a sign-in.
    pub(crate) async fn signed_in(server: &TestApp, account: &str) -> Self {
        Self::signed_in_at(SystemClock.now(), server, account).await
    }

    /// Like [`Self::signed_in`], on a server whose clock shows a given time.
    pub(crate) async fn signed_in_at(now: OffsetDateTime, server: &TestApp, account: &str) -> Self {
        let account: AccountId = Id::parse(account).expect("an id");
        let random = SystemRandom::default();
        let token = AccountToken::generate(account, &random);
        let id = Id::new(&SystemIds::default(), now);
        let session = Session::begin(id, &token, Origin::unknown(), false, now);
        let store =
            store_diesel::open(&server.database.url, &StoreOptions::default()).await.expect("a store");
        let mut tx = store.sessions.begin(account).await.expect("a transaction");
        tx.logins().insert_session(&session).await.expect("an account");
        tx.commit().await.expect("a commit");
        let browser = Self::new(server);
        browser.set_cookie(Some(format!("session={}", token.reveal())));
        browser
    }

    pub(crate) fn cookie(&self) -> Option<String> {
        self.cookie.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_cookie(&self, cookie: Option<String>) {
        *self.cookie.lock().unwrap_or_else(PoisonError::into_inner) = cookie;
    }

    /// Opens a page. `path` may be a complete URL of the service.
    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, path)).await
    }

    /// Sends a form.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let request = self.request(Method::POST, path).header("Sec-Fetch-Site", "same-origin");
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(request.body(encoded(fields))).await
    }

    /// Sends a form and resets the connection after a time, as a closed browser does.
    pub(crate) async fn post_and_cut(&self, path: &str, fields: &[(&str, &str)], later: Duration) {
        let (host, body) = (self.base.trim_start_matches("http://"), encoded(fields));
        let cookie = self.cookie().unwrap_or_default();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut connection = TcpStream::connect(host).await.expect("a connection");
        connection.write_all(request.as_bytes()).await.expect("a server that reads");
        tokio::time::sleep(later).await;
        connection.set_zero_linger().expect("a socket");
    }

    /// Opens a page and sends its form, with its form token.
    pub(crate) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        let page = self.get(path).await.expect(200);
        let form_token = hidden(&page, "once");
        self.post(path, &[&[("once", &*form_token)], fields].concat()).await
    }

    /// A request with the cookie and headers of this browser.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let path = path.strip_prefix(&self.base).unwrap_or(path);
        let request = self.client.request(method, format!("{}{path}", self.base));
        let request = request.header(ACCEPT, "text/html").header(USER_AGENT, &self.name);
        match self.cookie() {
            Some(cookie) => request.header(COOKIE, cookie),
            None => request,
        }
    }

    /// Sends a request and keeps the cookie of its response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> TestResponse {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if let Some(set) = headers.get(SET_COOKIE) {
            let pair = set.to_str().expect("text").split(';').next().unwrap_or_default();
            self.set_cookie((!pair.ends_with('=')).then(|| pair.to_owned()));
        }
        let bytes = response.bytes().await.expect("a body").to_vec();
        TestResponse { status, headers, bytes, body: Value::Null }
    }
}

/// The value of the first hidden field with a name.
pub(crate) fn hidden(page: &TestResponse, name: &str) -> String {
    let html = page.html();
    let rest = html.split(&format!("name=\"{name}\" value=\"")).nth(1);
    let value = rest.and_then(|rest| rest.split('"').next());
    value.unwrap_or_else(|| panic!("no {name} in {html}")).to_owned()
}

/// Fields as `application/x-www-form-urlencoded`.
pub(crate) fn encoded(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}
