//! Polling the gateways' lists of charges.

use std::sync::Arc;

use invoices::InvoiceStatus;
use kernel::{AccountId, StoreError, StoreResult};
use payments::{ChargeState, GatewayAccount, OnlinePayments, OnlineStore, OnlineTx, PaymentGateway};
use time::OffsetDateTime;

use crate::database::on_both;
use crate::online_payments::{Paying, online_payments};
use crate::stub_gateway::StubGateway;

/// A store that cannot read one account.
struct OneUnreadable {
    store: Arc<dyn OnlineStore>,
    unreadable: AccountId,
}

#[async_trait::async_trait]
impl OnlineStore for OneUnreadable {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn OnlineTx>> {
        if account == self.unreadable {
            return Err(StoreError::Failed("a row of the account cannot be read".into()));
        }
        self.store.begin(account).await
    }

    async fn record_listed_until(&self, gateway: &GatewayAccount, until: OffsetDateTime) -> StoreResult<()> {
        self.store.record_listed_until(gateway, until).await
    }

    async fn prune_events(&self, received_before: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        self.store.prune_events(received_before, limit).await
    }
}

#[test]
fn listed_charges_of_other_accounts_are_settled_when_a_row_of_one_cannot_be_read() {
    on_both(async |db| {
        let (one, other) = (Paying::new(&db.store).await, Paying::new(&db.store).await);
        let listed = |of: &Paying, name| (of.gateway.id, of.charge(name, 12_100, ChargeState::Succeeded));
        let charges = vec![listed(&one, "ch_1"), listed(&other, "ch_2")];
        let gateways: Vec<Arc<dyn PaymentGateway>> =
            vec![Arc::new(StubGateway { charges, ..StubGateway::default() })];
        let payments = OnlinePayments { gateways, ..online_payments(&db.store) };
        // Whichever account comes first, the other one does not wait for it.
        for (broken, whole) in [(&one, &other), (&other, &one)] {
            let store =
                OneUnreadable { store: db.store.online_payments.clone(), unreadable: broken.scope.id };
            let payments = OnlinePayments { store: Arc::new(store), ..payments.clone() };
            let polled = payments.poll_listed().await;
            assert!(matches!(polled, Err(StoreError::Failed(_))), "{polled:?}");
            assert_eq!(whole.invoice().await.status, InvoiceStatus::Paid);
        }
    });
}
