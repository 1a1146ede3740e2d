//! Finding and inserting contacts inside a transaction.

use std::sync::OnceLock;

use async_trait::async_trait;
use contacts::{Contact, ContactReference, Contacts, ContactsStore, ContactsTx};
use diesel::dsl::{AsSelect, IntoBoxed, Select};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};

use super::Database;
use super::dialect::Db;
use super::unit_of_work::UnitOfWork;
use crate::rows::ContactRow;
use crate::schema::contacts::{self as table, account_id, email_key, external_id, id};
use crate::types::RowId;
use crate::written_once::WrittenOnce;

#[async_trait]
impl ContactsStore for Database {
    async fn begin(&self, account: AccountId) -> Result<Box<dyn ContactsTx>, StoreError> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }
}

/// A look-up of contacts that is sent along with the first statement.
pub(super) enum Expected {
    /// Not sent yet.
    Wanted(ContactReference),
    /// Its result.
    Found(ContactReference, Vec<ContactRow>),
}

type Columns = WrittenOnce<AsSelect<ContactRow, Db>>;

/// The contacts with any of the values that a reference names; `None` when it names none. Each condition names
/// the account, so that each is served by an index.
pub(crate) fn matching(
    account: RowId,
    reference: &ContactReference,
) -> Option<IntoBoxed<'_, Select<table::table, Columns>, Db>> {
    if !reference.can_match() {
        return None;
    }
    static TEXT: OnceLock<String> = OnceLock::new();
    let columns = WrittenOnce::at(&TEXT, ContactRow::as_select());
    let mut found = table::table.select(columns).into_boxed::<Db>();
    let of = || account_id.eq(account);
    if let Some(wanted) = reference.id {
        found = found.or_filter(of().and(id.eq(RowId::from(wanted))));
    }
    if let Some(wanted) = &reference.external_id {
        found = found.or_filter(of().and(external_id.eq(wanted.as_str())));
    }
    if let Some(wanted) = &reference.email {
        found = found.or_filter(of().and(email_key.eq(wanted.matching_key())));
    }
    Some(found)
}

#[async_trait]
impl Contacts for UnitOfWork<AccountId> {
    fn will_match(&mut self, reference: &ContactReference) {
        self.expected = reference
            .can_match()
            .then(|| Expected::Wanted(reference.clone()));
    }

    async fn matching(&mut self, reference: &ContactReference) -> Result<Vec<Contact>, StoreError> {
        // Used once: after a conflict with another transaction the contacts are read again.
        if let Some(Expected::Found(found, rows)) = self.expected.take()
            && found == *reference
        {
            return rows.into_iter().map(Contact::try_from).collect();
        }
        let Some(found) = matching(self.account(), reference) else {
            return Ok(Vec::new());
        };
        // Read outside the transaction: mostly nothing is written afterwards, and then no transaction is
        // begun at all.
        let rows = if self.tx.has_begun() {
            let rows = found.load::<ContactRow>(self.tx.conn().await?).await;
            self.tx.settle(rows)?
        } else {
            let mut lease = self.tx.read_aside().await?;
            let rows = found.load::<ContactRow>(lease.conn()?).await;
            lease.settle(rows)?
        };
        rows.into_iter().map(Contact::try_from).collect()
    }

    async fn insert_new(&mut self, contact: &Contact) -> Result<bool, StoreError> {
        let mut row = ContactRow::from(contact);
        row.account_id = self.account();
        let inserted = diesel::insert_into(table::table)
            .values(&row)
            .on_conflict_do_nothing()
            .execute(self.tx.conn().await?)
            .await;
        Ok(self.tx.settle(inserted)? == 1)
    }
}
