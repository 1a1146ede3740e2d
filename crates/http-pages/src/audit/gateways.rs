//! Audit entries of gateways, for the dashboard and the operator's commands.

use kernel::Named as _;
use payments::{GatewayKind, GatewaySecrets};
use sessions::AuditedChange;

/// The content of the entry for a gateway that is connected, or whose secrets are replaced.
#[must_use]
pub fn connected(kind: GatewayKind, secrets: &GatewaySecrets) -> AuditedChange {
    let entered = match (&secrets.key, &secrets.webhook_secret) {
        (Some(_), Some(_)) => "key and webhook secret",
        (Some(_), None) => "key",
        (None, _) => "webhook secret",
    };
    AuditedChange::of("gateway.connected").to(format!("{}: {entered}", kind.as_str()))
}

/// The content of the entry for a gateway that is disconnected.
#[must_use]
pub fn disconnected(kind: GatewayKind) -> AuditedChange {
    AuditedChange::of("gateway.disconnected").from(kind.as_str())
}
