//! The state of the pages: use cases, ports and settings, assembled by the app.

use std::sync::Arc;

use communications::{AnswerService, ConversationService, InboundService, ReminderService};
use contacts::ContactService;
use escalations::{EscalationReader, EscalationService};
use idempotency::{FormKey, Submissions};
use invoices::{InvoicePdfs, Invoicing, Overviews, PayerInvoices, PromiseLimits, Timelines};
use kernel::{Clock, CursorKey, Ids, PublicUrls};
use partner_accounts::OwnAccounts;
use payments::{BankDetailsService, OnlinePayments, SandboxCheckouts};
use sessions::{Audit, AuditEntry, Logins, Sessions};
use webhooks::WebhookAdministration;

use crate::inbound_access::InboundAccess;
use crate::owner_throttle::OwnerForms;
use crate::page_views::PageViews;
use crate::payer::throttle::{LinkRequests, PayerForms, PayerReturns};
use crate::unknown_tokens::UnknownTokens;

/// Makes the use cases of one change, whose transaction also writes the audit entry. The state given is that
/// of the thread.
pub type AuditedStates = Arc<dyn Fn(&PagesState, AuditEntry) -> PagesState + Send + Sync>;

/// The state of the pages. Each serving thread has its own; a field in an `Arc` may be shared by all threads.
#[derive(Clone)]
pub struct PagesState {
    /// Reads invoices by the tokens of their payment pages.
    pub payer_invoices: PayerInvoices,
    /// The use cases of an account's invoices.
    pub invoicing: Invoicing,
    /// Renders an account's invoices.
    pub pdfs: InvoicePdfs,
    /// Reads the timelines of invoices.
    pub timelines: Timelines,
    /// Reads the outstanding and the received amounts of accounts.
    pub overviews: Overviews,
    /// The use cases of an account's contacts.
    pub contacts: ContactService,
    /// Reads escalations.
    pub escalation_reader: EscalationReader,
    /// The use cases with which owners change their accounts.
    pub own_accounts: OwnAccounts,
    /// Manages webhook endpoints and shows deliveries.
    pub webhooks: WebhookAdministration,
    /// Authenticates the cursors of lists.
    pub cursors: Arc<CursorKey>,
    /// Raises escalations for payers, and resolves them for owners.
    pub escalations: EscalationService,
    /// The use cases of bank details, and of links that undo their changes.
    pub bank_details: BankDetailsService,
    /// The use cases of online payments.
    pub online: OnlinePayments,
    /// The checkouts of the sandbox, if it is on.
    pub sandbox: Option<Arc<dyn SandboxCheckouts>>,
    /// Reads how far ahead payers may promise to pay.
    pub promise_limits: Arc<dyn PromiseLimits>,
    /// The views that were stored recently. Shared by all serving threads.
    pub page_views: Arc<PageViews>,
    /// Counts the forms of owners. Shared by all serving threads.
    pub owner_forms: OwnerForms,
    /// Counts the forms of payers. Shared by all serving threads.
    pub payer_forms: PayerForms,
    /// Counts the views of payments' results. Shared by all serving threads.
    pub payer_returns: PayerReturns,
    /// Counts the requests for links. Shared by all serving threads.
    pub link_requests: LinkRequests,
    /// Counts unknown tokens. Shared by all serving threads.
    pub unknown_tokens: UnknownTokens,
    /// Signs owners in.
    pub logins: Logins,
    /// Finds the sessions of owners who are signed in.
    pub sessions: Sessions,
    /// Makes audit entries.
    pub audit: Audit,
    /// Makes these use cases for one change whose transaction also writes an audit entry.
    pub audited: AuditedStates,
    /// The use cases of reminders.
    pub reminders: ReminderService,
    /// The use cases of conversations.
    pub conversations: ConversationService,
    /// The use case of owners' answers to contacts.
    pub answers: AnswerService,
    /// The use cases of received messages.
    pub inbound: InboundService,
    /// The secrets of the routes for inbound messages.
    pub inbound_access: Arc<InboundAccess>,
    /// Claims submitted forms.
    pub submissions: Arc<dyn Submissions>,
    /// Fingerprints the contents of forms.
    pub form_key: Arc<FormKey>,
    /// The clock for counting tokens and rendering pages.
    pub clock: Arc<dyn Clock>,
    /// Makes the tokens of forms.
    pub ids: Arc<dyn Ids>,
    /// Makes the links between the pages, which name no host: [`pages::links()`].
    pub links: PublicUrls,
    /// Makes the URLs that are used elsewhere: in mail, at gateways and providers.
    pub public_urls: PublicUrls,
}
