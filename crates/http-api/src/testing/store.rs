//! A store in memory: what it keeps, and its reads.

use std::sync::{Arc, Mutex};

use access::{AccountStanding, Credentials, KeyHash, PartnerStanding};
use async_trait::async_trait;
use contacts::{Contact, ContactId, ContactReads, ExternalId};
use escalations::Escalation;
use idempotency::{Fingerprint, StoredResponse};
use invoices::{Invoice, InvoiceFilter, InvoiceId, InvoiceReads, Letterhead};
use kernel::{
    AccountId, AccountScope, Currency, Cursor, EmailAddress, Id, Ids as _, LogoKey, OffsetPage,
    Page, PageSize, PartnerScope, SingleLine, StoreError, TimeZone,
};
use mail::QueuedMail;
use partner_accounts::{Account, AccountReads, Invitation};
use testkit::{CountingIds, StillClock};
use webhooks::{Endpoint, SealedSecret};

/// A store in memory.
pub(crate) struct Store(pub(crate) Arc<Mutex<Kept>>);

/// What the store keeps.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) account_key: (KeyHash, AccountStanding),
    pub(crate) partner_key: (KeyHash, PartnerStanding),
    pub(crate) look_ups: usize,
    /// How often one invoice was read.
    pub(crate) reads: usize,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) invoices: Vec<Invoice>,
    pub(crate) escalations: Vec<Escalation>,
    pub(crate) accounts: Vec<Account>,
    pub(crate) answers: Vec<(String, Fingerprint, StoredResponse)>,
    pub(crate) next_number: u64,
    pub(crate) mails: Vec<QueuedMail>,
    pub(crate) invitations: Vec<Invitation>,
    pub(crate) endpoints: Vec<(Endpoint, SealedSecret)>,
    pub(crate) logos: Vec<(LogoKey, Vec<u8>)>,
    pub(crate) logos_to_remove: Vec<LogoKey>,
    pub(crate) mood: Mood,
}

/// How the store behaves beyond its look-up of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    InFlight,
    Unavailable,
    Broken,
    Hanging,
    Panicking,
}

impl Kept {
    /// An empty store that knows one key of each space.
    pub(crate) fn with_keys(account: KeyHash, partner: KeyHash) -> Self {
        let ids = CountingIds::default();
        let id = || ids.uuid_at(StillClock::START);
        let scope = AccountScope {
            id: Id::from_uuid(id()),
            time_zone: TimeZone::utc(),
            currency: Currency::parse("AUD").unwrap(),
            invoice_prefix: None,
            communications_enabled: true,
            monthly_invoice_limit: None,
        };
        let standing = AccountStanding {
            key: Id::from_uuid(id()),
            scope,
            switched_off_by: None,
        };
        let partner_standing = PartnerStanding {
            key: Id::from_uuid(id()),
            scope: PartnerScope {
                id: Id::from_uuid(id()),
            },
            switched_off: false,
        };
        Self {
            account_key: (account, standing),
            partner_key: (partner, partner_standing),
            look_ups: 0,
            reads: 0,
            contacts: Vec::new(),
            invoices: Vec::new(),
            escalations: Vec::new(),
            accounts: Vec::new(),
            answers: Vec::new(),
            next_number: 1,
            mails: Vec::new(),
            invitations: Vec::new(),
            endpoints: Vec::new(),
            logos: Vec::new(),
            logos_to_remove: Vec::new(),
            mood: Mood::Well,
        }
    }
}

impl Store {
    /// What is kept now, unless the store is in no mood to tell.
    pub(super) async fn look(&self) -> Result<Kept, StoreError> {
        let kept = self.0.lock().unwrap().clone();
        match kept.mood {
            Mood::Well | Mood::InFlight => Ok(kept),
            Mood::Unavailable => Err(StoreError::Unavailable("no connection to 10.0.0.7".into())),
            Mood::Broken => Err(StoreError::Failed("relation does not exist".into())),
            Mood::Hanging => std::future::pending().await,
            Mood::Panicking => panic!("the store fell over"),
        }
    }
}

/// What every account says of itself here.
pub(super) fn letterhead() -> Letterhead {
    Letterhead {
        company_name: "Acme Pty Ltd".to_owned(),
        ..Letterhead::default()
    }
}

#[async_trait]
impl Credentials for Store {
    async fn account_key(&self, hash: &KeyHash) -> Result<Option<AccountStanding>, StoreError> {
        let mut kept = self.0.lock().unwrap();
        kept.look_ups += 1;
        let (known, standing) = &kept.account_key;
        Ok((known == hash).then(|| standing.clone()))
    }

    async fn partner_key(&self, hash: &KeyHash) -> Result<Option<PartnerStanding>, StoreError> {
        let mut kept = self.0.lock().unwrap();
        kept.look_ups += 1;
        let (known, standing) = &kept.partner_key;
        Ok((known == hash).then(|| standing.clone()))
    }
}

#[async_trait]
impl ContactReads for Store {
    async fn get(&self, account: AccountId, id: ContactId) -> Result<Option<Contact>, StoreError> {
        let mut contacts = self.look().await?.contacts.into_iter();
        Ok(contacts.find(|contact| contact.account == account && contact.id == id))
    }

    async fn look_up(
        &self,
        account: AccountId,
        email: Option<&EmailAddress>,
        external_id: Option<&ExternalId>,
    ) -> Result<Option<Contact>, StoreError> {
        let mut contacts = self.look().await?.contacts.into_iter();
        Ok(contacts.find(|contact| {
            contact.account == account
                && (email.is_none() || contact.email.as_ref() == email)
                && (external_id.is_none() || contact.external_id.as_ref() == external_id)
        }))
    }
}

#[async_trait]
impl InvoiceReads for Store {
    async fn get(&self, account: AccountId, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        self.0.lock().unwrap().reads += 1;
        let mut invoices = self.look().await?.invoices.into_iter();
        Ok(invoices.find(|invoice| invoice.account == account && invoice.id == id))
    }

    async fn list(
        &self,
        account: AccountId,
        filter: &InvoiceFilter,
        size: PageSize,
        after: Option<Cursor>,
    ) -> Result<Page<Invoice>, StoreError> {
        let mut invoices = self.look().await?.invoices;
        invoices.retain(|invoice| {
            let wanted = filter.statuses.is_empty() || filter.statuses.contains(&invoice.status);
            let older = after.is_none_or(|cursor| invoice.id.uuid() < cursor.after);
            invoice.account == account && wanted && older
        });
        invoices.sort_by_key(|invoice| std::cmp::Reverse(invoice.id));
        let more = invoices.len() > size.get();
        invoices.truncate(size.get());
        let last = invoices.last().filter(|_| more);
        let next = last.map(|invoice| Cursor {
            after: invoice.id.uuid(),
        });
        Ok(Page {
            items: invoices,
            next,
        })
    }

    async fn letterhead(&self, _: AccountId) -> Result<Letterhead, StoreError> {
        self.look().await.map(|_| letterhead())
    }
}

#[async_trait]
impl AccountReads for Store {
    async fn get(
        &self,
        partner: PartnerScope,
        id: AccountId,
    ) -> Result<Option<Account>, StoreError> {
        let mut accounts = self.look().await?.accounts.into_iter();
        Ok(accounts.find(|account| account.partner == partner.id && account.id == id))
    }

    async fn with_external_id(
        &self,
        partner: PartnerScope,
        external_id: &SingleLine<255>,
    ) -> Result<Option<Account>, StoreError> {
        let mut accounts = self.look().await?.accounts.into_iter();
        Ok(accounts.find(|account| {
            account.partner == partner.id && account.external_id.as_ref() == Some(external_id)
        }))
    }

    async fn list(
        &self,
        partner: PartnerScope,
        limit: usize,
        offset: u64,
    ) -> Result<OffsetPage<Account>, StoreError> {
        let mut accounts = self.look().await?.accounts;
        accounts.retain(|account| account.partner == partner.id);
        accounts.reverse();
        let total = u64::try_from(accounts.len()).unwrap();
        let skipped = usize::try_from(offset).unwrap();
        let items = accounts.into_iter().skip(skipped).take(limit).collect();
        Ok(OffsetPage { items, total })
    }
}
