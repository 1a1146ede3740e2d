//! Callers: anonymous, with an account's key, with a partner's key.

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::invoice_body;

/// Sends requests with one key, or none.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) base: String,
    pub(crate) key: Option<String>,
    client: reqwest::Client,
}

/// A complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
    /// The body as JSON; null if it is not JSON.
    pub(crate) body: Value,
}

impl Caller {
    pub(crate) fn new(base: &str, key: Option<&str>) -> Self {
        // The client needs a TLS provider even for plain HTTP; the first test installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { base: base.to_owned(), key: key.map(str::to_owned), client: reqwest::Client::new() }
    }

    /// The same caller on another server.
    pub(crate) fn at(&self, base: &str) -> Self {
        Self::new(base, self.key.as_deref())
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(Method::GET, path, &[], None).await
    }

    /// Creates an invoice: [`invoice_body`] with these other fields.
    pub(crate) async fn invoice(&self, fields: Value) -> TestResponse {
        let mut body = invoice_body();
        for (name, value) in fields.as_object().expect("an object") {
            body[name] = value.clone();
        }
        self.post("/invoices", &body).await.expect(201)
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.send(Method::POST, path, &[], Some(body.to_string().into_bytes())).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> TestResponse {
        let body = body.to_string().into_bytes();
        self.send(Method::PATCH, path, &[], Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> TestResponse {
        self.send(Method::PUT, path, &[], Some(body.to_string().into_bytes())).await
    }

    pub(crate) async fn delete(&self, path: &str) -> TestResponse {
        self.send(Method::DELETE, path, &[], None).await
    }

    pub(crate) async fn post_with_key(&self, path: &str, key: &str, body: &Value) -> TestResponse {
        self.send(Method::POST, path, &[("Idempotency-Key", key)], Some(body.to_string().into_bytes())).await
    }

    pub(crate) async fn post_bytes(&self, path: &str, body: &[u8]) -> TestResponse {
        self.send(Method::POST, path, &[], Some(body.to_vec())).await
    }

    /// Sends any request. A path that begins with a root of the service is used as it is; any other is under
    /// `/api/v1`.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> TestResponse {
        self.try_to_send(method, path, headers, body).await.expect("an answer")
    }

    /// Like [`Self::send`], for requests that may get no response, because the server is killed.
    pub(crate) async fn try_to_send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Result<TestResponse, reqwest::Error> {
        const ROOTS: [&str; 9] =
            ["/api", "/health", "/docs", "/metrics", "/logos", "/pay/", "/to/", "/bank-details/", "/assets/"];
        let whole = ROOTS.iter().any(|root| path.starts_with(root));
        let prefix = if whole { "" } else { "/api/v1" };
        let mut request = self.client.request(method, format!("{}{prefix}{path}", self.base));
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                request = request.header("Content-Type", "application/json");
            }
            request = request.body(body);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?.to_vec();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(TestResponse { status, headers, bytes, body })
    }
}

impl TestResponse {
    /// The error code of the standard error body.
    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or("(no error code)")
    }

    /// The names of the faulty fields, sorted.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let faults = self.body["error"]["field_errors"].as_array();
        let mut fields: Vec<_> =
            faults.into_iter().flatten().filter_map(|fault| fault["field"].as_str()).collect();
        fields.sort_unstable();
        fields
    }

    /// The body of a page.
    pub(crate) fn html(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("a page is text")
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
    }

    /// The text of a field that must be there.
    pub(crate) fn text(&self, field: &str) -> &str {
        self.body[field].as_str().unwrap_or_else(|| panic!("no text in {field}: {}", self.body))
    }

    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.bytes));
        self
    }

    pub(crate) fn refused(self, status: u16, code: &str) -> Self {
        let answer = self.expect(status);
        assert_eq!(answer.code(), code, "{}", answer.body);
        assert!(answer.body["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
        answer
    }
}
