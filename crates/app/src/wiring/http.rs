//! The states of the API and of the pages.

use std::sync::Arc;

use access::Authenticator;
use actix_web::web::ServiceConfig;
use http_api::AppState;
use http_pages::PagesState;
use invoices::PayerInvoices;
use kernel::PublicUrls;
use store_diesel::Store;

use super::Dependencies;
use crate::master_key::MasterKey;
use crate::settings::Settings;

/// The states of the API and of the pages.
#[derive(Clone)]
pub struct HttpStates {
    api: AppState,
    pages: PagesState,
}

impl Dependencies {
    /// The states of the API and of the pages. Both render documents on the same threads.
    ///
    /// # Errors
    /// As [`Dependencies::app_state`].
    pub async fn http_states(
        &self,
        settings: &Settings,
        urls: PublicUrls,
        key: &MasterKey,
    ) -> anyhow::Result<HttpStates> {
        let api = self.app_state(settings, urls.clone(), key).await?;
        let pages = PagesState {
            invoices: PayerInvoices {
                reads: self.store.payer_reads.clone(),
                renderer: api.pdfs.renderer.clone(),
            },
            unknown_tokens: Arc::default(),
            clock: self.clock.clone(),
            urls,
        };
        Ok(HttpStates { api, pages })
    }
}

impl HttpStates {
    /// Adds all routes to one worker thread of the server, on database connections of that thread's own. Call
    /// it in that thread.
    pub fn configure_thread(&self, config: &mut ServiceConfig, store: &Store) {
        let store = store.for_thread();
        let Self { mut api, mut pages } = self.clone();
        api.authenticator = Authenticator::new(store.credentials);
        api.contacts.store = store.contacts;
        api.contacts.reads = store.contact_reads;
        api.invoicing.store = store.invoicing;
        api.invoicing.reads = store.invoice_reads;
        api.escalations.reads = store.escalation_reads;
        api.accounts.store = store.provisioning;
        api.accounts.reads = store.account_reads;
        api.answers = store.answers;
        pages.invoices.reads = store.payer_reads;
        http_api::configure(config, api);
        http_pages::configure(config, pages);
    }
}
