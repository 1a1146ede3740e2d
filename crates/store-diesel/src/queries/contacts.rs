//! Finding and inserting contacts inside a transaction.

use async_trait::async_trait;
use contacts::{Contact, ContactReference, Contacts, ContactsStore, ContactsTx};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, EmailAddress, StoreError};

use super::Database;
use super::unit_of_work::UnitOfWork;
use crate::rows::ContactRow;
use crate::schema::contacts::{self as table, account_id, email_key, external_id, id};
use crate::types::RowId;

#[async_trait]
impl ContactsStore for Database {
    async fn begin(&self, account: AccountId) -> Result<Box<dyn ContactsTx>, StoreError> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }
}

#[async_trait]
impl Contacts for UnitOfWork<AccountId> {
    async fn matching(&mut self, reference: &ContactReference) -> Result<Vec<Contact>, StoreError> {
        let account = self.account();
        let wanted_id = reference.id.map(RowId::from);
        let wanted_external_id = reference.external_id.as_ref().map(|line| line.as_str());
        let wanted_email = reference.email.as_ref().map(EmailAddress::matching_key);
        // Each arm names the account, so that each has an index of its own. What the reference leaves out is NULL, and equals
        // nothing.
        let of = || account_id.eq(account);
        let found = table::table
            .filter(
                of().and(id.nullable().eq(wanted_id))
                    .or(of().and(external_id.eq(wanted_external_id)))
                    .or(of().and(email_key.eq(wanted_email))),
            )
            .select(ContactRow::as_select());
        // Most often there is nothing to write then, and so no transaction to begin. In one, each statement would see what is committed
        // by then as well.
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
