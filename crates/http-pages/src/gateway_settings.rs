//! The part of `/dashboard/settings/payments` that connects and disconnects gateways.

use http_server::ApiError;
use kernel::{FieldErrors, FieldSource as _, Named as _};
use payments::{ConnectError, GatewayAccountId, GatewayKind, GatewaySecret, GatewaySecrets};

use crate::audit;
use crate::forms::{FormError, FormFields, FormReader, PageError};
use crate::session_caller::SessionCaller;

/// Connects a gateway, or replaces its secrets. No page ever shows the secrets again.
pub(crate) async fn connect(caller: &SessionCaller, kind: &str, form: &FormFields) -> Result<(), FormError> {
    let kind = GatewayKind::parse(kind).map_err(|_unknown| PageError::not_found())?;
    let mut reader = FormReader::new(form);
    let key = reader.text("key", GatewaySecret::parse);
    let webhook_secret = reader.text("webhook_secret", GatewaySecret::parse);
    let faults = reader.into_faults();
    if !faults.is_empty() {
        return Err(faults.into());
    }
    let secrets = GatewaySecrets { key: key.value(), webhook_secret: webhook_secret.value() };
    let online = caller.audited(audit::gateways::connected(kind, &secrets)).online;
    online.connect(caller.scope().id, kind, &secrets).await.map_err(to_form_error)?;
    Ok(())
}

pub(crate) async fn disconnect(caller: &SessionCaller, id: &str) -> Result<(), FormError> {
    let id = GatewayAccountId::parse(id).ok_or_else(PageError::not_found)?;
    let account = caller.scope().id;
    let found = caller.state().online.reads.gateway(account, id).await?;
    let kind = found.filter(|gateway| gateway.kind.is_live()).ok_or_else(PageError::not_found)?.kind;
    let online = caller.audited(audit::gateways::disconnected(kind)).online;
    let gone = online.disconnect(account, id).await.map_err(to_form_error)?;
    gone.map(drop).ok_or_else(|| PageError::not_found().into())
}

fn to_form_error(error: ConnectError) -> FormError {
    match error {
        ConnectError::KeyMissing => FieldErrors::one("key", "is required").into(),
        ConnectError::KeyRefused(_) => {
            FieldErrors::one("key", "is refused by the gateway, or permits too little").into()
        }
        ConnectError::NotAWebhookSecret(prefix) => {
            let fault =
                format!("must begin with {prefix}: it is the endpoint's signing secret at the gateway");
            FieldErrors::one("webhook_secret", fault).into()
        }
        ConnectError::EarlierKeyNeeded => PageError::conflict(error.to_string()).into(),
        ConnectError::NotFound | ConnectError::UnknownGateway | ConnectError::SandboxStays => {
            PageError::not_found().into()
        }
        ConnectError::Store(error) => error.into(),
        ConnectError::Unsealable(_) => ApiError::internal(error).into(),
    }
}
