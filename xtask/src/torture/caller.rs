//! A correct client: it keeps its connections and retries until it has a response. Each attempt goes to any
//! of the services.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ledger::{Ledger, Responses};
use crate::fixtures::client::Connection;
use crate::seed::random::SeededGenerator;

/// Longer than the service may take for one request.
const NO_ANSWER: Duration = Duration::from_secs(40);
/// For how long a request is tried again.
const PATIENCE: Duration = Duration::from_secs(90);
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// How many requests go over one connection: new ones are made all the time.
const REQUESTS_OF_A_CONNECTION: u32 = 50;

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) bytes: Vec<u8>,
    /// Whether HTTP lets a client send it again when its connection is closed before a byte of the answer
    /// (RFC 9110, section 9.2.2): its method is idempotent, or its idempotency key makes it so.
    pub(super) repeatable: bool,
}

/// A final answer: its status is no 5xx.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// The body, or null where it is no JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The code of an error.
    pub(super) fn code(&self) -> String {
        let code = self.json();
        let code = code.pointer("/error/code").and_then(Value::as_str);
        code.unwrap_or_default().to_owned()
    }
}

/// A client of one or several services, of which any will do.
pub(super) struct Caller {
    targets: Arc<[SocketAddr]>,
    /// Which client of all this is; a twin is the same one.
    client: u64,
    generator: SeededGenerator,
    /// The connection to each service, with the number of requests that went over it.
    kept: BTreeMap<usize, (Connection, u32)>,
    ledger: Arc<Ledger>,
}

/// What became of one try.
enum Tried {
    Responded(Answer),
    /// To be tried again.
    Lost,
}

impl Caller {
    pub(super) fn new(
        targets: Arc<[SocketAddr]>,
        client: u64,
        generator: SeededGenerator,
        ledger: Arc<Ledger>,
    ) -> Self {
        ledger.open().answered_by.entry(client).or_default();
        Self { targets, client, generator, kept: BTreeMap::new(), ledger }
    }

    /// The same client once more, with connections of its own.
    pub(super) fn twin(&mut self) -> Self {
        Self::new(
            self.targets.clone(),
            self.client,
            SeededGenerator::new(self.generator.next(), 0, 0),
            self.ledger.clone(),
        )
    }

    /// Sends until there is a final answer; `None` when there is none for a very long time.
    pub(super) async fn ask(&mut self, ask: &Request) -> Option<Answer> {
        let begun = Instant::now();
        let mut pause = SHORTEST_PAUSE;
        while begun.elapsed() < PATIENCE {
            if let Tried::Responded(answer) = self.once(ask).await {
                let mut responses = self.ledger.open();
                responses.counts.answered += 1;
                *responses.answered_by.entry(self.client).or_default() += 1;
                return Some(answer);
            }
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
        let mut responses = self.ledger.open();
        responses.counts.given_up += 1;
        responses.wrong.push(format!("no final answer within {PATIENCE:?}: {}", first_line(&ask.bytes)));
        None
    }

    async fn once(&mut self, ask: &Request) -> Tried {
        let Some((place, (mut connection, used))) = self.connection().await else {
            return Tried::Lost;
        };
        let exchanged = tokio::time::timeout(NO_ANSWER, connection.exchange(&ask.bytes)).await;
        let mut responses = self.ledger.open();
        match exchanged {
            Ok(Ok(status)) => {
                let Ok((head, body)) = connection.last() else {
                    return Tried::Lost;
                };
                drop(responses);
                if !says_close(&head) && used < REQUESTS_OF_A_CONNECTION {
                    self.kept.insert(place, (connection, used.saturating_add(1)));
                }
                self.judge(Answer { status, body })
            }
            Ok(Err(error)) => {
                let line = first_line(&ask.bytes);
                if connection.received() > 0 {
                    responses.counts.torn += 1;
                    responses.trouble(format!("an answer broke off: {line}: {error}"));
                } else if used > 0 && ask.repeatable {
                    responses.counts.closed += 1;
                    responses.trouble(format!("a kept connection was closed: {line}: {error}"));
                } else {
                    responses.counts.cut_off += 1;
                    let which = if used > 0 { "a kept" } else { "a new" };
                    responses
                        .trouble(format!("{which} connection was closed with no answer: {line}: {error}"));
                }
                Tried::Lost
            }
            Err(_elapsed) => {
                let wrong = format!("no answer within {NO_ANSWER:?}: {}", first_line(&ask.bytes));
                responses.wrong.push(wrong.clone());
                responses.trouble(wrong);
                Tried::Lost
            }
        }
    }

    /// The place of any service, with the connection to it that was kept, or a new one if it listens, or else
    /// to another one that does.
    async fn connection(&mut self) -> Option<(usize, (Connection, u32))> {
        for place in any_first(&mut self.generator, self.targets.len()) {
            if let Some(kept) = self.kept.remove(&place) {
                if !kept.0.is_spoilt() {
                    return Some((place, kept));
                }
                // A client that looks before it sends goes on with a new one. Whether it was right to close
                // it depends on the scenario.
                let mut responses = self.ledger.open();
                responses.counts.closed += 1;
                responses.trouble("a kept connection was closed between two requests");
            }
            let target = *self.targets.get(place)?;
            match Connection::open(target).await {
                Ok(connection) => return Some((place, (connection, 0))),
                // With another one that listens, a balancer goes on to that without a word.
                Err(_refused) => self.ledger.open().counts.refused += 1,
            }
        }
        self.ledger.open().trouble("nobody listens");
        None
    }

    fn judge(&self, answer: Answer) -> Tried {
        let mut responses = self.ledger.open();
        if answer.status >= 500 {
            responses.counts.failed += 1;
            responses.trouble(format!("{} {}", answer.status, answer.code()));
            note_unless_standard(&mut responses, &answer);
            return Tried::Lost;
        }
        if answer.status == 409 && answer.code() == "IDEMPOTENT_REPLAY_IN_FLIGHT" {
            responses.counts.in_flight += 1;
            return Tried::Lost;
        }
        Tried::Responded(answer)
    }
}

/// So many places, one after the other, from any of them on.
fn any_first(generator: &mut SeededGenerator, count: usize) -> impl Iterator<Item = usize> + use<> {
    let places: Vec<usize> = (0..count).collect();
    let first = generator.pick(&places).copied().unwrap_or_default();
    places.into_iter().cycle().skip(first).take(count)
}

fn note_unless_standard(responses: &mut Responses, answer: &Answer) {
    let body = answer.json();
    let text = |path| body.pointer(path).and_then(Value::as_str);
    let standard = text("/error/code").is_some() && text("/error/message").is_some();
    if !standard {
        let body = String::from_utf8_lossy(&answer.body);
        let wrong = format!("{} without the standard body: {body:?}", answer.status);
        responses.wrong.push(wrong);
    }
}

fn says_close(head: &str) -> bool {
    head.lines().any(|line| line.eq_ignore_ascii_case("connection: close"))
}

fn first_line(request: &[u8]) -> String {
    let text = String::from_utf8_lossy(request);
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_standard_body() {
        let mut responses = Responses::default();
        let answer = |body: &str| Answer { status: 503, body: body.as_bytes().to_vec() };
        note_unless_standard(
            &mut responses,
            &answer(r#"{"error":{"code":"SERVICE_UNAVAILABLE","message":"later"}}"#),
        );
        assert!(responses.wrong.is_empty());
        note_unless_standard(&mut responses, &answer("<html>"));
        note_unless_standard(&mut responses, &answer(r#"{"error":"x"}"#));
        assert_eq!(responses.wrong.len(), 2);
    }

    #[test]
    fn any_service_may_be_asked_first_and_each_one_once() {
        let mut generator = SeededGenerator::new(1, 2, 3);
        let firsts: Vec<usize> = (0..64)
            .map(|_| {
                let places: Vec<usize> = any_first(&mut generator, 2).collect();
                assert!(places == [0, 1] || places == [1, 0]);
                places[0]
            })
            .collect();
        let same = firsts.windows(2).filter(|two| two[0] == two[1]).count();
        assert!((10..54).contains(&same), "they do not take turns: {firsts:?}");
        assert_eq!(any_first(&mut generator, 0).count(), 0);
    }

    #[test]
    fn a_connection_that_is_to_be_closed_is_not_kept() {
        assert!(says_close("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"));
        assert!(!says_close("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
    }
}
