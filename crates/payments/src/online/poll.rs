//! What a worker polls: open checkouts, and the gateways' lists of changed charges.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use kernel::{AccountId, OneFailed, StoreError};
use time::{Duration, OffsetDateTime};

use super::gateway_account::GatewayAccount;
use super::intent::Intent;
use super::online_payments::OnlinePayments;
use super::reconcile::ReconcileError;
use crate::gateway::{GatewayAccess, GatewayAccountId, GatewayError, PaymentGateway};

/// How many rows are read at a time.
const BATCH: u32 = 500;

/// How many checkouts are fetched concurrently.
const AT_ONCE: usize = 8;

/// How far a listing overlaps the previous one, to include charges that the gateway stored late.
const OVERLAP: Duration = Duration::minutes(10);

/// How far back the first listing of a gateway account reaches.
const FIRST_LISTING: Duration = Duration::hours(25);

/// Why a round ended early.
pub type PollError = StoreError;

impl OnlinePayments {
    /// Reconciles the open intents of all accounts, and returns how many. Failures are logged and retried in
    /// the next round.
    ///
    /// # Errors
    /// A [`StoreError`]; if it concerns one account alone, the others' intents were reconciled.
    pub async fn poll_open(&self) -> Result<u64, PollError> {
        let (mut after, mut polled, mut failures) = (None, 0_u64, OneFailed::default());
        let mut gateways = HashMap::new();
        loop {
            let batch = self.reads.open_intents(after, BATCH).await?;
            let Some(last) = batch.last() else {
                return failures.into_result().map(|()| polled);
            };
            after = Some(last.0);
            let mut intents = Vec::with_capacity(batch.len());
            for ((_, id), intent) in batch {
                let intent = failures.set_aside(intent, |error| {
                    tracing::warn!(intent = %id, error = %error, "a payment could not be checked; it is checked again");
                })?;
                intents.extend(intent);
            }
            polled = polled.saturating_add(u64::try_from(intents.len()).unwrap_or(u64::MAX));
            for intent in &intents {
                let key = (intent.account, intent.gateway_account);
                if let std::collections::hash_map::Entry::Vacant(place) = gateways.entry(key) {
                    let found = failures.set_aside(self.reads.gateway(key.0, key.1).await, |error| {
                        tracing::warn!(gateway = %key.1, error = %error, "a gateway's payments could not be checked; they are checked again");
                    })?;
                    place.insert(found.flatten());
                }
            }
            let (gateways, intents) = (&gateways, stream::iter(intents));
            intents.for_each_concurrent(AT_ONCE, |intent| self.poll_intent(gateways, intent)).await;
        }
    }

    async fn poll_intent(
        &self,
        gateways: &HashMap<(AccountId, GatewayAccountId), Option<GatewayAccount>>,
        intent: Intent,
    ) {
        let Some(Some(gateway)) = gateways.get(&(intent.account, intent.gateway_account)) else {
            return;
        };
        if let Err(error) = self.reconcile_at(gateway, &intent).await {
            tracing::warn!(intent = %intent.id, error = %error, "a payment could not be checked; it is checked again");
        }
    }

    /// Settles the charges that the gateways of all accounts list since the last listing. Failures are logged
    /// and listed again when the charges are listed next.
    ///
    /// # Errors
    /// A [`StoreError`]; if it concerns one account alone, the others' charges were settled.
    pub async fn poll_listed(&self) -> Result<(), PollError> {
        let (mut after, mut failures) = (None, OneFailed::default());
        loop {
            let batch = self.reads.all_gateways(after, BATCH).await?;
            let Some(last) = batch.last() else {
                return failures.into_result();
            };
            after = Some(last.0);
            for ((account, id), _) in batch {
                let report = |error: &dyn std::error::Error| {
                    tracing::warn!(gateway = %id, error = %error, "a gateway's charges are listed again later");
                };
                let listed = match self.list(account, id).await {
                    Ok(()) => Ok(()),
                    Err(ReconcileError::Store(error)) => Err(error),
                    Err(error) => {
                        report(&error);
                        Ok(())
                    }
                };
                failures.set_aside(listed, |error| report(error))?;
            }
        }
    }

    async fn list(&self, account: AccountId, id: GatewayAccountId) -> Result<(), ReconcileError> {
        let now = self.now();
        // Its key may have been undone or replaced since the batch was read.
        let gateway = self.reads.gateway(account, id).await?.ok_or(ReconcileError::NoGateway)?;
        self.settle_listed(&gateway, now).await?;
        Ok(self.store.record_listed_until(&gateway, now).await?)
    }

    async fn settle_listed(
        &self,
        gateway: &GatewayAccount,
        now: OffsetDateTime,
    ) -> Result<(), ReconcileError> {
        let Some(adapter) = self.adapter_of(gateway)? else {
            return Ok(());
        };
        let since = listed_since(gateway.listed_until(now), now);
        let access = gateway.access(&self.keys, now)?;
        let listed = self.settle_changed(gateway, adapter, (&access, None), since, now).await;
        let Some((replaced, replaced_at)) = gateway.replaced_access(&self.keys, now)? else {
            return listed;
        };
        match self.settle_changed(gateway, adapter, (&replaced, Some(replaced_at)), since, now).await {
            // The owner revoked it at the gateway, or it may not list.
            Err(ReconcileError::Gateway(error))
                if !error.may_pass() || matches!(error, GatewayError::KeyRefused(_)) =>
            {
                listed
            }
            by_replaced => listed.and(by_replaced),
        }
    }

    /// Settles what a key lists, which may have been replaced at an instant. A charge that cannot be settled
    /// does not keep the others from it.
    async fn settle_changed(
        &self,
        gateway: &GatewayAccount,
        adapter: &Arc<dyn PaymentGateway>,
        (access, replaced_at): (&GatewayAccess, Option<OffsetDateTime>),
        since: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<(), ReconcileError> {
        let (mut page, mut failure) = (None, None);
        loop {
            let listed = adapter.changed_since(access, since, page.as_deref()).await?;
            for charge in &listed.charges {
                let settled = match replaced_at {
                    Some(at) => self.settle_by_replaced(gateway, at, charge).await,
                    None => self.settle_by_key_in_force(gateway, charge, now).await.map(drop),
                };
                match settled {
                    Ok(()) => {}
                    Err(ReconcileError::Store(error)) => return Err(error.into()),
                    Err(error) => {
                        tracing::warn!(charge = charge.id.0, error = %error, "a listed charge is not settled");
                        failure = Some(error);
                    }
                }
            }
            match listed.next_page {
                Some(next) => page = Some(next),
                None => return failure.map_or(Ok(()), Err),
            }
        }
    }
}

/// The earliest change that a listing asks for. The time of a previous one that was made while the clock was
/// ahead says nothing.
fn listed_since(previous: Option<OffsetDateTime>, now: OffsetDateTime) -> OffsetDateTime {
    let since = previous.map(|until| until - OVERLAP).filter(|since| *since <= now);
    since.unwrap_or(now - FIRST_LISTING)
}

#[cfg(test)]
mod tests {
    use testkit::FixedClock;

    use super::*;

    #[test]
    fn listing_overlaps_the_previous_one_unless_the_clock_was_ahead_then() {
        let now = FixedClock::START;
        let first = now - FIRST_LISTING;
        assert_eq!(listed_since(None, now), first);
        assert_eq!(listed_since(Some(now - Duration::DAY), now), now - Duration::DAY - OVERLAP);
        let of_a_faster_clock = now + Duration::MINUTE;
        assert_eq!(listed_since(Some(of_a_faster_clock), now), of_a_faster_clock - OVERLAP);
        assert_eq!(listed_since(Some(now + Duration::DAY), now), first);
    }
}
