//! What the states of the API and of the pages share on all serving threads.

use std::sync::Arc;

use access::{Passwords, RateLimiter, ScopeCache};
use communications::SmsCallbacks;
use http_api::ListMemory;
use http_pages::{
    InboundAccess, LinkRequests, OwnerForms, PageViews, PayerForms, PayerReturns, UnknownTokens,
};
use idempotency::FormKey;
use invoices::InvoiceDocuments;
use kernel::{CursorKey, PublicUrls, SealingKeys};
use pdf_krilla::{KrillaDocuments, RenderPriority};
use sessions::Throttle;
use sms_twilio::TwilioCallbacks;
use webhook_reqwest::Client;

use super::communications::InboundReader;
use super::online_payments::Gateways;
use super::{Dependencies, Limiters, language_model, webhook_client};
use crate::cursor_key;
use crate::master_key::MasterKey;
use crate::passwords::HashingThreads;
use crate::settings::Settings;
use crate::tokio_pauses::TokioPauses;

/// What the states of the API and of the pages share on all serving threads. No port of the store is among
/// it, so a use case can only be built on the store of its thread or of its change. The sandbox has ports of
/// the process's store: it stands for a gateway, so what it records is no part of an audited change.
pub(super) struct Shared {
    pub(super) urls: PublicUrls,
    pub(super) keys: Arc<SealingKeys>,
    /// The delay until bank details and keys of gateways come into force.
    pub(super) delay: time::Duration,
    /// Fetches logos and checks the addresses of webhooks.
    pub(super) client: Client,
    pub(super) gateways: Gateways,
    /// Renders invoices on threads of its own.
    pub(super) documents: Arc<dyn InvoiceDocuments>,
    /// Hashes passwords on threads of its own.
    pub(super) passwords: Arc<dyn Passwords>,
    pub(super) throttle: Throttle,
    pub(super) limiter: Arc<dyn RateLimiter>,
    pub(super) scope_cache: Arc<ScopeCache>,
    pub(super) list_memory: Arc<ListMemory>,
    pub(super) cursors: Arc<CursorKey>,
    pub(super) page_views: Arc<PageViews>,
    pub(super) owner_forms: OwnerForms,
    pub(super) payer_forms: PayerForms,
    pub(super) payer_returns: PayerReturns,
    pub(super) link_requests: LinkRequests,
    pub(super) unknown_tokens: UnknownTokens,
    pub(super) inbound_reader: InboundReader,
    pub(super) inbound_access: Arc<InboundAccess>,
    pub(super) form_key: Arc<FormKey>,
}

impl Dependencies {
    /// Makes what serving threads share.
    ///
    /// # Errors
    /// When the fonts that invoices are drawn with cannot be read, when no thread can be started, or one line
    /// that names the setting that cannot be used.
    pub(super) async fn shared(&self, urls: PublicUrls, key: &MasterKey) -> anyhow::Result<Shared> {
        let settings = &self.settings;
        let limits = Limiters::open(settings).await?;
        let keys = Arc::new(key.sealing_keys());
        let cursors = cursor_key::load(&*self.store.upkeep, &keys, &*self.random).await?;
        Ok(Shared {
            delay: settings.bank_details_delay()?,
            client: webhook_client(settings)?,
            gateways: self.gateways(&urls, keys.clone())?,
            documents: Arc::new(KrillaDocuments::new(RenderPriority::Request)?),
            passwords: Arc::new(HashingThreads::start(self.random.clone())?),
            throttle: Throttle::new(limits.failures(), Arc::new(TokioPauses)),
            limiter: limits.quotas(),
            scope_cache: Arc::default(),
            list_memory: Arc::default(),
            cursors: Arc::new(cursors),
            page_views: Arc::default(),
            owner_forms: OwnerForms(limits.attempts(OwnerForms::WINDOW)),
            payer_forms: PayerForms(limits.attempts(PayerForms::WINDOW)),
            payer_returns: PayerReturns(limits.attempts(PayerReturns::WINDOW)),
            link_requests: link_requests(&limits),
            unknown_tokens: UnknownTokens(limits.attempts(UnknownTokens::WINDOW)),
            inbound_reader: self.inbound_reader()?,
            inbound_access: Arc::new(inbound_access(settings)?),
            form_key: Arc::new(FormKey::new(&key.derive("countinghouse forms v1"))),
            urls,
            keys,
        })
    }
}

fn link_requests(limits: &Limiters) -> LinkRequests {
    LinkRequests {
        of_address: limits.attempts(LinkRequests::OF_ADDRESS),
        for_number: limits.attempts(LinkRequests::FOR_NUMBER),
    }
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
