//! Finding, inserting and amending contacts inside a transaction.

use async_trait::async_trait;
use contacts::{Contact, ContactId, ContactReference, Contacts, ContactsStore, ContactsTx};
use diesel::dsl::{auto_type, exists};
use diesel::prelude::*;
use idempotency::{Claim, Ticket};
use kernel::{AccountId, StoreResult};
use store_schema::rows::ContactRow;
use store_schema::schema::{contact_preferences, contact_words, contacts as table};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::contact_lookup::matching;
use super::contact_words::InsertWords;
use super::database::Database;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::{KeyLocked, Locked, execute_together};

#[async_trait]
impl ContactsStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn ContactsTx>> {
        Ok(Box::new(UnitOfWork::of_account(self, account)))
    }
}

#[async_trait]
impl Contacts for UnitOfWork<AccountId> {
    async fn claim_and_lock(
        &mut self,
        ticket: &Ticket,
        reference: &ContactReference,
    ) -> StoreResult<(Claim, Vec<Contact>)> {
        let (claim, found) = self.claim_with(Some(ticket), Some(reference), false).await?;
        let contacts: Result<_, _> = found.contacts.into_iter().map(Contact::try_from).collect();
        Ok((claim, contacts?))
    }

    async fn lock_matching(&mut self, reference: &ContactReference) -> StoreResult<Vec<Contact>> {
        let Some(found) = matching(self.account(), reference) else {
            return Ok(Vec::new());
        };
        let rows: Vec<ContactRow> = self.tx.fetch_all(KeyLocked(found)).await?;
        rows.into_iter().map(Contact::try_from).collect()
    }

    async fn matching(&mut self, reference: &ContactReference) -> StoreResult<Vec<Contact>> {
        let Some(found) = matching(self.account(), reference) else {
            return Ok(Vec::new());
        };
        // Read outside the transaction: usually nothing is written afterwards, and then no transaction is
        // begun.
        let rows: Vec<ContactRow> = if self.tx.has_begun() {
            self.tx.fetch_all(found).await?
        } else {
            self.tx.read_outside_transaction().await?.fetch_all(found).await?
        };
        rows.into_iter().map(Contact::try_from).collect()
    }

    async fn insert_new(&mut self, contact: &Contact) -> StoreResult<bool> {
        let mut row = ContactRow::from(contact);
        row.account_id = self.account();
        let insert = diesel::insert_into(table::table).values(&row).on_conflict_do_nothing();
        let words = InsertWords::of(self.account(), contact)?;
        // If the contact was not inserted, the second statement inserts no words.
        let inserted = execute_together!(self.tx.conn().await?; insert, words);
        let (inserted, _words) = self.tx.settle(inserted)?;
        Ok(inserted == 1)
    }

    async fn lock(&mut self, id: ContactId) -> StoreResult<Option<Contact>> {
        let row =
            Locked(table::table.find((self.account(), RowId::from(id))).select(columns_of::<ContactRow>()));
        let found: Option<ContactRow> = self.tx.fetch_optional(row).await?;
        found.map(Contact::try_from).transpose()
    }

    async fn was_erased_since(&mut self, id: ContactId, instant: OffsetDateTime) -> StoreResult<bool> {
        let erasure = erasure_of(self.account(), id.into());
        let since = erasure.filter(contact_preferences::erased_at.ge(RowInstant(instant)));
        self.tx.fetch_one(diesel::select(exists(since))).await
    }

    async fn is_erased(&mut self, id: ContactId) -> StoreResult<bool> {
        let without_address = table::table
            .find((self.account(), RowId::from(id)))
            .filter(table::email.is_null())
            .filter(table::phone.is_null());
        self.tx
            .fetch_one(diesel::select(
                exists(erasure_of(self.account(), id.into())).and(exists(without_address)),
            ))
            .await
    }

    async fn update(&mut self, before: &Contact, contact: &Contact) -> StoreResult<bool> {
        if self.has_another_with_its_email(contact).await? {
            return Ok(false);
        }
        let row = ContactRow::from(contact);
        let update = diesel::update(table::table.find((self.account(), RowId::from(contact.id)))).set((
            table::name.eq(row.name),
            table::email.eq(row.email),
            table::email_key.eq(row.email_key),
            table::phone.eq(row.phone),
            table::address.eq(row.address),
            table::updated_at.eq(row.updated_at),
        ));
        self.tx.execute_unique(update).await?;
        if before.search_words() != contact.search_words() {
            let of_contact = contact_words::table
                .filter(contact_words::account_id.eq(self.account()))
                .filter(contact_words::contact_id.eq(RowId::from(contact.id)));
            self.tx.execute(diesel::delete(of_contact)).await?;
            let words = InsertWords::of(self.account(), contact)?;
            self.tx.execute(words).await?;
        }
        Ok(true)
    }
}

/// The mark of a contact that was erased.
#[auto_type]
fn erasure_of(account: RowId, contact: RowId) -> _ {
    contact_preferences::table
        .filter(contact_preferences::account_id.eq(account))
        .filter(contact_preferences::contact_id.eq(contact))
        .filter(contact_preferences::erased_at.is_not_null())
}

impl UnitOfWork<AccountId> {
    async fn has_another_with_its_email(&mut self, contact: &Contact) -> StoreResult<bool> {
        let Some(email) = &contact.email else {
            return Ok(false);
        };
        let others = table::table
            .filter(table::account_id.eq(self.account()))
            .filter(table::email_key.eq(email.matching_key()))
            .filter(table::id.ne(RowId::from(contact.id)));
        self.tx.fetch_one(diesel::select(exists(others))).await
    }
}
