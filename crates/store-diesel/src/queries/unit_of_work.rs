//! The one transaction type that implements every domain's transaction.
//!
//! Its type parameter is its scope: a transaction for an account reaches the account's records, one for a
//! partner the partner's accounts, and neither reaches the other's. Each query takes the scope from here.

use std::sync::Arc;

use async_trait::async_trait;
use communications::{CommunicationsTx, Messages, Preferences, Reminders, UnreadNotices};
use contacts::{Contacts, ContactsTx};
use escalations::{Escalations, EscalationsTx};
use idempotency::{StoredResponses, StoredResponsesTx};
use invoices::{Invoices, InvoicingTx, Numbers, OpenCheckouts, PayTokens, Promises};
use kernel::{AccountId, AuditDetails, Commit, PartnerId, StoreResult};
use outbox::Jobs;
use partner_accounts::{AccountLogos, Accounts, Invitations, ProvisioningTx};
use payments::{AccountBankDetails, BankDetailsTx};
use sessions::{AuditEntries, AuditEntry, LoginRecords, SessionsTx};
use store_schema::delivery_notifier::DeliveryNotifier;
use store_schema::in_flight_keys::InFlightKeys;
use store_schema::types::RowId;
use webhooks::{Endpoints, Events};

use super::audit_entry;
use super::database::Database;
use super::purpose::Purpose;
use super::transaction::Transaction;
use crate::pool::Pool;

/// Methods of a transaction's port that give its parts, each of which [`UnitOfWork`] is itself.
macro_rules! parts {
    ($($part:ident: $port:ident),+ $(,)?) => {
        $(fn $part(&mut self) -> &mut dyn $port {
            self
        })+
    };
}
pub(super) use parts;

/// A transaction in a scope.
pub(crate) struct UnitOfWork<S> {
    pub(super) scope: S,
    pub(super) tx: Transaction,
    pub(super) in_flight_keys: InFlightKeys,
    pub(super) delivery_notifier: DeliveryNotifier,
    /// The accounts whose endpoints are locked.
    pub(super) locked: Vec<AccountId>,
    /// Written with the commit.
    audit: Option<Arc<AuditEntry>>,
}

impl<S> UnitOfWork<S> {
    /// Begins nothing yet: the transaction begins with its first statement.
    pub(super) fn new(database: &Database, scope: S) -> Self {
        Self::with_purpose(database, scope, Purpose::Request)
    }

    /// Like [`Self::new`], with another purpose than a request.
    pub(super) fn with_purpose(database: &Database, scope: S, purpose: Purpose) -> Self {
        Self::on(database.pool.clone(), database, scope, purpose)
    }

    fn on(pool: Pool, database: &Database, scope: S, purpose: Purpose) -> Self {
        Self {
            scope,
            tx: Transaction::new(pool, purpose),
            in_flight_keys: database.in_flight_keys.clone(),
            delivery_notifier: database.delivery_notifier.clone(),
            locked: Vec::new(),
            audit: database.audit.clone(),
        }
    }
}

impl UnitOfWork<AccountId> {
    /// A transaction that changes only rows of the account, and no table that a cluster has on every server.
    pub(super) fn of_account(database: &Database, account: AccountId) -> Self {
        let pool = database.pool.of(account.into()).into_owned();
        Self::on(pool, database, account, Purpose::Request)
    }

    pub(super) fn account(&self) -> RowId {
        self.scope.into()
    }
}

impl UnitOfWork<PartnerId> {
    pub(super) fn partner(&self) -> RowId {
        self.scope.into()
    }
}

#[async_trait]
impl<S: Send> Commit for UnitOfWork<S> {
    async fn commit(mut self: Box<Self>) -> StoreResult<()> {
        if let Some(entry) = self.audit.take() {
            audit_entry::write(&mut self.tx, &entry).await?;
        }
        self.tx.commit().await
    }

    fn is_audited(&self) -> bool {
        self.audit.is_some()
    }

    fn complete_audit(&mut self, details: AuditDetails) {
        if let Some(entry) = &mut self.audit {
            let entry = Arc::make_mut(entry);
            (entry.before, entry.after) = (details.before, details.after);
        }
    }
}

impl ContactsTx for UnitOfWork<AccountId> {
    parts!(contacts: Contacts, stored_responses: StoredResponses);
}

impl StoredResponsesTx for UnitOfWork<AccountId> {
    parts!(stored_responses: StoredResponses);
}

impl InvoicingTx for UnitOfWork<AccountId> {
    parts!(
        invoices: Invoices,
        numbers: Numbers,
        promises: Promises,
        pay_tokens: PayTokens,
        checkouts: OpenCheckouts,
        contacts: Contacts,
        stored_responses: StoredResponses,
        jobs: Jobs,
        events: Events,
    );
}

impl BankDetailsTx for UnitOfWork<AccountId> {
    parts!(bank_details: AccountBankDetails, jobs: Jobs);
}

impl EscalationsTx for UnitOfWork<AccountId> {
    parts!(escalations: Escalations, events: Events, jobs: Jobs);
}

impl CommunicationsTx for UnitOfWork<AccountId> {
    parts!(
        messages: Messages,
        preferences: Preferences,
        reminders: Reminders,
        unread_notices: UnreadNotices,
        jobs: Jobs,
        escalating: EscalationsTx,
        invoicing: InvoicingTx,
    );
}

impl SessionsTx for UnitOfWork<AccountId> {
    parts!(logins: LoginRecords, audit: AuditEntries, jobs: Jobs);
}

impl ProvisioningTx for UnitOfWork<PartnerId> {
    parts!(
        accounts: Accounts,
        endpoints: Endpoints,
        logos: AccountLogos,
        invitations: Invitations,
        jobs: Jobs,
    );
}
