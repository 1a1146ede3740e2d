//! Loading in bulk: each kind of record goes in as one JSON array and one INSERT that takes it apart.
//!
//! The database reads JSON faster than a statement for each row could be sent, and one text is one parameter
//! on both databases.

use access::NewKey;
use async_trait::async_trait;
use contacts::Contact;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use invoices::Invoice;
use kernel::{AccountId, StoreError};
use partner_accounts::Account;

use super::database::Database;
use super::dialect;
use super::purpose::Purpose;
use super::transaction::Transaction;
use crate::bulk_rows::{self, BulkTable};
use crate::ports::BulkLoad;
use crate::schema::invoice_sequences as sequences;
use crate::types::RowId;

#[async_trait]
impl BulkLoad for Database {
    async fn contacts(&self, contacts: &[Contact]) -> Result<(), StoreError> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let rows = bulk_rows::contacts(contacts)?;
        insert(&mut tx, &bulk_rows::CONTACTS, rows).await?;
        tx.commit().await
    }

    async fn invoices(&self, invoices: &[Invoice]) -> Result<(), StoreError> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let (lines, payments) = (bulk_rows::lines(invoices)?, bulk_rows::payments(invoices)?);
        insert(&mut tx, &bulk_rows::INVOICES, bulk_rows::invoices(invoices)?).await?;
        insert(&mut tx, &bulk_rows::LINES, lines).await?;
        insert(&mut tx, &bulk_rows::PAYMENTS, payments).await?;
        tx.commit().await
    }

    async fn accounts(&self, accounts: &[(Account, NewKey)]) -> Result<(), StoreError> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let (logins, keys) = (bulk_rows::logins(accounts)?, bulk_rows::keys(accounts)?);
        insert(&mut tx, &bulk_rows::ACCOUNTS, bulk_rows::accounts(accounts)?).await?;
        insert(&mut tx, &bulk_rows::LOGINS, logins).await?;
        insert(&mut tx, &bulk_rows::KEYS, keys).await?;
        tx.commit().await
    }

    async fn set_sequence(&self, account: AccountId, next: u64) -> Result<(), StoreError> {
        let next = i64::try_from(next).map_err(|source| StoreError::Failed(source.into()))?;
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let account = RowId::from(account);
        let made = diesel::insert_into(sequences::table)
            .values((sequences::account_id.eq(account), sequences::next.eq(next)))
            .on_conflict_do_nothing()
            .execute(tx.conn().await?)
            .await;
        tx.settle(made)?;
        let moved = diesel::update(sequences::table)
            .filter(sequences::account_id.eq(account))
            .filter(sequences::next.lt(next))
            .set(sequences::next.eq(next))
            .execute(tx.conn().await?)
            .await;
        tx.settle(moved)?;
        tx.commit().await
    }
}

/// Inserts the rows of a JSON array of arrays, each with the table's columns in their order.
async fn insert(tx: &mut Transaction, table: &BulkTable, rows: String) -> Result<(), StoreError> {
    let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let values = (0..).zip(table.columns);
    let values = values.map(|(place, (_, kind))| dialect::json_value(place, *kind));
    let statement = format!(
        "INSERT INTO {} ({}) SELECT {} FROM {}",
        table.name,
        columns.join(", "),
        values.collect::<Vec<_>>().join(", "),
        dialect::JSON_ROWS,
    );
    let inserted = diesel::sql_query(statement).bind::<Text, _>(rows).execute(tx.conn().await?).await;
    tx.settle(inserted).map(|_count| ())
}
