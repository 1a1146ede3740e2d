//! The service whose methods are the use cases of online payments.

use std::sync::Arc;

use invoices::{Invoicing, PaymentId};
use kernel::{AccountId, Money, SealingKeys, SecureRandom, StoreResult};
use time::{Duration, OffsetDateTime};

use super::gateway_account::GatewayAccount;
use super::ports::{OnlineFigures, OnlineReads, OnlineStore};
use crate::gateway::{GatewayKind, PaymentGateway};

/// The use cases of online payments, over their ports.
#[derive(Clone)]
pub struct OnlinePayments {
    /// Begins transactions.
    pub store: Arc<dyn OnlineStore>,
    /// Reads outside any transaction.
    pub reads: Arc<dyn OnlineReads>,
    /// Records payments; also provides the clock, ids and addresses.
    pub invoicing: Invoicing,
    /// The gateways of this process. The sandbox is included only if it is on.
    pub gateways: Vec<Arc<dyn PaymentGateway>>,
    /// The keys that seal the gateways' secrets.
    pub keys: Arc<SealingKeys>,
    /// The random source for secrets.
    pub random: Arc<dyn SecureRandom>,
    /// The delay until a replacing key comes into force.
    pub delay: Duration,
}

impl OnlinePayments {
    /// The adapter of a gateway, if this process has it.
    #[must_use]
    pub fn adapter(&self, kind: GatewayKind) -> Option<&Arc<dyn PaymentGateway>> {
        self.gateways.iter().find(|gateway| gateway.kind() == kind)
    }

    /// The gateway that the payers of an account pay through: the live gateway that was connected last, or,
    /// if the account has none, the sandbox if it is on.
    #[must_use]
    pub fn kind_for(&self, gateways: &[GatewayAccount]) -> Option<GatewayKind> {
        match live(gateways, self.now()) {
            Some(gateway) => self.adapter(gateway.kind).map(|_| gateway.kind),
            None => self.adapter(GatewayKind::Sandbox).map(|sandbox| sandbox.kind()),
        }
    }

    /// Whether payers of an account are offered a gateway.
    pub async fn are_offered(&self, account: AccountId) -> StoreResult<bool> {
        Ok(self.kind_for(&self.reads.gateways(account).await?).is_some())
    }

    /// Whether an account has a live gateway, and therefore no sandbox.
    pub async fn has_live_gateway(&self, account: AccountId) -> StoreResult<bool> {
        Ok(live(&self.reads.gateways(account).await?, self.now()).is_some())
    }

    /// The amounts recently paid online and refunded, and those in progress, for each currency.
    pub async fn figures(&self, account: AccountId) -> StoreResult<Vec<OnlineFigures>> {
        self.reads.figures(account, self.now() - Duration::days(OnlineFigures::DAYS)).await
    }

    /// The refunded part of a payment, if any.
    pub async fn refunded(&self, account: AccountId, payment: PaymentId) -> StoreResult<Option<Money>> {
        let Some(charge) = self.reads.charge_of(account, payment).await? else {
            return Ok(None);
        };
        Ok(self.reads.of_invoice(account, charge.invoice).await?.refunded(payment))
    }

    pub(crate) fn now(&self) -> OffsetDateTime {
        self.invoicing.clock.now()
    }
}

/// The live gateway of an account.
pub(crate) fn live(gateways: &[GatewayAccount], now: OffsetDateTime) -> Option<&GatewayAccount> {
    gateways.iter().rev().find(|gateway| gateway.is_connected(now) && gateway.kind.is_live())
}
