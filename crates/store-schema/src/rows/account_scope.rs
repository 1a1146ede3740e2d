//! The columns of an account that authentication reads.

use access::{AccountKeyRecord, SwitchedOffBy};
use diesel::prelude::*;
use kernel::{AccountScope, StoreResult, TimeZone};

use super::row_ref::RowRef;
use crate::schema::accounts;
use crate::types::RowId;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub struct AccountScopeRow {
    id: RowId,
    time_zone: String,
    currency: String,
    invoice_prefix: Option<String>,
    communications_enabled: bool,
    monthly_invoice_limit: Option<i64>,
    disabled_by_partner: bool,
    disabled_by_operator: bool,
}

impl AccountScopeRow {
    /// The key with its account, and who disabled the account.
    pub fn into_key_record(self, key: RowId) -> StoreResult<AccountKeyRecord> {
        let (scope, switched_off_by) = self.into_scope()?;
        Ok(AccountKeyRecord { key: key.id(), scope, switched_off_by })
    }

    /// The account, and who disabled it. If both did, the operator is returned.
    pub fn into_scope(self) -> StoreResult<(AccountScope, Option<SwitchedOffBy>)> {
        let row_ref = RowRef { table: "accounts", id: self.id };
        let limit = self.monthly_invoice_limit;
        let scope = AccountScope {
            id: self.id.id(),
            time_zone: TimeZone::from_stored(&self.time_zone),
            currency: row_ref.currency(&self.currency)?,
            invoice_prefix: self.invoice_prefix,
            communications_enabled: self.communications_enabled,
            monthly_invoice_limit: limit
                .map(|limit| row_ref.count("monthly_invoice_limit", limit))
                .transpose()?,
        };
        Ok((scope, switched_off_by(self.disabled_by_operator, self.disabled_by_partner)))
    }
}

/// Who disabled an account.
pub(crate) const fn switched_off_by(by_operator: bool, by_partner: bool) -> Option<SwitchedOffBy> {
    match (by_operator, by_partner) {
        (true, _) => Some(SwitchedOffBy::Operator),
        (false, true) => Some(SwitchedOffBy::Partner),
        (false, false) => None,
    }
}
