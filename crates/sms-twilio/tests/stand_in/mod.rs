//! A stand-in for Twilio on a local port. It checks every request against Twilio's public API description of
//! creating a message, responds as Twilio does, and signs its callbacks.
//!
//! End-to-end tests may include it with `#[path]`: it needs `base64`, `form_urlencoded`, `ring`, `serde_json`
//! and `tokio`.

pub(crate) mod callbacks;
pub(crate) mod contract;
/// The HTTP server of the stand-in for Stripe.
#[path = "../../../gateway-stripe/tests/stand_in/server.rs"]
#[expect(dead_code, reason = "queries and raw bodies are Stripe's")]
pub(crate) mod server;

use std::sync::{Arc, Mutex, MutexGuard};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use callbacks::SignedForm;
use server::{Request, Response, Server};

pub(crate) const ACCOUNT_SID: &str = "AC0123456789abcdef0123456789abcdef";
pub(crate) const AUTH_TOKEN: &str = "0123456789abcdefStandInToken0123";
pub(crate) const FROM: &str = "+14155550123";

/// What happens to the next call.
#[derive(Clone)]
pub(crate) enum InjectedFault {
    /// It is refused like this, and nothing is done.
    Respond(u16, Value),
    /// The message is accepted, and the connection closes without a response.
    LoseResponse,
    /// This is the response, whatever the call is.
    RespondRaw(u16, Vec<u8>),
}

/// A message that was accepted.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    pub(crate) sid: String,
    pub(crate) to: String,
    pub(crate) from: String,
    pub(crate) body: String,
    pub(crate) status_callback: String,
}

#[derive(Default)]
struct State {
    taken: Vec<Taken>,
    injected: Vec<InjectedFault>,
    faults: Vec<String>,
    calls: usize,
}

/// The stand-in.
pub(crate) struct StandIn {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl StandIn {
    pub(crate) async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        let server = Server::start(move |request| respond(&mut shared.lock().unwrap(), &request)).await;
        Self { server, state }
    }

    /// The base URL of its API.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// What happens to the next call; several are used one after the other.
    pub(crate) fn next(&self, fault: InjectedFault) {
        self.state().injected.push(fault);
    }

    pub(crate) fn taken(&self) -> Vec<Taken> {
        self.state().taken.clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.state().calls
    }

    /// What was wrong with requests. A test ends with none.
    pub(crate) fn faults(&self) -> Vec<String> {
        self.state().faults.clone()
    }

    /// A delivery receipt, as it is sent to the URL that came with the message.
    pub(crate) fn receipt(&self, message: &Taken, status: &str, error_code: Option<&str>) -> SignedForm {
        SignedForm::receipt(message, status, error_code)
    }

    /// A message to the account's number, as it is sent to this URL.
    pub(crate) fn inbound(&self, url: &str, from: &str, body: &str) -> SignedForm {
        let sid = message_sid(1_000_000 + self.state().calls);
        self.state().calls += 1;
        SignedForm::inbound(url, &sid, from, body)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn message_sid(number: usize) -> String {
    format!("SM{number:032x}")
}

fn respond(state: &mut State, request: &Request) -> Option<Response> {
    state.calls += 1;
    let credentials = STANDARD.encode(format!("{ACCOUNT_SID}:{AUTH_TOKEN}"));
    if request.header("authorization") != format!("Basic {credentials}") {
        return Some(refusal(401, 20003, "Authenticate"));
    }
    let faults = contract::faults(request, ACCOUNT_SID);
    if !faults.is_empty() {
        let text = faults.join("; ");
        state.faults.extend(faults);
        return Some(refusal(400, 21602, &text));
    }
    let fault = (!state.injected.is_empty()).then(|| state.injected.remove(0));
    match fault {
        Some(InjectedFault::Respond(status, body)) => return Some(Response::json(status, &body)),
        Some(InjectedFault::RespondRaw(status, body)) => return Some(Response::raw(status, body)),
        Some(InjectedFault::LoseResponse) | None => {}
    }
    let value = |name: &str| request.value(name).unwrap_or_default().to_owned();
    let message = Taken {
        sid: message_sid(state.taken.len() + 1),
        to: value("To"),
        from: value("From"),
        body: value("Body"),
        status_callback: value("StatusCallback"),
    };
    let response = Response::json(201, &created(&message));
    state.taken.push(message);
    (!matches!(fault, Some(InjectedFault::LoseResponse))).then_some(response)
}

/// An error as Twilio writes it.
pub(crate) fn error(status: u16, code: u32, message: &str) -> Value {
    let more = format!("https://www.twilio.com/docs/errors/{code}");
    json!({ "code": code, "message": message, "more_info": more, "status": status })
}

fn refusal(status: u16, code: u32, message: &str) -> Response {
    Response::json(status, &error(status, code, message))
}

fn created(message: &Taken) -> Value {
    let uri = format!("/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/{}", message.sid);
    json!({
        "account_sid": ACCOUNT_SID,
        "api_version": "2010-04-01",
        "body": message.body,
        "date_created": "Thu, 03 Dec 2026 09:00:00 +0000",
        "date_sent": null,
        "date_updated": "Thu, 03 Dec 2026 09:00:00 +0000",
        "direction": "outbound-api",
        "error_code": null,
        "error_message": null,
        "from": message.from,
        "messaging_service_sid": null,
        "num_media": "0",
        "num_segments": "1",
        "price": null,
        "price_unit": "USD",
        "sid": message.sid,
        "status": "queued",
        "subresource_uris": { "media": format!("{uri}/Media.json") },
        "to": message.to,
        "uri": format!("{uri}.json"),
    })
}
