//! Checkouts as a visitor sees and changes them.

use async_trait::async_trait;
use kernel::{AccountId, StoreError, StoreResult};
use payments::{ChargeId, GatewayError, SandboxActed, SandboxAction, SandboxCheckouts, SandboxShown};

use crate::checkout::{DEBITS_TAKE, account_of};
use crate::sandbox::Sandbox;

#[async_trait]
impl SandboxCheckouts for Sandbox {
    async fn find(&self, id: &str) -> StoreResult<Option<SandboxShown>> {
        let Some(account) = account_of(id) else {
            return Ok(None);
        };
        let Some((_, checkout)) = self.find_stored(account, id).await.map_err(store_error)? else {
            return Ok(None);
        };
        Ok(Some(SandboxShown {
            account,
            amount: checkout.money(checkout.amount).map_err(store_error)?,
            is_open: checkout.is_open(self.clock.now()),
            description: checkout.description,
            company_name: checkout.company_name,
            return_url: checkout.return_url,
        }))
    }

    async fn act(&self, id: &str, action: SandboxAction) -> StoreResult<Option<SandboxActed>> {
        let Some(account) = account_of(id) else {
            return Ok(None);
        };
        let now = self.clock.now();
        let changed = self.change(account, id, |checkout| {
            if !checkout.is_open(now) {
                return Ok(None);
            }
            Ok(Some(match action {
                SandboxAction::Decline => vec![checkout.charge(now, true, false)],
                SandboxAction::PayLater => {
                    vec![checkout.charge(now.saturating_add(DEBITS_TAKE), false, true)]
                }
                SandboxAction::Pay | SandboxAction::LoseAnswer => vec![checkout.charge(now, false, false)],
                SandboxAction::PayTwice => {
                    vec![checkout.charge(now, false, false), checkout.charge(now, false, false)]
                }
            }))
        });
        let (checkout, charges) = match changed.await {
            Ok(changed) => changed,
            Err(GatewayError::NotFound) => return Ok(None),
            Err(error) => return Err(store_error(error)),
        };
        let Some(charges) = charges else {
            return Ok(Some(SandboxActed::Closed));
        };
        if action == SandboxAction::LoseAnswer {
            return Ok(Some(SandboxActed::CloseWithoutResponse));
        }
        self.send_events(account, id, charges).await;
        Ok(Some(SandboxActed::GoTo(checkout.return_url)))
    }
}

impl Sandbox {
    /// Sends the events of a visitor's action in the background. If one gets lost, the service finds the
    /// change when it polls.
    async fn send_events(&self, account: AccountId, id: &str, charges: Vec<ChargeId>) {
        let sandbox = self.clone();
        let id = id.to_owned();
        tokio::spawn(async move {
            let subjects = charges.iter().map(|charge| ("charge", charge.0.clone()));
            for (about, subject) in subjects.chain([("checkout", id)]) {
                if let Err(error) = sandbox.send_event(account, about, &subject).await {
                    tracing::warn!(error = %error, "an event of the sandbox was not delivered");
                }
            }
        });
    }
}

/// The sandbox's other side is our own store: if it is unreachable, the database is not available.
fn store_error(error: GatewayError) -> StoreError {
    match error {
        GatewayError::Unreachable(_) => StoreError::Unavailable(Box::new(error)),
        error => StoreError::Failed(Box::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreachable_store_is_an_outage() {
        let unreachable = GatewayError::Unreachable("the sandbox's store failed".to_owned());
        assert!(matches!(store_error(unreachable), StoreError::Unavailable(_)));
        assert!(matches!(store_error(GatewayError::NotFound), StoreError::Failed(_)));
    }
}
