//! What the pages need: use cases, ports and settings, assembled by the app.

use std::sync::Arc;

use communications::{AnswerService, ConversationService, InboundService, ReminderService};
use contacts::ContactService;
use escalations::{EscalationReader, EscalationReads, EscalationService};
use idempotency::Submissions;
use invoices::{
    InvoicePdfs, Invoicing, Overviews, PayerInvoices, PaymentPageHistory, PromiseLimits, Timelines,
};
use kernel::{Clock, CursorKey, Ids, PublicUrls};
use partner_accounts::OwnAccounts;
use payments::{BankDetailsService, OnlinePayments, SandboxCheckouts};
use sessions::{Audit, AuditEntry, Logins, Sessions};
use webhooks::WebhookAdministration;

use crate::inbound_access::InboundAccess;
use crate::page_views::PageViews;
use crate::payer_throttle::{LinkRequests, PayerForms};
use crate::unknown_tokens::UnknownTokens;

/// Makes the use cases whose one transaction writes an audit entry, of those of a thread.
pub type AuditedStates = Arc<dyn Fn(&PagesState, AuditEntry) -> PagesState + Send + Sync>;

/// What the pages need. Each worker thread has one; what is in an `Arc` may be shared by all.
#[derive(Clone)]
pub struct PagesState {
    /// Reads invoices by the tokens of their payment pages.
    pub invoices: PayerInvoices,
    /// The use cases of an account's invoices.
    pub invoicing: Invoicing,
    /// Renders an account's invoices.
    pub pdfs: InvoicePdfs,
    /// Reads what happened to invoices.
    pub timelines: Timelines,
    /// Reads what accounts are owed and were paid.
    pub overviews: Overviews,
    /// The use cases of an account's contacts.
    pub contacts: ContactService,
    /// Reads escalations.
    pub escalation_reader: EscalationReader,
    /// What owners change of their accounts.
    pub own_accounts: OwnAccounts,
    /// Manages webhook endpoints and shows deliveries.
    pub webhooks: WebhookAdministration,
    /// Authenticates the cursors of lists.
    pub cursors: Arc<CursorKey>,
    /// Raises what payers ask help for, and resolves it for owners.
    pub escalations: EscalationService,
    /// Reads what was raised.
    pub escalation_reads: Arc<dyn EscalationReads>,
    /// Bank details, and links that undo their changes.
    pub bank_details: BankDetailsService,
    /// Online payments.
    pub online: OnlinePayments,
    /// The checkouts of the sandbox, where that is on.
    pub sandbox: Option<Arc<dyn SandboxCheckouts>>,
    /// Reads and sets how far ahead payers may promise to pay.
    pub promise_limits: Arc<dyn PromiseLimits>,
    /// Keeps the views of payment pages.
    pub history: Arc<dyn PaymentPageHistory>,
    /// The views that were kept lately. Shared by all worker threads.
    pub page_views: Arc<PageViews>,
    /// Counts the forms of payers. Shared by all worker threads.
    pub payer_forms: Arc<PayerForms>,
    /// Counts the requests for links. Shared by all worker threads.
    pub link_requests: Arc<LinkRequests>,
    /// Counts unknown tokens. Shared by all worker threads.
    pub unknown_tokens: Arc<UnknownTokens>,
    /// Signs owners in.
    pub logins: Logins,
    /// Finds the sessions of owners who are signed in.
    pub sessions: Sessions,
    /// Records what changes security or money.
    pub audit: Audit,
    /// The same use cases for one change, whose transaction writes an audit entry.
    pub audited: AuditedStates,
    /// The use cases of reminders.
    pub reminders: ReminderService,
    /// The use cases of conversations.
    pub conversations: ConversationService,
    /// Takes what owners answer.
    pub answers: AnswerService,
    /// The use cases of what comes in.
    pub inbound: InboundService,
    /// What the routes of inbound messages are opened by.
    pub inbound_access: Arc<InboundAccess>,
    /// Claims the forms that are sent.
    pub submissions: Arc<dyn Submissions>,
    /// The time that tokens are counted by, and that pages are made at.
    pub clock: Arc<dyn Clock>,
    /// Makes the hidden values of forms.
    pub ids: Arc<dyn Ids>,
    /// Makes the addresses on the pages.
    pub urls: PublicUrls,
}
