//! Loading in bulk, for seeding and measurements.

use access::NewKey;
use async_trait::async_trait;
use contacts::Contact;
use diesel::prelude::*;
use invoices::Invoice;
use kernel::{AccountId, StoreError, StoreResult};
use partner_accounts::Account;
use store_schema::ports::BulkLoad;
use store_schema::rows::{
    AccountKeyRow, AccountRow, ContactRow, ContactWordRow, InvoiceRow, LineItemRow, LoginRow, PaymentRow,
};
use store_schema::schema::{
    account_keys, accounts, contact_words, contacts as contacts_table, invoice_sequences as sequences,
    invoices as invoices_table, line_items, logins, payments,
};
use store_schema::types::RowId;

use super::database::Database;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::insert_rows;

#[async_trait]
impl BulkLoad for Database {
    async fn contacts(&self, contacts: &[Contact]) -> StoreResult<()> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let rows: Vec<_> = contacts.iter().map(ContactRow::from).collect();
        let inserted = insert_rows(tx.conn().await?, contacts_table::table, rows).await;
        tx.settle(inserted)?;
        let words: Vec<_> = contacts.iter().flat_map(ContactWordRow::of).collect();
        let inserted = insert_rows(tx.conn().await?, contact_words::table, words).await;
        tx.settle(inserted)?;
        tx.commit().await
    }

    async fn invoices(&self, invoices: &[Invoice]) -> StoreResult<()> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let rows: Vec<_> = invoices.iter().map(InvoiceRow::from).collect();
        let lines: Vec<_> = invoices.iter().flat_map(LineItemRow::of).collect();
        let paid: Vec<_> = invoices.iter().flat_map(PaymentRow::of).collect();
        let inserted = insert_rows(tx.conn().await?, invoices_table::table, rows).await;
        tx.settle(inserted)?;
        let inserted = insert_rows(tx.conn().await?, line_items::table, lines).await;
        tx.settle(inserted)?;
        let inserted = insert_rows(tx.conn().await?, payments::table, paid).await;
        tx.settle(inserted)?;
        tx.commit().await
    }

    async fn accounts(&self, opened: &[(Account, NewKey)]) -> StoreResult<()> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let rows: Vec<_> = opened.iter().map(|(account, _)| AccountRow::from(account)).collect();
        let owners: Vec<_> = opened.iter().map(|(account, _)| LoginRow::from(account)).collect();
        let keys = opened.iter().map(|(account, key)| AccountKeyRow::new(account.id.into(), key));
        let keys: Vec<_> = keys.collect();
        let inserted = insert_rows(tx.conn().await?, accounts::table, rows).await;
        tx.settle(inserted)?;
        let inserted = insert_rows(tx.conn().await?, logins::table, owners).await;
        tx.settle(inserted)?;
        let inserted = insert_rows(tx.conn().await?, account_keys::table, keys).await;
        tx.settle(inserted)?;
        tx.commit().await
    }

    async fn set_sequence(&self, account: AccountId, next: u64) -> StoreResult<()> {
        let next = i64::try_from(next).map_err(|source| StoreError::Failed(source.into()))?;
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let account = RowId::from(account);
        let statement = diesel::insert_into(sequences::table)
            .values((sequences::account_id.eq(account), sequences::next.eq(next)))
            .on_conflict_do_nothing();
        tx.execute(statement).await?;
        let statement = diesel::update(sequences::table)
            .filter(sequences::account_id.eq(account))
            .filter(sequences::next.lt(next))
            .set(sequences::next.eq(next));
        tx.execute(statement).await?;
        tx.commit().await
    }
}
