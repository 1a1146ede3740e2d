//! The letterhead of an account.

use ::invoices::{Letterhead, Letterheads};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};

use super::dialect::Connection;
use super::unit_of_work::UnitOfWork;
use crate::rows::LetterheadRow;
use crate::schema::{accounts, logins};
use crate::types::RowId;

#[async_trait]
impl Letterheads for UnitOfWork<AccountId> {
    async fn letterhead(&mut self) -> Result<Letterhead, StoreError> {
        let account = self.account();
        let found = letterhead_of(account, self.tx.conn().await?).await;
        Ok(self.tx.settle(found)?.into())
    }
}

/// The letterhead of an account, with the e-mail address of its owner.
pub(super) async fn letterhead_of(
    account: RowId,
    connection: &mut Connection,
) -> QueryResult<LetterheadRow> {
    accounts::table
        .inner_join(
            logins::table.on(logins::account_id
                .eq(accounts::id)
                .and(logins::id.eq(accounts::id))),
        )
        .filter(accounts::id.eq(account))
        .select(LetterheadRow::as_select())
        .get_result(connection)
        .await
}
