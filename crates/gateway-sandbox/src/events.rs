//! Events: signed, and sent to the service over HTTP, as by a real gateway.

use kernel::{AccountId, Named as _, error_chain};
use payments::{GatewayAccount, GatewayError, GatewayKind, PaymentGateway, TimedSignature};
use url::Url;

use crate::payload::SandboxEvent;
use crate::sandbox::{Sandbox, unreachable_store};

impl Sandbox {
    pub(crate) async fn send_event(
        &self,
        account: AccountId,
        about: &str,
        subject: &str,
    ) -> Result<(), GatewayError> {
        let id = GatewayAccount::sandbox_id(account);
        let found = self.reads.gateway(account, id).await.map_err(|error| unreachable_store(&error))?;
        let gateway = found.ok_or(GatewayError::NotFound)?;
        let now = self.clock.now();
        let access = gateway.access(&self.keys, now);
        let access = access.map_err(|error| GatewayError::Refused(error.to_string()))?;
        let secret = access.webhook_secrets.first().ok_or(GatewayError::NotFound)?;
        let event = SandboxEvent {
            id: format!("evt_{about}_{subject}_{}", now.unix_timestamp()),
            about: about.to_owned(),
            subject: subject.to_owned(),
        };
        let body = serde_json::to_vec(&event).map_err(|fault| GatewayError::Refused(fault.to_string()))?;
        let signature = TimedSignature::sign(secret, &body, now);
        let url = self.urls.gateway_events(GatewayKind::Sandbox.as_str(), id);
        let url = Url::parse(&url).map_err(|fault| GatewayError::Refused(fault.to_string()))?;
        let request = self.client.post(url).header(self.signature_header(), signature);
        let response = self.client.send(request.header("Content-Type", "application/json").body(body)).await;
        let status = match response {
            Ok(response) => response.status,
            // The status tells whether the service took the event, whatever became of the body.
            Err(error) => {
                let unreachable = || GatewayError::Unreachable(error_chain(&error));
                error.status().ok_or_else(unreachable)?
            }
        };
        if status.is_success() { Ok(()) } else { Err(GatewayError::Refused(status.to_string())) }
    }
}
