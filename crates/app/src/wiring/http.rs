//! The states of the API and of the pages.

use std::sync::Arc;

use access::Authenticator;
use actix_web::web::ServiceConfig;
use http_api::AppState;
use http_pages::{AuditedStates, PagesState};
use invoices::{InvoicePdfs, InvoiceRenderer, Overviews, PayerInvoices, Timelines};
use kernel::PublicUrls;
use payments::OnlinePayments;
use sessions::Logins;

use super::Dependencies;
use super::shared::Shared;
use crate::master_key::MasterKey;

/// Makes the states of the API and of the pages: for each serving thread, and of the pages also for each
/// change that is audited. A state is always built whole, so none of its use cases is left on another store.
#[derive(Clone)]
pub struct HttpStates {
    deps: Dependencies,
    shared: Arc<Shared>,
}

impl HttpStates {
    /// The use cases of logins, so that workers share their hashing threads and their throttle.
    #[must_use]
    pub fn logins(&self) -> Logins {
        self.deps.shared_logins(&self.shared)
    }

    /// Adds all routes to one serving thread of the server, with that thread's own database connections. Must
    /// be called in that thread.
    pub fn configure_thread(&self, config: &mut ServiceConfig) {
        let deps = self.deps.on_store(self.deps.store.for_thread());
        http_api::configure(config, deps.api_state(&self.shared));
        let audited = audited_states(deps.clone(), self.shared.clone());
        http_pages::configure(config, deps.pages_state(&self.shared, audited));
    }
}

/// Makes the use cases of one change on a store whose transaction also writes the audit entry.
fn audited_states(deps: Dependencies, shared: Arc<Shared>) -> AuditedStates {
    Arc::new(move |pages, entry| {
        deps.on_store(deps.store.audited(entry)).pages_state(&shared, pages.audited.clone())
    })
}

impl Dependencies {
    /// Prepares the states of the API and of the pages. Both render documents on the same threads.
    ///
    /// # Errors
    /// When the fonts that invoices are drawn with cannot be read, when no thread can be started, or one line
    /// that names the setting that cannot be used.
    pub async fn http_states(&self, urls: PublicUrls, key: &MasterKey) -> anyhow::Result<HttpStates> {
        let shared = self.shared(urls, key).await?;
        Ok(HttpStates { deps: self.clone(), shared: Arc::new(shared) })
    }

    /// The state of the API, on the store of these dependencies.
    fn api_state(&self, shared: &Shared) -> AppState {
        let Shared { urls, keys, .. } = shared;
        AppState {
            authenticator: Authenticator::new(self.store.credentials.clone()),
            key_uses: self.key_uses.clone(),
            scope_cache: shared.scope_cache.clone(),
            limiter: shared.limiter.clone(),
            quotas: self.settings.quotas(),
            clock: self.clock.clone(),
            contacts: self.contacts(),
            invoicing: self.invoicing(urls),
            pdfs: self.pdfs(self.shared_renderer(shared)),
            escalations: self.escalation_reader(),
            accounts: self.partner_accounts(urls, keys.clone(), shared.client.clone()),
            logos: Arc::new(self.media.clone()),
            stored_responses: self.store.stored_responses.clone(),
            cursors: shared.cursors.clone(),
            list_memory: shared.list_memory.clone(),
            urls: urls.clone(),
        }
    }

    /// The state of the pages, on the store of these dependencies.
    fn pages_state(&self, shared: &Shared, audited: AuditedStates) -> PagesState {
        let Shared { urls, keys, .. } = shared;
        let renderer = self.shared_renderer(shared);
        PagesState {
            payer_invoices: self.payer_invoices(renderer.clone()),
            invoicing: self.invoicing(urls),
            pdfs: self.pdfs(renderer),
            timelines: self.timelines(),
            overviews: Overviews { reads: self.store.overview.clone(), clock: self.clock.clone() },
            contacts: self.contacts(),
            escalation_reader: self.escalation_reader(),
            own_accounts: self.own_accounts(urls, shared.client.clone()),
            webhooks: self.webhook_administration(shared.client.clone(), keys.clone()),
            cursors: shared.cursors.clone(),
            escalations: self.escalation_service(urls),
            bank_details: self.bank_details(keys.clone(), shared.delay),
            online: self.shared_online_payments(shared),
            sandbox: shared.gateways.sandbox_checkouts(),
            promise_limits: self.store.promise_limits.clone(),
            page_views: shared.page_views.clone(),
            owner_forms: shared.owner_forms.clone(),
            payer_forms: shared.payer_forms.clone(),
            payer_returns: shared.payer_returns.clone(),
            link_requests: shared.link_requests.clone(),
            unknown_tokens: shared.unknown_tokens.clone(),
            logins: self.shared_logins(shared),
            sessions: self.sessions(),
            audit: self.audit(),
            audited,
            reminders: self.reminder_service(),
            conversations: self.conversations(urls),
            answers: self.answer_service(),
            inbound: self.inbound_with(urls, shared.inbound_reader.clone()),
            inbound_access: shared.inbound_access.clone(),
            submissions: self.store.submissions.clone(),
            form_key: shared.form_key.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            links: http_pages::links(urls),
            public_urls: urls.clone(),
        }
    }

    fn shared_logins(&self, shared: &Shared) -> Logins {
        self.logins_with(shared.passwords.clone(), shared.throttle.clone(), shared.keys.clone())
    }

    fn shared_online_payments(&self, shared: &Shared) -> OnlinePayments {
        let Shared { urls, keys, gateways, delay, .. } = shared;
        self.online_payments_through(urls, keys.clone(), gateways, *delay)
    }

    fn shared_renderer(&self, shared: &Shared) -> InvoiceRenderer {
        let online = self.shared_online_payments(shared);
        self.invoice_renderer(&shared.urls, online, shared.documents.clone())
    }

    fn pdfs(&self, renderer: InvoiceRenderer) -> InvoicePdfs {
        InvoicePdfs { reads: self.store.invoice_reads.clone(), renderer, clock: self.clock.clone() }
    }

    fn payer_invoices(&self, renderer: InvoiceRenderer) -> PayerInvoices {
        PayerInvoices { reads: self.store.payer_reads.clone(), renderer, clock: self.clock.clone() }
    }

    fn timelines(&self) -> Timelines {
        let (reads, history) = (self.store.timelines.clone(), self.store.payment_page_history.clone());
        Timelines { reads, history }
    }
}
