//! A stand-in for Stripe on a local port. It checks every request against the facts of Stripe's OpenAPI
//! document (`tests/openapi/operations.json`), implements the documented behaviour that the adapter uses,
//! lets a test play the payer, the bank and Stripe's dashboard, and signs events as Stripe does.
//!
//! End-to-end tests and `cargo xtask torture` include it with `#[path]`: it needs `form_urlencoded`,
//! `kernel`, `reqwest`, `ring`, `serde_json`, `time` and `tokio`.

pub(crate) mod contract;
pub(crate) mod deliveries;
pub(crate) mod ledger;
pub(crate) mod server;
pub(crate) mod world;

use std::sync::{Arc, Mutex, MutexGuard};

use kernel::Clock;
use serde_json::{Value, json};

use contract::Contract;
use deliveries::Deliveries;
use server::{Request, Response, Server};
use world::World;

pub(crate) const KEY: &str = "rk_test_51StandInOwner";
pub(crate) const WEBHOOK_SECRET: &str = "whsec_standInOfTheOwner1";

/// The fault of a call.
#[derive(Clone)]
pub(crate) enum InjectedFault {
    /// The call is refused with this response, and nothing is done.
    Respond(u16, Value),
    /// The call is carried out, and the connection closes without a response.
    LoseResponse,
    /// The response is replaced by this, whatever the call.
    RespondRaw(u16, Vec<u8>),
    /// The call fails with this response, which is repeated for its idempotency key.
    Fail(u16, Value),
}

/// Chooses the fault of each call for which none is queued.
type InjectedFaults = Box<dyn FnMut() -> Option<InjectedFault> + Send>;

struct State {
    world: World,
    /// Faults, and the call that each is for if it is not for any.
    queued: Vec<(Option<&'static str>, InjectedFault)>,
    /// The fault of the next call that is made with another key than the owner's.
    for_another_key: Option<InjectedFault>,
    injected: Option<InjectedFaults>,
    faults: Vec<String>,
    calls: Vec<String>,
}

/// A running stand-in for Stripe.
pub(crate) struct StandIn {
    server: Server,
    state: Arc<Mutex<State>>,
    clock: Arc<dyn Clock>,
}

impl StandIn {
    pub(crate) async fn start(clock: Arc<dyn Clock>) -> Self {
        let state = State {
            world: World::new(clock.clone()),
            queued: Vec::new(),
            for_another_key: None,
            injected: None,
            faults: Vec::new(),
            calls: Vec::new(),
        };
        let state = Arc::new(Mutex::new(state));
        let (contract, shared) = (Contract::load(), state.clone());
        let server = Server::start(move |request| respond(&contract, &mut shared.lock().unwrap(), &request));
        Self { server: server.await, state, clock }
    }

    /// The base URL of its API.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Plays the payer, the bank, or the owner at Stripe's dashboard.
    pub(crate) fn world<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        act(&mut self.state().world)
    }

    /// Queues a fault for the next call; several are used one after the other.
    pub(crate) fn next(&self, fault: InjectedFault) {
        self.state().queued.push((None, fault));
    }

    /// Queues a fault for the next such call, like `POST /v1/refunds`: the service's workers may make others
    /// before it.
    pub(crate) fn next_call(&self, call: &'static str, fault: InjectedFault) {
        self.state().queued.push((Some(call), fault));
    }

    /// Sets the fault of the next call that is made with another key than the owner's.
    pub(crate) fn next_with_another_key(&self, fault: InjectedFault) {
        self.state().for_another_key = Some(fault);
    }

    /// Chooses the fault of each call from now on.
    pub(crate) fn inject_faults(&self, faults: impl FnMut() -> Option<InjectedFault> + Send + 'static) {
        self.state().injected = Some(Box::new(faults));
    }

    /// The calls so far, each like `POST /v1/refunds`.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.state().calls.clone()
    }

    /// The faults of requests, and of the stand-in's own responses. A test must end with none.
    pub(crate) fn faults(&self) -> Vec<String> {
        self.state().faults.clone()
    }

    /// The events that were not taken yet.
    pub(crate) fn events(&self) -> Deliveries {
        Deliveries::new(self.state().world.take_events(), WEBHOOK_SECRET, self.clock.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn respond(contract: &Contract, state: &mut State, request: &Request) -> Option<Response> {
    let call = format!("{} {}", request.method, request.path);
    let next = state.queued.iter().position(|(of, _)| of.is_none_or(|of| of == call));
    state.calls.push(call);
    let checked = contract.check(request);
    let fault = if !state.world.is_owners(request) && state.for_another_key.is_some() {
        state.for_another_key.take()
    } else if let Some(next) = next {
        Some(state.queued.remove(next).1)
    } else {
        state.injected.as_mut().and_then(|next| next())
    };
    let (operation, id) = match checked {
        Ok(found) => found,
        Err(faults) => {
            let text = faults.join("; ");
            state.faults.extend(faults);
            return Some(Response::json(400, &json!({ "error": { "message": text } })));
        }
    };
    match fault.clone() {
        Some(InjectedFault::Respond(status, body)) => return Some(Response::json(status, &body)),
        Some(InjectedFault::RespondRaw(status, body)) => return Some(Response::raw(status, body)),
        Some(InjectedFault::Fail(status, body)) => state.world.keep(request, (status, body)),
        Some(InjectedFault::LoseResponse) | None => {}
    }
    let is_replayed = fault.is_none() && state.world.has_kept(request);
    let (status, body) = state.world.respond(&operation.name, id.as_deref(), request);
    if status == 200 {
        state.faults.extend(contract.check_response(&operation, &body));
    }
    let response = Response { is_replayed, ..Response::json(status, &body) };
    (!matches!(fault, Some(InjectedFault::LoseResponse))).then_some(response)
}
