//! Wiring: builds the use cases from the store and the system's clock, ids and randomness.

mod adapters;
mod bank_details;
mod communications;
mod escalations;
pub mod http;
mod job_workers;
mod logos;
mod online_payments;
pub mod server;
mod sessions;
mod shared;
mod webhooks;

use std::sync::Arc;

use ::communications::ReminderTestEmail;
use ::sessions::{Actor, AuditedChange, PasswordResetEmail, SecurityEmail};
use access::KeyUses;
use anyhow::{Context as _, bail};
use contacts::ContactService;
use invoices::{
    DueDates, InvoiceDocuments, InvoiceEmail, InvoiceRenderer, Invoicing, InvoicingPolicy, PayLinkEmail,
};
use kernel::{AccountId, Clock, Ids, PublicUrls, SealingKeys, SecureRandom, SystemIds, SystemRandom};
use mail::{EmailTemplate, NoticeEmail, Templates};
use media_object_store::Media;
use partner_accounts::{InvitationEmail, OperatorAccounts, OwnAccounts, PartnerAccounts};
use payments::{BankDetailsEmail, GatewayKeyEmail, OnlinePayments, ReceiptEmail};
use pdf_krilla::{KrillaDocuments, RenderPriority};
use store_diesel::{Announce, DatabaseKind, MetadataKey, Store, StoreOptions};
use webhook_reqwest::Client;

pub use self::adapters::{
    Limiters, language_model, live_gateways, open_media, shared_limits, webhook_client,
};
use crate::master_key::{MasterKey, make_private_folder};
use crate::settings::Settings;

/// Everything that use cases are built from.
#[derive(Clone)]
pub struct Dependencies {
    pub settings: Arc<Settings>,
    pub store: Store,
    /// The copies of logos.
    pub media: Media,
    /// The system's clock, or that of a test.
    pub clock: Arc<dyn Clock>,
    /// The system's ids.
    pub ids: Arc<dyn Ids>,
    /// The system's secure randomness.
    pub random: Arc<dyn SecureRandom>,
    /// When keys were last used, until a worker stores it.
    pub key_uses: Arc<KeyUses>,
}

impl Dependencies {
    /// Opens the store that the settings name. Its schema may not exist yet. A process that delivers webhooks
    /// itself announces new deliveries only within itself, any other process to all.
    ///
    /// # Errors
    /// One line that says what is wrong with `DATABASE_URL` or `COUNTINGHOUSE_MEDIA_URL`.
    pub async fn open(settings: Arc<Settings>, announce: Announce) -> anyhow::Result<Self> {
        if settings.database_url().reveal().starts_with("sqlite://") {
            make_private_folder(&settings.data_dir)?;
        }
        Ok(Self {
            store: open_store(&settings, announce).await?,
            media: open_media(&settings)?,
            clock: settings.clock()?,
            ids: Arc::new(SystemIds::default()),
            random: Arc::new(SystemRandom::default()),
            key_uses: Arc::default(),
            settings,
        })
    }

    /// Makes sure that the schema is up to date: the embedded database is migrated, PostgreSQL only if the
    /// settings allow it.
    ///
    /// # Errors
    /// One line that says what to run.
    pub async fn with_schema(self) -> anyhow::Result<Self> {
        let found = self.store.upkeep.migrations().await.context("cannot reach the database")?;
        // Served all the same: while processes are restarted with a newer version, the older ones go on.
        let newer: Vec<&str> = found.newer().collect();
        if !newer.is_empty() {
            let migrations = newer.join(", ");
            tracing::warn!(
                migrations,
                "a newer version migrated the database: install that version here too"
            );
        }
        let pending = found.pending;
        if pending.is_empty() {
            return Ok(self);
        }
        if self.store.upkeep.kind() == DatabaseKind::Postgres && !self.settings.migrate_on_start {
            bail!(
                "the database schema is not up to date ({} migrations pending): run `countinghouse migrate`, or set \
                 COUNTINGHOUSE_MIGRATE_ON_START=true",
                pending.len()
            );
        }
        self.store.upkeep.migrate_up().await.context("cannot migrate the database")?;
        Ok(self)
    }

    /// The URLs that a command prints. Their base is the one that is set, else the one of the service's last
    /// start, else the one that a start would use.
    pub async fn public_urls(&self) -> anyhow::Result<PublicUrls> {
        let noted = match self.settings.public_url {
            Some(_) => None,
            None => self.store.upkeep.metadata(MetadataKey::PublicUrl).await?,
        };
        let noted = noted.and_then(|base| String::from_utf8(base).ok());
        let would_be = || self.settings.public_urls(self.settings.listen);
        Ok(noted.map_or_else(would_be, |base| PublicUrls::new(&base)))
    }

    /// The master key that fits the database.
    ///
    /// # Errors
    /// As [`MasterKey::of_database`].
    pub async fn master_key(&self) -> anyhow::Result<MasterKey> {
        MasterKey::of_database(&self.settings, &*self.store.upkeep, &*self.random).await
    }

    /// The same dependencies for one change of an account by the operator; the transaction of the change also
    /// writes an audit entry.
    #[must_use]
    pub fn audited(&self, account: AccountId, change: AuditedChange) -> Self {
        let entry = self.audit().entry(account, &Actor::Operator, None, change);
        self.on_store(self.store.audited(entry))
    }

    /// The same dependencies on another store.
    fn on_store(&self, store: Store) -> Self {
        Self { store, ..self.clone() }
    }

    /// The use cases of the operator.
    #[must_use]
    pub fn operator_accounts(&self) -> OperatorAccounts {
        OperatorAccounts {
            store: self.store.operator.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
        }
    }

    /// The use cases of partners.
    #[must_use]
    pub fn partner_accounts(
        &self,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
        client: Client,
    ) -> PartnerAccounts {
        PartnerAccounts {
            store: self.store.provisioning.clone(),
            reads: self.store.account_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
            default_currency: self.settings.default_currency,
            logos: self.logos(client.clone()),
            guard: Arc::new(client),
            keys,
            urls: urls.clone(),
        }
    }

    /// The use cases of accounts' owners.
    #[must_use]
    pub fn own_accounts(&self, urls: &PublicUrls, client: Client) -> OwnAccounts {
        OwnAccounts {
            store: self.store.own_accounts.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
            logos: self.logos(client),
            urls: urls.clone(),
        }
    }

    /// The use cases of invoices.
    #[must_use]
    pub fn invoicing(&self, urls: &PublicUrls) -> Invoicing {
        Invoicing {
            store: self.store.invoicing.clone(),
            reads: self.store.invoice_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            random: self.random.clone(),
            policy: InvoicingPolicy { payment_terms_days: self.settings.payment_terms_days },
            urls: urls.clone(),
            ledger: self.settings.has_ledger(),
        }
    }

    /// The use cases of contacts.
    fn contacts(&self) -> ContactService {
        ContactService {
            store: self.store.contacts.clone(),
            reads: self.store.contact_reads.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        }
    }

    /// Renders invoices.
    fn invoice_renderer(
        &self,
        urls: &PublicUrls,
        online: OnlinePayments,
        documents: Arc<dyn InvoiceDocuments>,
    ) -> InvoiceRenderer {
        InvoiceRenderer {
            documents,
            logos: Arc::new(self.media.clone()),
            bank_transfers: self.bank_transfers(),
            online: Self::online_offers(online),
            urls: urls.clone(),
        }
    }

    /// The templates of all kinds of mail.
    ///
    /// # Errors
    /// When no thread can be started that renders invoices.
    fn email_templates(
        &self,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
        online: OnlinePayments,
    ) -> anyhow::Result<Templates> {
        let documents = Arc::new(KrillaDocuments::new(RenderPriority::Background)?);
        let renderer = self.invoice_renderer(urls, online, documents);
        let templates: [Arc<dyn EmailTemplate>; 10] = [
            Arc::new(InvoiceEmail(renderer)),
            Arc::new(InvitationEmail { keys: keys.clone(), urls: urls.clone() }),
            Arc::new(NoticeEmail { urls: urls.clone() }),
            Arc::new(PasswordResetEmail {
                keys: keys.clone(),
                urls: urls.clone(),
                clock: self.clock.clone(),
            }),
            Arc::new(SecurityEmail { urls: urls.clone() }),
            Arc::new(PayLinkEmail(urls.clone())),
            Arc::new(ReceiptEmail(urls.clone())),
            Arc::new(GatewayKeyEmail { keys: keys.clone(), urls: urls.clone() }),
            Arc::new(BankDetailsEmail { keys, urls: urls.clone() }),
            Arc::new(ReminderTestEmail),
        ];
        Ok(templates.into_iter().collect())
    }

    /// The worker that moves invoices to due and overdue.
    #[must_use]
    pub fn due_dates(&self) -> DueDates {
        DueDates { store: self.store.due_dates.clone(), clock: self.clock.clone() }
    }
}

/// Opens only the store that the settings name.
///
/// # Errors
/// One line that says what is wrong with `DATABASE_URL`.
pub async fn open_store(settings: &Settings, announce: Announce) -> anyhow::Result<Store> {
    let options = StoreOptions {
        announce,
        extra_ca_file: settings.extra_ca_file.clone(),
        layout: settings.layout(),
        ..StoreOptions::default()
    };
    let url = settings.database_url();
    let store = store_diesel::open(url.reveal(), &options);
    store.await.context("DATABASE_URL")
}
