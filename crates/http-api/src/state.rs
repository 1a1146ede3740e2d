//! The state of the routes: use cases, ports and settings, assembled by the app.

use std::sync::Arc;

use access::{Authenticator, KeyUses, Quotas, RateLimiter, ScopeCache};
use contacts::ContactService;
use escalations::EscalationReader;
use idempotency::StoredResponseStore;
use invoices::{InvoicePdfs, Invoicing};
use kernel::{Clock, CursorKey, PublicUrls};
use partner_accounts::{LogoStore, PartnerAccounts};

use crate::list_memory::ListMemory;

/// The state of the routes. Each serving thread has its own; a field in an `Arc` may be shared by all
/// threads.
#[derive(Clone)]
pub struct AppState {
    /// Turns keys into callers.
    pub authenticator: Authenticator,
    /// When keys were last used. Shared by all serving threads.
    pub key_uses: Arc<KeyUses>,
    /// The accounts of recently used keys.
    pub scope_cache: Arc<ScopeCache>,
    /// Counts requests by key.
    pub limiter: Arc<dyn RateLimiter>,
    /// How many requests a key may make.
    pub quotas: Quotas,
    /// The clock for counting quotas.
    pub clock: Arc<dyn Clock>,
    /// The use cases of contacts.
    pub contacts: ContactService,
    /// The use cases of invoices.
    pub invoicing: Invoicing,
    /// Makes PDFs of invoices.
    pub pdfs: InvoicePdfs,
    /// The use cases of escalations.
    pub escalations: EscalationReader,
    /// The use cases of partner accounts.
    pub accounts: PartnerAccounts,
    /// The copies of logos.
    pub logos: Arc<dyn LogoStore>,
    /// Stores error responses under their idempotency key.
    pub stored_responses: Arc<dyn StoredResponseStore>,
    /// Seals and opens the cursors of lists.
    pub cursors: Arc<CursorKey>,
    /// Limits the memory of invoice lists. Shared by all serving threads.
    pub list_memory: Arc<ListMemory>,
    /// Makes the URLs that responses contain.
    pub urls: PublicUrls,
}
