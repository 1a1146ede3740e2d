//! A correct client: it keeps its connections and retries until it has a response. Each attempt goes to a
//! random one of the services.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::response::Response;
use super::response_log::{ResponseLog, Responses};
use crate::fixtures::client::{self, Connection, has_header, header};
use crate::seed::random::SeededGenerator;

/// Longer than the service may take for one request.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);
/// For how long a request is tried again.
const PATIENCE: Duration = Duration::from_secs(90);
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_millis(200);
/// How many requests are sent over one connection, so that new ones are opened all the time.
const REQUESTS_OF_A_CONNECTION: u32 = 50;

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) bytes: Vec<u8>,
    /// Whether HTTP lets a client repeat the request if its connection is closed before the first byte of the
    /// response (RFC 9110, section 9.2.2): its method is idempotent, or its idempotency key makes it so.
    repeatable: bool,
    /// Whether the request is for the API, whose errors have a standard body.
    of_api: bool,
    /// The API key of the request; empty for pages and callbacks.
    key: String,
}

impl Request {
    pub(super) fn get(path: &str, key: &str) -> Self {
        Self { bytes: client::get(path, key), repeatable: true, of_api: true, key: key.to_owned() }
    }

    /// A request for an uncompressed page.
    pub(super) fn page(path: &str) -> Self {
        Self { bytes: client::get_plain_page(path), repeatable: true, of_api: false, key: String::new() }
    }

    /// A form of a page; its hidden field `once` makes it repeatable.
    pub(super) fn form(path: &str, fields: &[(&str, &str)]) -> Self {
        Self { bytes: client::send_form(path, fields), repeatable: true, of_api: false, key: String::new() }
    }

    /// A request with a JSON body, or with an empty body for null.
    pub(super) fn write(
        method: &str,
        path: &str,
        key: &str,
        idempotency_key: Option<&str>,
        body: &Value,
    ) -> Self {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let bytes = client::write(method, path, key, idempotency_key, &body);
        Self {
            bytes,
            repeatable: method != "POST" || idempotency_key.is_some(),
            of_api: true,
            key: key.to_owned(),
        }
    }

    /// A callback of a provider, which repeats it until it gets a response.
    pub(super) fn callback(bytes: Vec<u8>) -> Self {
        Self { bytes, repeatable: true, of_api: false, key: String::new() }
    }

    fn first_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        text.lines().next().unwrap_or_default().to_owned()
    }
}

/// A client of one or several equivalent services.
pub(super) struct Caller {
    targets: Arc<[SocketAddr]>,
    /// The number of this client; its twin has the same one.
    client: u64,
    generator: SeededGenerator,
    /// The connection to each service, with the number of requests that were sent over it.
    kept: BTreeMap<usize, (Connection, u32)>,
    response_log: Arc<ResponseLog>,
}

impl Caller {
    pub(super) fn new(
        targets: Arc<[SocketAddr]>,
        client: u64,
        generator: SeededGenerator,
        response_log: Arc<ResponseLog>,
    ) -> Self {
        response_log.lock().responses_by_client.entry(client).or_default();
        Self { targets, client, generator, kept: BTreeMap::new(), response_log }
    }

    /// The same client with separate connections.
    pub(super) fn twin(&self) -> Self {
        let generator = SeededGenerator::new(self.generator.next(), 0, 0);
        Self::new(self.targets.clone(), self.client, generator, self.response_log.clone())
    }

    /// Sends the request until there is a final response; `None` if there is none for [`PATIENCE`].
    pub(super) async fn send(&mut self, request: &Request) -> Option<Response> {
        let begun = Instant::now();
        let mut pause = SHORTEST_PAUSE;
        while begun.elapsed() < PATIENCE {
            if let Some(response) = self.attempt(request).await {
                let mut responses = self.response_log.lock();
                responses.counts.answered += 1;
                responses.by_account.entry(request.key.clone()).or_default().0 += 1;
                *responses.responses_by_client.entry(self.client).or_default() += 1;
                return Some(response);
            }
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(MAX_PAUSE);
        }
        let mut responses = self.response_log.lock();
        responses.counts.given_up += 1;
        responses.wrong.push(format!("no final answer within {PATIENCE:?}: {}", request.first_line()));
        None
    }

    /// One attempt; `None` if the request must be tried again.
    async fn attempt(&mut self, request: &Request) -> Option<Response> {
        let (place, (mut connection, used)) = self.connection().await?;
        let begun = Instant::now();
        let exchanged = tokio::time::timeout(RESPONSE_TIMEOUT, connection.exchange(&request.bytes)).await;
        let line = request.first_line();
        let mut responses = self.response_log.lock();
        match exchanged {
            Ok(Ok(status)) => {
                responses.latencies.push((Instant::now(), begun.elapsed()));
                responses.target = self.targets.get(place).copied();
                let (head, body) = connection.last().ok()?;
                if !has_header(&head, "connection", "close") && used < REQUESTS_OF_A_CONNECTION {
                    self.kept.insert(place, (connection, used + 1));
                }
                let location = header(&head, "location").unwrap_or_default().to_owned();
                let response = Response { status, location, body };
                if response.status >= 500 {
                    responses.by_account.entry(request.key.clone()).or_default().1 += 1;
                }
                return final_response(&mut responses, response, request.of_api);
            }
            Ok(Err(error)) if connection.received() > 0 => {
                responses.counts.broken_off += 1;
                responses.record_failure(format!("an answer broke off: {line}: {error}"));
            }
            Ok(Err(error)) if used > 0 && request.repeatable => {
                responses.counts.closed += 1;
                responses.record_failure(format!("a kept connection was closed: {line}: {error}"));
            }
            Ok(Err(error)) => {
                responses.counts.cut_off += 1;
                let which = if used > 0 { "a kept" } else { "a new" };
                responses
                    .record_failure(format!("{which} connection was closed with no answer: {line}: {error}"));
            }
            Err(_elapsed) => {
                let wrong = format!("no answer within {RESPONSE_TIMEOUT:?}: {line}");
                responses.wrong.push(wrong.clone());
                responses.record_failure(wrong);
            }
        }
        None
    }

    /// The index of a random service and a connection to it, kept or new. If that service does not listen,
    /// another one is used.
    async fn connection(&mut self) -> Option<(usize, (Connection, u32))> {
        for place in any_first(&self.generator, self.targets.len()) {
            if let Some(kept) = self.kept.remove(&place) {
                if !kept.0.is_spoilt() {
                    return Some((place, kept));
                }
                // The client checks the connection before sending, and opens a new one if it was closed.
                // Whether the service was allowed to close it depends on the scenario.
                let mut responses = self.response_log.lock();
                responses.counts.closed += 1;
                responses.record_failure("a kept connection was closed between two requests");
            }
            let target = *self.targets.get(place)?;
            match Connection::open(target).await {
                Ok(connection) => return Some((place, (connection, 0))),
                // Like a load balancer, it tries another service.
                Err(_refused) => self.response_log.lock().counts.refused += 1,
            }
        }
        self.response_log.lock().record_failure("no service listens");
        None
    }
}

/// The response, unless the request must be tried again.
fn final_response(responses: &mut Responses, response: Response, of_api: bool) -> Option<Response> {
    if response.status >= 500 {
        responses.counts.failed += 1;
        responses.record_failure(format!("{} {}", response.status, response.code()));
        if of_api {
            record_unless_standard(responses, &response);
        }
        return None;
    }
    if response.status == 409 && response.code() == "IDEMPOTENT_REPLAY_IN_FLIGHT" {
        responses.counts.in_flight += 1;
        return None;
    }
    Some(response)
}

/// All `count` indices in order, starting at a random one.
fn any_first(generator: &SeededGenerator, count: usize) -> impl Iterator<Item = usize> + use<> {
    let places: Vec<usize> = (0..count).collect();
    let first = generator.pick(&places).copied().unwrap_or_default();
    places.into_iter().cycle().skip(first).take(count)
}

fn record_unless_standard(responses: &mut Responses, response: &Response) {
    let body = response.json();
    let is_text = |path| body.pointer(path).is_some_and(Value::is_string);
    if !is_text("/error/code") || !is_text("/error/message") {
        let body = String::from_utf8_lossy(&response.body);
        responses.wrong.push(format!("{} without the standard body: {body:?}", response.status));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_standard_body() {
        let mut responses = Responses::default();
        let response =
            |body: &str| Response { status: 503, location: String::new(), body: body.as_bytes().to_vec() };
        record_unless_standard(
            &mut responses,
            &response(r#"{"error":{"code":"SERVICE_UNAVAILABLE","message":"later"}}"#),
        );
        assert!(responses.wrong.is_empty());
        record_unless_standard(&mut responses, &response("<html>"));
        record_unless_standard(&mut responses, &response(r#"{"error":"x"}"#));
        assert_eq!(responses.wrong.len(), 2);
    }

    #[test]
    fn a_hidden_field_is_found_by_its_name() {
        let html = r#"<input type="hidden" name="other" value="1"><input name="once" value="abc">"#;
        let page = Response { status: 200, location: String::new(), body: html.into() };
        assert_eq!((page.hidden("once").as_deref(), page.hidden("none")), (Some("abc"), None));
    }

    #[test]
    fn order_of_services_is_random_and_complete() {
        let generator = SeededGenerator::new(1, 2, 3);
        let firsts: Vec<usize> = (0..64)
            .map(|_| {
                let places: Vec<usize> = any_first(&generator, 2).collect();
                assert!(places == [0, 1] || places == [1, 0]);
                places[0]
            })
            .collect();
        let same = firsts.windows(2).filter(|two| two[0] == two[1]).count();
        assert!((10..54).contains(&same), "they do not take turns: {firsts:?}");
        assert_eq!(any_first(&generator, 0).count(), 0);
    }
}
