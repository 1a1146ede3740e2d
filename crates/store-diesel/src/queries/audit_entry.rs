//! Inserting an audit entry in a transaction.

use ::sessions::AuditEntry;
use kernel::StoreResult;
use store_schema::rows::AuditEntryRow;
use store_schema::schema::audit_entries;

use super::run_statements::RunStatements as _;
use super::transaction::Transaction;

pub(super) async fn write(tx: &mut Transaction, entry: &AuditEntry) -> StoreResult<()> {
    let statement = diesel::insert_into(audit_entries::table).values(AuditEntryRow::from(entry));
    tx.execute(statement).await?;
    Ok(())
}
