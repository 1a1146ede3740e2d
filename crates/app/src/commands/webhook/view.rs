//! Endpoints and deliveries as commands print them.

use kernel::{Named as _, instant_text};
use serde::Serialize;
use webhooks::{Delivery, DeliveryAttempt, DeliveryState, Endpoint, EventName};

use crate::output::columns;

#[derive(Serialize)]
pub(in crate::commands) struct EndpointView {
    pub(super) endpoint_id: String,
    pub(super) url: String,
    events: Vec<&'static str>,
    enabled: bool,
    created_at: String,
}

impl EndpointView {
    pub(in crate::commands) fn new(endpoint: &Endpoint) -> Self {
        Self {
            endpoint_id: endpoint.id.to_string(),
            url: endpoint.url.to_string(),
            events: endpoint.events.iter().map(EventName::as_str).collect(),
            enabled: endpoint.enabled,
            created_at: instant_text(endpoint.created_at),
        }
    }
}

pub(super) fn endpoints(shown: &[EndpointView]) -> String {
    if shown.is_empty() {
        return "no endpoint yet: `countinghouse webhook add` registers one".to_owned();
    }
    let row = |one: &EndpointView| {
        let enabled = if one.enabled { "enabled" } else { "disabled" };
        vec![one.endpoint_id.clone(), enabled.to_owned(), one.url.clone(), one.events.join(",")]
    };
    let rows: Vec<_> = shown.iter().map(row).collect();
    columns(&["endpoint", "state", "url", "events"], &rows)
}

#[derive(Serialize)]
pub(super) struct DeliveryView {
    delivery_id: String,
    event_id: String,
    event: &'static str,
    endpoint_id: String,
    state: &'static str,
    attempts: Vec<AttemptView>,
    next_attempt_at: Option<String>,
}

#[derive(Serialize)]
struct AttemptView {
    number: u32,
    at: Option<String>,
    response_status: Option<u16>,
    response_body: Option<String>,
    error: Option<String>,
}

impl DeliveryView {
    pub(super) fn new(delivery: &Delivery) -> Self {
        Self {
            delivery_id: delivery.id.to_string(),
            event_id: delivery.event.to_string(),
            event: delivery.name.as_str(),
            endpoint_id: delivery.endpoint.to_string(),
            state: delivery.state.as_str(),
            attempts: attempts(delivery),
            next_attempt_at: delivery.next_attempt_at.map(instant_text),
        }
    }
}

/// The attempts that were begun. One without a record, unless it is the latest of a pending delivery, was
/// lost when its process died.
fn attempts(delivery: &Delivery) -> Vec<AttemptView> {
    let recorded = |number| delivery.attempts.iter().find(|one| one.number == number);
    let is_pending = delivery.state == DeliveryState::Pending;
    (1..=delivery.begun)
        .filter_map(|number| match recorded(number) {
            Some(attempt) => Some(AttemptView::recorded(attempt)),
            None if is_pending && number == delivery.begun => None,
            None => Some(AttemptView::lost(number)),
        })
        .collect()
}

impl AttemptView {
    fn recorded(attempt: &DeliveryAttempt) -> Self {
        Self {
            number: attempt.number,
            at: Some(instant_text(attempt.at)),
            response_status: attempt.response_status,
            response_body: attempt.response_body.clone(),
            error: attempt.error.clone(),
        }
    }

    fn lost(number: u32) -> Self {
        Self {
            number,
            at: None,
            response_status: None,
            response_body: None,
            error: Some("the process ended before it could record what came of it".to_owned()),
        }
    }

    fn text(&self) -> String {
        let came = match (self.response_status, &self.error) {
            (Some(status), None) => status.to_string(),
            (Some(status), Some(error)) => format!("{status}: {error}"),
            (None, Some(error)) => error.clone(),
            (None, None) => "nothing".to_owned(),
        };
        let at = self.at.as_deref().unwrap_or("-");
        format!("  {}. {at}  {came}", self.number)
    }
}

pub(super) fn deliveries(shown: &[DeliveryView]) -> String {
    if shown.is_empty() {
        return "no delivery".to_owned();
    }
    let text = |one: &DeliveryView| {
        let next = one.next_attempt_at.as_deref();
        let next = next.map_or(String::new(), |at| format!(", next attempt {at}"));
        let head = format!("{}  {}  {} to {}{next}", one.delivery_id, one.state, one.event, one.endpoint_id);
        let attempts = one.attempts.iter().map(AttemptView::text);
        std::iter::once(head).chain(attempts).collect::<Vec<_>>().join("\n")
    };
    shown.iter().map(text).collect::<Vec<_>>().join("\n")
}
