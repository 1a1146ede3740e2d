//! Finding and inserting contacts inside a transaction.

use async_trait::async_trait;
use contacts::{Contact, ContactReference, Contacts, ContactsStore, ContactsTx};
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};

use super::contact_lookup::{Expected, matching};
use super::database::Database;
use super::unit_of_work::UnitOfWork;
use crate::rows::ContactRow;
use crate::schema::contacts as table;

#[async_trait]
impl ContactsStore for Database {
    async fn begin(&self, account: AccountId) -> Result<Box<dyn ContactsTx>, StoreError> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }
}

#[async_trait]
impl Contacts for UnitOfWork<AccountId> {
    fn will_match(&mut self, reference: &ContactReference) {
        self.expected = reference.can_match().then(|| Expected::Wanted(reference.clone()));
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
            let mut connection = self.tx.read_aside().await?;
            let rows = found.load::<ContactRow>(connection.conn()?).await;
            connection.settle(rows)?
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
