//! The states of the API and of the pages.

use std::sync::Arc;

use access::Authenticator;
use actix_web::web::ServiceConfig;
use communications::SmsCallbacks;
use http_api::AppState;
use http_pages::{
    AuditedStates, InboundAccess, LinkRequests, OwnerForms, PagesState, PayerForms, PayerReturns,
    UnknownTokens,
};
use idempotency::FormKey;
use invoices::{Overviews, PayerInvoices, Timelines};
use kernel::PublicUrls;
use sessions::{Logins, Throttle};
use sms_twilio::TwilioCallbacks;
use store_diesel::Store;

use super::{Dependencies, Limiters, language_model, webhook_client};
use crate::master_key::MasterKey;
use crate::settings::Settings;
use crate::tokio_pauses::TokioPauses;

/// The states of the API and of the pages.
#[derive(Clone)]
pub struct HttpStates {
    api: AppState,
    pages: PagesState,
}

impl Dependencies {
    /// Builds the states of the API and of the pages. Both render documents on the same threads.
    ///
    /// # Errors
    /// As [`Dependencies::app_state`].
    pub async fn http_states(
        &self,
        settings: &Settings,
        urls: PublicUrls,
        key: &MasterKey,
    ) -> anyhow::Result<HttpStates> {
        let limits = Limiters::open(settings).await?;
        let client = webhook_client(settings)?;
        let keys = Arc::new(key.sealing_keys());
        let gateways = self.gateways(settings, &urls, keys.clone())?;
        let online = self.online_payments_through(settings, &urls, keys, &gateways)?;
        let api =
            self.app_state(settings, urls.clone(), key, &limits, client.clone(), online.clone()).await?;
        let pages = PagesState {
            escalation_reader: self.escalation_reader(),
            own_accounts: self.own_accounts(&urls, client.clone()),
            webhooks: self.webhook_administration(client, Arc::new(key.sealing_keys())),
            invoices: PayerInvoices {
                reads: self.store.payer_reads.clone(),
                renderer: api.pdfs.renderer.clone(),
                clock: self.clock.clone(),
            },
            invoicing: api.invoicing.clone(),
            pdfs: api.pdfs.clone(),
            timelines: self.timelines(),
            overviews: Overviews { reads: self.store.overview.clone(), clock: self.clock.clone() },
            contacts: api.contacts.clone(),
            cursors: api.cursors.clone(),
            escalations: self.escalation_service(&urls),
            bank_details: self.bank_details(settings, Arc::new(key.sealing_keys()))?,
            online,
            sandbox: gateways.sandbox_checkouts(),
            promise_limits: self.store.promise_limits.clone(),
            page_views: Arc::default(),
            owner_forms: OwnerForms::new(limits.attempts(OwnerForms::WINDOW)),
            payer_forms: PayerForms::new(limits.attempts(PayerForms::WINDOW)),
            payer_returns: PayerReturns::new(limits.attempts(PayerReturns::WINDOW)),
            link_requests: link_requests(&limits),
            unknown_tokens: UnknownTokens::new(limits.attempts(UnknownTokens::WINDOW)),
            logins: Logins {
                throttle: Throttle::new(limits.failures(), Arc::new(TokioPauses)),
                ..self.logins(Arc::new(key.sealing_keys()))?
            },
            sessions: self.sessions(),
            audit: self.audit(),
            audited: audited_states(self.store.clone()),
            reminders: self.reminder_service(settings),
            conversations: self.conversations(settings, &urls),
            answers: self.answer_service(settings),
            inbound: self.inbound(settings, &urls)?,
            inbound_access: Arc::new(inbound_access(settings)?),
            submissions: self.store.submissions.clone(),
            form_key: Arc::new(FormKey::new(&key.derive("countinghouse forms v1"))),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            urls: http_pages::links(&urls),
            public: urls,
        };
        Ok(HttpStates { api, pages })
    }

    fn timelines(&self) -> Timelines {
        let (reads, history) = (self.store.timelines.clone(), self.store.payment_page_history.clone());
        Timelines { reads, history }
    }
}

fn link_requests(limits: &Limiters) -> LinkRequests {
    LinkRequests::new(limits.attempts(LinkRequests::OF_ADDRESS), limits.attempts(LinkRequests::FOR_NUMBER))
}

fn inbound_access(settings: &Settings) -> anyhow::Result<InboundAccess> {
    let callbacks = settings
        .twilio_auth_token
        .as_ref()
        .map(|token| -> Arc<dyn SmsCallbacks> { Arc::new(TwilioCallbacks::new(token.reveal().to_owned())) });
    Ok(InboundAccess {
        mail_token: settings.inbound_token.as_ref().map(|token| token.reveal().to_owned()),
        text_callbacks: callbacks,
        domain: settings.inbound_domain.clone(),
        sends_texts: settings.sends_texts(),
        language_model_host: language_model(settings)?.map(|model| model.host().to_owned()),
    })
}

impl HttpStates {
    /// The use cases of logins, so that workers share their hashing threads and their throttle.
    #[must_use]
    pub fn logins(&self) -> Logins {
        self.pages.logins.clone()
    }

    /// Adds all routes to one serving thread of the server, with that thread's own database connections. Must
    /// be called in that thread.
    pub fn configure_thread(&self, config: &mut ServiceConfig, store: &Store) {
        let store = store.for_thread();
        let Self { mut api, mut pages } = self.clone();
        api.authenticator = Authenticator::new(store.credentials.clone());
        api.contacts.store = store.contacts.clone();
        api.contacts.reads = store.contact_reads.clone();
        api.invoicing.store = store.invoicing.clone();
        api.invoicing.reads = store.invoice_reads.clone();
        api.escalations.reads = store.escalation_reads.clone();
        api.accounts.store = store.provisioning.clone();
        api.accounts.reads = store.account_reads.clone();
        api.stored_responses = store.stored_responses.clone();
        put_store(&mut pages, &store);
        pages.audited = audited_states(store);
        http_api::configure(config, api);
        http_pages::configure(config, pages);
    }
}

/// Makes the use cases on a store whose next transaction also writes an audit entry.
fn audited_states(store: Store) -> AuditedStates {
    Arc::new(move |pages, entry| {
        let mut pages = pages.clone();
        put_store(&mut pages, &store.audited(entry));
        pages
    })
}

/// Replaces the store of all use cases of the pages.
fn put_store(pages: &mut PagesState, store: &Store) {
    pages.escalation_reader.reads = store.escalation_reads.clone();
    pages.own_accounts.store = store.own_accounts.clone();
    pages.webhooks.endpoints = store.endpoints.clone();
    pages.webhooks.deliveries = store.delivery_store.clone();
    pages.invoices.reads = store.payer_reads.clone();
    pages.invoicing.store = store.invoicing.clone();
    pages.invoicing.reads = store.invoice_reads.clone();
    pages.contacts.store = store.contacts.clone();
    pages.contacts.reads = store.contact_reads.clone();
    pages.sessions.store = store.sessions.clone();
    pages.logins.store = store.sessions.clone();
    pages.audit.log = store.audit.clone();
    pages.pdfs.reads = store.invoice_reads.clone();
    pages.timelines.reads = store.timelines.clone();
    pages.timelines.history = store.payment_page_history.clone();
    pages.overviews.reads = store.overview.clone();
    pages.escalations.store = store.escalations.clone();
    pages.escalations.invoices = store.invoice_reads.clone();
    pages.escalations.contacts = store.contact_reads.clone();
    pages.promise_limits = store.promise_limits.clone();
    pages.bank_details.store = store.bank_details.clone();
    pages.bank_details.reads = store.bank_details_reads.clone();
    pages.online.store = store.online_payments.clone();
    pages.online.reads = store.online_reads.clone();
    pages.online.invoicing.store = store.invoicing.clone();
    pages.online.invoicing.reads = store.invoice_reads.clone();
    pages.reminders.store = store.communications.clone();
    pages.reminders.reads = store.communications_reads.clone();
    pages.reminders.reminder_reads = store.reminder_reads.clone();
    pages.reminders.invoices = store.invoice_reads.clone();
    pages.conversations.store = store.communications.clone();
    pages.conversations.reads = store.communications_reads.clone();
    pages.conversations.contacts = store.contact_reads.clone();
    pages.conversations.escalations = pages.escalations.clone();
    pages.answers.store = store.communications.clone();
    pages.answers.reads = store.communications_reads.clone();
    pages.answers.reminder_reads = store.reminder_reads.clone();
    pages.answers.invoices = store.invoice_reads.clone();
    pages.submissions = store.submissions.clone();
}
