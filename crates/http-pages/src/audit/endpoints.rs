//! Audit entries of webhook endpoints, for the dashboard and the operator's commands.

use sessions::AuditedChange;
use webhooks::{Endpoint, EndpointChange, EventName, NewEndpoint};

/// The content of the entry for an endpoint that is registered.
#[must_use]
pub fn added(new: &NewEndpoint) -> AuditedChange {
    let events = new.events.iter().map(EventName::as_str).collect::<Vec<_>>().join(", ");
    AuditedChange::of("webhook_endpoint.added").to(format!("{} ({events})", new.url.as_str()))
}

/// The content of the entry for an endpoint that is enabled, disabled or deleted.
#[must_use]
pub fn changed(endpoint: &Endpoint, change: EndpointChange) -> AuditedChange {
    let action = match change {
        EndpointChange::Enable => "webhook_endpoint.enabled",
        EndpointChange::Disable => "webhook_endpoint.disabled",
        EndpointChange::Delete => "webhook_endpoint.deleted",
    };
    AuditedChange::of(action).to(format!("{} ({})", endpoint.url.as_str(), endpoint.id))
}
