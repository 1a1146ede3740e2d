//! The ports of one database as one value.

use std::sync::Arc;

use crate::ports::{BulkLoad, Checkup, Queues, Upkeep};

/// The ports of one database.
#[derive(Clone)]
pub struct Store {
    /// Looks up API keys.
    pub credentials: Arc<dyn access::Credentials>,
    /// Records when keys were last used.
    pub key_uses: Arc<dyn access::KeyUseStore>,
    /// Begins transactions on contacts.
    pub contacts: Arc<dyn contacts::ContactsStore>,
    pub contact_reads: Arc<dyn contacts::ContactReads>,
    /// Begins transactions on invoices.
    pub invoicing: Arc<dyn invoices::InvoicingStore>,
    pub invoice_reads: Arc<dyn invoices::InvoiceReads>,
    /// Reads the outstanding and the received amounts of accounts.
    pub overview: Arc<dyn invoices::OverviewReads>,
    /// Reads the history of invoices.
    pub timelines: Arc<dyn invoices::TimelineReads>,
    /// Reads invoices by the token of their payment page.
    pub payer_reads: Arc<dyn invoices::PayerReads>,
    /// Records and reads the history of payment pages.
    pub payment_page_history: Arc<dyn invoices::PaymentPageHistory>,
    /// Reads how far ahead payers may promise to pay.
    pub promise_limits: Arc<dyn invoices::PromiseLimits>,
    /// Begins transactions on bank details.
    pub bank_details: Arc<dyn payments::BankDetailsStore>,
    pub bank_details_reads: Arc<dyn payments::BankDetailsReads>,
    /// Begins transactions on online payments.
    pub online_payments: Arc<dyn payments::OnlineStore>,
    pub online_reads: Arc<dyn payments::OnlineReads>,
    /// Stores the checkouts of the sandbox.
    pub sandbox_records: Arc<dyn payments::SandboxRecords>,
    /// Updates invoices whose status changes with the date.
    pub due_dates: Arc<dyn invoices::DueDateStore>,
    /// Leases due background jobs, and records their outcomes.
    pub jobs: Arc<dyn outbox::Queue>,
    /// Begins transactions on webhook endpoints, and reads them.
    pub endpoints: Arc<dyn webhooks::EndpointsStore>,
    /// Leases due webhook deliveries, and records their outcomes.
    pub delivery_queue: Arc<dyn webhooks::DeliveryQueue>,
    /// Signals that there may be webhook deliveries.
    pub delivery_signal: Arc<dyn webhooks::DeliverySignal>,
    /// Reads webhook deliveries, and replays finished ones.
    pub delivery_store: Arc<dyn webhooks::DeliveryStore>,
    /// Reads the sealed secrets of webhook endpoints, and replaces them.
    pub sealed_secrets: Arc<dyn webhooks::SealedSecrets>,
    /// Keeps stored responses.
    pub stored_responses: Arc<dyn idempotency::StoredResponseStore>,
    /// Claims form submissions.
    pub submissions: Arc<dyn idempotency::Submissions>,
    /// Begins transactions on a partner's accounts.
    pub provisioning: Arc<dyn partner_accounts::ProvisioningStore>,
    /// Reads a partner's accounts.
    pub account_reads: Arc<dyn partner_accounts::AccountReads>,
    /// Begins transactions on an account for its owner, and reads it.
    pub own_accounts: Arc<dyn partner_accounts::OwnAccountStore>,
    /// Lists the copies of logos to remove.
    pub logo_removals: Arc<dyn partner_accounts::LogoRemovals>,
    /// Reads logins and sessions, and begins transactions on them.
    pub sessions: Arc<dyn sessions::SessionsStore>,
    /// Stores audit entries.
    pub audit: Arc<dyn sessions::AuditLog>,
    /// Reads the sealed secrets of second factors, and replaces them.
    pub sealed_second_factors: Arc<dyn sessions::SealedSecondFactors>,
    /// Begins transactions on communications.
    pub communications: Arc<dyn communications::CommunicationsStore>,
    /// Reads messages and preferences.
    pub communications_reads: Arc<dyn communications::CommunicationsReads>,
    /// Reads what reminders depend on.
    pub reminder_reads: Arc<dyn communications::ReminderReads>,
    /// Stores inbound messages.
    pub inbox: Arc<dyn communications::Inbox>,
    /// Finds accounts with unread messages.
    pub unread: Arc<dyn communications::UnreadReads>,
    /// Removes message texts whose retention period has ended.
    pub message_retention: Arc<dyn communications::MessageRetention>,
    /// Begins transactions on escalations.
    pub escalations: Arc<dyn escalations::EscalationsStore>,
    pub escalation_reads: Arc<dyn escalations::EscalationReads>,
    /// Reads and changes partners and accounts for the operator.
    pub operator: Arc<dyn partner_accounts::OperatorStore>,
    /// Reads the state of the queues, for monitoring.
    pub queues: Arc<dyn Queues>,
    /// Maintains the database.
    pub upkeep: Arc<dyn Upkeep>,
    /// Asks the database about itself.
    pub checkup: Arc<dyn Checkup>,
    /// Loads thousands of records.
    pub bulk: Arc<dyn BulkLoad>,
    /// Makes the same ports on connections of the calling thread's own.
    pub for_thread: Arc<dyn Fn() -> Self + Send + Sync>,
    /// Makes the same ports, with an audit entry for a change.
    pub audited: Arc<dyn Fn(sessions::AuditEntry) -> Self + Send + Sync>,
}

impl Store {
    /// The same store for one serving thread, on connections of its own: PostgreSQL connections that this
    /// thread's runtime drives, or one SQLite reader. Call it in that thread, inside its runtime. For more
    /// threads than there are processors it changes nothing.
    #[must_use]
    pub fn for_thread(&self) -> Self {
        (self.for_thread)()
    }

    /// The same store for one change of the entry's account: the transaction of the change writes the entry
    /// at its commit, so that both are stored or neither. It is for a use case that commits once.
    #[must_use]
    pub fn audited(&self, entry: sessions::AuditEntry) -> Self {
        (self.audited)(entry)
    }
}
