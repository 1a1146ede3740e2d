//! Updates stored payments to the gateway's state. Everything is fetched; nothing is taken from events.

use std::sync::Arc;

use kernel::{AccountId, StoreError, StoreResult, Unsealable, retry_contended};
use time::OffsetDateTime;

use super::charge::Charge;
use super::gateway_account::GatewayAccount;
use super::intent::{Intent, IntentState};
use super::online_payments::{OnlinePayments, live};
use super::ports::OnlineTx;
use super::settle::{SettleError, Settled};
use crate::gateway::{
    ChargeId, ChargeReport, ChargeState, CheckoutId, CheckoutReport, CheckoutState, GatewayAccess,
    GatewayAccountId, GatewayError, IntentId, PaymentGateway,
};

/// Why a payment was not reconciled. It is retried later.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// The call to the gateway failed.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// A charge cannot be settled.
    #[error("a charge cannot be settled: {0}")]
    Settle(invoices::PaymentRefused),
    /// This process does not have the gateway, or the gateway account does not exist.
    #[error("the gateway is not there")]
    NoGateway,
    /// The gateway's secrets cannot be unsealed.
    #[error(transparent)]
    Unsealable(#[from] Unsealable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SettleError> for ReconcileError {
    fn from(error: SettleError) -> Self {
        match error {
            SettleError::Refused(refused) => Self::Settle(refused),
            SettleError::Store(error) => Self::Store(error),
        }
    }
}

impl OnlinePayments {
    /// The adapter for calls about a payment that was begun at a gateway account. `None` if that was in the
    /// sandbox and this process has none: no money moves there, and it has no such payment any more.
    ///
    /// # Errors
    /// A [`ReconcileError::NoGateway`] if this process does not have a live gateway: the payment waits for a
    /// process that has it.
    pub(crate) fn adapter_of(
        &self,
        gateway: &GatewayAccount,
    ) -> Result<Option<&Arc<dyn PaymentGateway>>, ReconcileError> {
        match self.adapter(gateway.kind) {
            None if gateway.kind.is_live() => Err(ReconcileError::NoGateway),
            found => Ok(found),
        }
    }

    /// Whether a gateway account is the sandbox's and this process has no sandbox.
    pub(crate) fn is_off(&self, gateway: &GatewayAccount) -> bool {
        matches!(self.adapter_of(gateway), Ok(None))
    }

    /// Fetches the checkout of an intent and settles all of its charges. Returns the updated intent.
    pub async fn reconcile(&self, intent: &Intent) -> Result<Intent, ReconcileError> {
        let gateway = self.reads.gateway(intent.account, intent.gateway_account).await?;
        self.reconcile_at(&gateway.ok_or(ReconcileError::NoGateway)?, intent).await
    }

    pub(crate) async fn reconcile_at(
        &self,
        gateway: &GatewayAccount,
        intent: &Intent,
    ) -> Result<Intent, ReconcileError> {
        let is_over = intent.expires_at <= self.now() || intent.state == IntentState::Expiring;
        let intent =
            if intent.checkout.is_none() && is_over { &self.end_unopened(intent).await? } else { intent };
        let (Some(checkout), false) = (intent.checkout_id(), intent.state == IntentState::Ended) else {
            // Without a checkout, the payer was never sent to the gateway. A charge that names the intent is
            // settled nevertheless.
            return Ok(intent.clone());
        };
        let report = match self.fetch_checkout(gateway, intent, checkout).await? {
            Ok(report) => report,
            Err(GatewayError::NotFound) => return self.end_lost(intent).await,
            Err(error) => return Err(error.into()),
        };
        // With the key, the metadata of a charge at the gateway can be changed to name another intent.
        let mut charges: Vec<_> =
            report.charges.iter().filter(|charge| charge.intent == Some(intent.id)).collect();
        charges.sort_by_key(|charge| (charge.captured_at, &charge.id));
        let mut is_pending = false;
        for charge in &charges {
            // As it is stored: what was begun in the sandbox fails once the account has a live gateway.
            let settled = self.settle_at(gateway, charge).await?;
            is_pending |= matches!(&settled, Settled::Stored(one) if one.state == ChargeState::Pending);
        }
        let state = match report.state {
            CheckoutState::Open => return Ok(intent.clone()),
            _ if is_pending => IntentState::Pending,
            CheckoutState::Ordered => IntentState::Pending,
            CheckoutState::Complete | CheckoutState::Expired => IntentState::Ended,
        };
        self.note_state(intent, state).await
    }

    /// Settles a charge of a gateway account. What was begun in the sandbox pays nothing once the account has
    /// a live gateway.
    pub(crate) async fn settle_at(
        &self,
        gateway: &GatewayAccount,
        report: &ChargeReport,
    ) -> Result<Settled, ReconcileError> {
        let at = (gateway.account, gateway.id);
        if !gateway.kind.is_live() && self.is_replaced(gateway, report).await? {
            let failed = ChargeReport { state: ChargeState::Failed, ..report.clone() };
            return Ok(self.settle(at, &failed).await?);
        }
        Ok(self.settle(at, report).await?)
    }

    /// Whether the account got a live gateway after the payment of a charge was begun in the sandbox.
    async fn is_replaced(&self, gateway: &GatewayAccount, report: &ChargeReport) -> StoreResult<bool> {
        let Some(intent) = self.intent_of(gateway, report).await? else {
            return Ok(false);
        };
        let gateways = self.reads.gateways(gateway.account).await?;
        let is_live = |one: &GatewayAccount| one.kind.is_live() && one.connected_at >= intent.created_at;
        Ok(live(&gateways, self.now()).is_some() || gateways.iter().any(is_live))
    }

    /// Fetches a checkout with the key that it was opened with. If the gateway refuses that key, because its
    /// owner revoked it there when another replaced it, the checkout is looked for with the other one. That
    /// may be of another company at the gateway, or be refused too: a checkout which no key reaches is not
    /// there any more when it can no longer be paid, unless a further key is to come into force.
    async fn fetch_checkout(
        &self,
        gateway: &GatewayAccount,
        intent: &Intent,
        checkout: &CheckoutId,
    ) -> Result<Result<CheckoutReport, GatewayError>, ReconcileError> {
        let now = self.now();
        let Some(adapter) = self.adapter_of(gateway)? else {
            return Ok(Err(GatewayError::NotFound));
        };
        let access = gateway.access(&self.keys, intent.created_at)?;
        let mut fetched = adapter.fetch_checkout(&access, checkout).await;
        let is_refused = matches!(fetched, Err(GatewayError::KeyRefused(_)));
        if is_refused && gateway.has_newer_key(intent.created_at, now) {
            let newer = gateway.access(&self.keys, now)?;
            fetched = match adapter.fetch_checkout(&newer, checkout).await {
                Err(GatewayError::NotFound) if !intent.is_over(now) => fetched,
                found => found,
            };
        }
        Ok(match fetched {
            Err(GatewayError::KeyRefused(_)) if intent.is_over(now) && gateway.pending_key(now).is_none() => {
                Err(GatewayError::NotFound)
            }
            fetched => fetched,
        })
    }

    async fn note_state(&self, of: &Intent, state: IntentState) -> Result<Intent, ReconcileError> {
        if of.state == state {
            return Ok(of.clone());
        }
        retry_contended(async || {
            let mut tx = self.store.begin(of.account).await?;
            tx.invoices().lock(of.invoice).await?;
            let intent = put_state(&mut *tx, of, state).await?;
            tx.commit().await?;
            Ok::<_, ReconcileError>(intent)
        })
        .await
    }

    /// Ends an intent whose checkout the gateway does not have. Its debits that are pending will not be heard
    /// of, and must not keep the invoice from being paid. One that is reported as captured nevertheless is
    /// settled.
    async fn end_lost(&self, of: &Intent) -> Result<Intent, ReconcileError> {
        retry_contended(async || {
            let mut tx = self.store.begin(of.account).await?;
            tx.invoices().lock(of.invoice).await?;
            let charges = tx.online().charges(of.invoice).await?.into_iter();
            let is_lost = |one: &Charge| one.intent == of.id && one.state == ChargeState::Pending;
            for charge in charges.filter(is_lost) {
                let failed = Charge { state: ChargeState::Failed, ..charge };
                tx.online().update_charge(&failed).await?;
            }
            let intent = put_state(&mut *tx, of, IntentState::Ended).await?;
            tx.commit().await?;
            Ok::<_, ReconcileError>(intent)
        })
        .await
    }

    /// Expires the checkout of an intent at the gateway, and settles the charges made until then.
    ///
    /// # Errors
    /// A [`ReconcileError`]; while the intent is not over, a refusal counts as one that may pass.
    pub async fn expire(&self, account: AccountId, id: IntentId) -> Result<(), ReconcileError> {
        let Some(intent) = self.reads.intent(account, id).await? else {
            return Ok(());
        };
        let gateway = self.reads.gateway(account, intent.gateway_account).await?;
        let gateway = gateway.ok_or(ReconcileError::NoGateway)?;
        let intent = if intent.checkout.is_none() { self.end_unopened(&intent).await? } else { intent };
        if let (Some(checkout), false) = (intent.checkout_id(), intent.state == IntentState::Ended)
            && let Some(adapter) = self.adapter_of(&gateway)?
        {
            let access = gateway.access(&self.keys, intent.created_at)?;
            let mut expired = adapter.expire_checkout(&access, checkout).await;
            if matches!(expired, Err(GatewayError::KeyRefused(_)))
                && gateway.has_newer_key(intent.created_at, self.now())
            {
                let newer = gateway.access(&self.keys, self.now())?;
                expired = adapter.expire_checkout(&newer, checkout).await;
            }
            match expired {
                Ok(()) | Err(GatewayError::NotFound) => {}
                // For example because a payment is in progress, which may end without a charge.
                Err(refused) if !refused.may_pass() && !intent.is_over(self.now()) => {
                    return Err(GatewayError::NotYet(refused.to_string()).into());
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.reconcile_at(&gateway, &intent).await.map(drop)
    }

    /// Follows up an event about a checkout.
    pub async fn follow_up_checkout(
        &self,
        account: AccountId,
        gateway: GatewayAccountId,
        checkout: &CheckoutId,
    ) -> Result<(), ReconcileError> {
        match self.reads.intent_of(account, gateway, checkout).await? {
            Some(intent) => self.reconcile(&intent).await.map(drop),
            None => Ok(()),
        }
    }

    /// Fetches a charge with the key that its payment was begun with, or else with the one that replaced it,
    /// and settles it. Also returns what it was found with; `None` when no key finds it.
    pub(crate) async fn refresh_charge(
        &self,
        charge: &Charge,
    ) -> Result<Option<(ChargeReport, GatewayAccess)>, ReconcileError> {
        let gateway = self.reads.gateway(charge.account, charge.gateway_account).await?;
        let gateway = gateway.ok_or(ReconcileError::NoGateway)?;
        let Some(adapter) = self.adapter_of(&gateway)? else {
            return Ok(None);
        };
        let begun_at = self.begun_at(charge).await?;
        let mut access = gateway.access(&self.keys, begun_at)?;
        let mut fetched = adapter.fetch_charge(&access, &charge.gateway_id).await;
        if is_of_no_use(&fetched) && gateway.has_newer_key(begun_at, self.now()) {
            let newer = gateway.access(&self.keys, self.now())?;
            let found = adapter.fetch_charge(&newer, &charge.gateway_id).await;
            if !is_of_no_use(&found) {
                (access, fetched) = (newer, found);
            }
        }
        match fetched {
            Ok(report) => {
                self.settle_at(&gateway, &report).await?;
                Ok(Some((report, access)))
            }
            Err(GatewayError::NotFound) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// When the payment of a charge was begun, which decides the key for calls about it.
    pub(crate) async fn begun_at(&self, charge: &Charge) -> StoreResult<OffsetDateTime> {
        let intent = self.reads.intent(charge.account, charge.intent).await?;
        Ok(intent.map_or(charge.captured_at, |intent| intent.created_at))
    }

    /// Follows up an event about a charge, which may be of the company of a replaced key.
    pub async fn follow_up_charge(
        &self,
        account: AccountId,
        gateway: GatewayAccountId,
        charge: &ChargeId,
    ) -> Result<(), ReconcileError> {
        let now = self.now();
        let gateway = self.reads.gateway(account, gateway).await?.ok_or(ReconcileError::NoGateway)?;
        let Some(adapter) = self.adapter_of(&gateway)? else {
            return Ok(());
        };
        let access = gateway.access(&self.keys, now)?;
        let fetched = adapter.fetch_charge(&access, charge).await;
        if let Ok(report) = &fetched
            && self.settle_by_key_in_force(&gateway, report, now).await?
        {
            return Ok(());
        }
        if (fetched.is_ok() || is_of_no_use(&fetched))
            && let Some((replaced, replaced_at)) = gateway.replaced_access(&self.keys, now)?
        {
            let found = adapter.fetch_charge(&replaced, charge).await;
            if !is_of_no_use(&found) {
                return self.settle_by_replaced(&gateway, replaced_at, &found?).await;
            }
        }
        match fetched {
            Ok(_) | Err(GatewayError::NotFound) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Settles a charge that the key in force shows. If its owner undid the key, it may be an intruder's:
    /// then it settles only what was captured before that, of payments that were begun with it. Returns
    /// whether the key may settle the charge. `now` is when the key was chosen.
    pub(crate) async fn settle_by_key_in_force(
        &self,
        gateway: &GatewayAccount,
        report: &ChargeReport,
        now: OffsetDateTime,
    ) -> Result<bool, ReconcileError> {
        if let Some(undone_at) = gateway.undone_at.filter(|_at| gateway.is_undone(now)) {
            let intent = self.intent_of(gateway, report).await?;
            let was_begun_with_it = intent.is_some_and(|one| !gateway.has_newer_key(one.created_at, now));
            if !was_begun_with_it || report.captured_at >= undone_at {
                return Ok(false);
            }
        }
        self.settle_at(gateway, report).await.map(|_settled| true)
    }

    /// Settles a charge that a replaced key shows, provided that its payment was begun before the key was
    /// replaced. The key may now be another person's, whose charges must not settle later payments.
    pub(crate) async fn settle_by_replaced(
        &self,
        gateway: &GatewayAccount,
        replaced_at: OffsetDateTime,
        report: &ChargeReport,
    ) -> Result<(), ReconcileError> {
        match self.intent_of(gateway, report).await? {
            Some(intent) if intent.created_at < replaced_at => {
                self.settle_at(gateway, report).await.map(drop)
            }
            _ => Ok(()),
        }
    }

    async fn intent_of(
        &self,
        gateway: &GatewayAccount,
        report: &ChargeReport,
    ) -> StoreResult<Option<Intent>> {
        match report.intent {
            Some(id) => self.reads.intent(gateway.account, id).await,
            None => Ok(None),
        }
    }
}

/// Whether a key does not reach a charge: it was revoked at the gateway, or is of another company there.
const fn is_of_no_use(fetched: &Result<ChargeReport, GatewayError>) -> bool {
    matches!(fetched, Err(GatewayError::NotFound | GatewayError::KeyRefused(_)))
}

/// Stores the state of an intent of a locked invoice.
async fn put_state(tx: &mut dyn OnlineTx, of: &Intent, state: IntentState) -> StoreResult<Intent> {
    let intent = tx.online().intent(of.id).await?.unwrap_or_else(|| of.clone());
    let intent = Intent { state, ..intent };
    tx.online().put_intent(&intent).await?;
    Ok(intent)
}
