//! The requests of the cases.

use kernel::{HttpsUrl, Id, Ids as _, PublicUrls, SystemIds, scope::AccountEntity};
use time::{Duration, OffsetDateTime};
use webhooks::{Event, Occurrence, SIGNATURE_HEADER, SigningSecret, USER_AGENT, sign};

/// A request: its body, and the headers that describe it.
#[derive(Debug, Clone)]
pub(super) struct TestRequest {
    pub(super) body: Vec<u8>,
    pub(super) signature: Option<String>,
    /// The value of `Content-Length`, which may differ from the body's length.
    pub(super) length: usize,
}

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendMode {
    /// In one go.
    Whole,
    /// The body in small pieces, with pauses.
    Slowly,
    /// Half of the body; then the connection is closed.
    Half,
}

impl TestRequest {
    /// A request whose body is signed with a secret, as deliveries are.
    pub(super) fn signed(secret: &SigningSecret, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self { signature: Some(sign(secret, &body)), length: body.len(), body }
    }

    /// The same request with another signature, or none.
    pub(super) fn with_signature(self, signature: Option<String>) -> Self {
        Self { signature, ..self }
    }

    /// The same request with another `Content-Length`.
    pub(super) fn stating(self, length: usize) -> Self {
        Self { length, ..self }
    }

    /// The head of the request, up to its body.
    pub(super) fn head(&self, url: &HttpsUrl) -> String {
        let url = url.url();
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map_or(String::new(), |port| format!(":{port}"));
        let query = url.query().map_or(String::new(), |query| format!("?{query}"));
        let signature = self.signature.as_ref();
        let signature = signature.map_or(String::new(), |value| format!("{SIGNATURE_HEADER}: {value}\r\n"));
        format!(
            "POST {}{query} HTTP/1.1\r\nHost: {host}{port}\r\nContent-Type: application/json\r\n{signature}\
             User-Agent: {USER_AGENT}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            url.path(),
            self.length
        )
    }
}

/// Makes bodies of events of an account that does not exist, each with its own ids.
pub(super) struct SampleEvents {
    ids: SystemIds,
    account: Id<AccountEntity>,
    urls: PublicUrls,
    now: OffsetDateTime,
}

impl SampleEvents {
    pub(super) fn new(urls: PublicUrls, now: OffsetDateTime) -> Self {
        let ids = SystemIds::default();
        Self { account: Id::new(&ids, now), ids, urls, now }
    }

    /// The event of a payment that was recorded now.
    pub(super) fn next(&self) -> String {
        self.at(self.now)
    }

    /// The event of a payment that was recorded a minute ago.
    pub(super) fn older(&self) -> String {
        self.at(self.now.saturating_sub(Duration::MINUTE))
    }

    fn at(&self, at: OffsetDateTime) -> String {
        let occurrence =
            Occurrence { id: Id::new(&self.ids, at), account: self.account, at, urls: self.urls.clone() };
        Event::payment_recorded(occurrence, self.ids.uuid_at(at)).body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_is_that_of_a_delivery() {
        let secret = SigningSecret::parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE").unwrap();
        let url = HttpsUrl::parse("https://example.com:8443/a/b?c=d").unwrap();
        let request = TestRequest::signed(&secret, r#"{"events":[]}"#);
        let expected = "POST /a/b?c=d HTTP/1.1\r\nHost: example.com:8443\r\nContent-Type: application/json\r\n\
             Service-Signature: RxDr0+G9ruAyz/m1UO3XwMejwlh6O/luu9P6Fg78gPg=\r\nUser-Agent: Service-Webhooks/1.0\r\n\
             Content-Length: 13\r\nConnection: close\r\n\r\n";
        assert_eq!(request.head(&url), expected);
        let bare = request.with_signature(None).stating(7).head(&url);
        assert!(!bare.contains("Signature") && bare.contains("Content-Length: 7\r\n"));
    }
}
