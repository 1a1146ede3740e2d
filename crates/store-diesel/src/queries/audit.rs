//! Audit entries: added and read, never changed.

use ::sessions::{AuditEntries, AuditEntry, AuditEntryId, AuditLog};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::errors::failed;
use store_schema::rows::AuditEntryRow;
use store_schema::schema::audit_entries;
use store_schema::types::RowId;

use super::audit_entry;
use super::columns::columns_of;
use super::database::Database;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::Db;

#[async_trait]
impl AuditLog for Database {
    async fn record(&self, entry: &AuditEntry) -> StoreResult<()> {
        let mut connection = self.pool.of(entry.account.into()).write().await?;
        let statement = diesel::insert_into(audit_entries::table).values(AuditEntryRow::from(entry));
        connection.execute(statement).await?;
        Ok(())
    }

    async fn list(
        &self,
        account: AccountId,
        before: Option<AuditEntryId>,
        limit: usize,
    ) -> StoreResult<Vec<AuditEntry>> {
        let mut query = audit_entries::table
            .filter(audit_entries::account_id.eq(RowId::from(account)))
            .order(audit_entries::id.desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .select(columns_of::<AuditEntryRow>())
            .into_boxed::<Db>();
        if let Some(before) = before {
            query = query.filter(audit_entries::id.lt(RowId::from(before)));
        }
        let mut connection = self.pool.of(account.into()).read().await?;
        let rows: Vec<AuditEntryRow> = connection.fetch_all(query).await?;
        rows.into_iter().map(AuditEntry::try_from).collect()
    }
}

#[async_trait]
impl AuditEntries for UnitOfWork<AccountId> {
    async fn record(&mut self, entry: &AuditEntry) -> StoreResult<()> {
        if entry.account != self.scope {
            return Err(failed("the audit entry is of another account"));
        }
        audit_entry::write(&mut self.tx, entry).await
    }
}
