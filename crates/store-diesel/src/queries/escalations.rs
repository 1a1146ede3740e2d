//! Creating, resolving and reading escalations.

use ::escalations::{
    Escalation, EscalationId, EscalationReads, Escalations, EscalationsStore, EscalationsTx,
};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};

use super::database::Database;
use super::dialect::Locked;
use super::unit_of_work::UnitOfWork;
use crate::errors::failed;
use crate::rows::EscalationRow;
use crate::schema::{accounts, escalations};
use crate::types::RowId;

#[async_trait]
impl EscalationsStore for Database {
    async fn begin(&self, account: AccountId) -> Result<Box<dyn EscalationsTx>, StoreError> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }
}

#[async_trait]
impl Escalations for UnitOfWork<AccountId> {
    async fn has_account(&mut self) -> Result<bool, StoreError> {
        let own = accounts::table.filter(accounts::id.eq(self.account()));
        let found = diesel::select(exists(own)).get_result(self.tx.conn().await?).await;
        self.tx.settle(found)
    }

    async fn insert(&mut self, escalation: &Escalation) -> Result<(), StoreError> {
        let row = self.escalation_row(escalation)?;
        let inserted =
            diesel::insert_into(escalations::table).values(&row).execute(self.tx.conn().await?).await;
        self.tx.settle(inserted).map(|_one| ())
    }

    async fn lock(&mut self, id: EscalationId) -> Result<Option<Escalation>, StoreError> {
        let row = Locked(
            escalations::table
                .filter(escalations::account_id.eq(self.account()))
                .filter(escalations::id.eq(RowId::from(id)))
                .select(EscalationRow::as_select()),
        );
        let found = row.load::<EscalationRow>(self.tx.conn().await?).await;
        let row = self.tx.settle(found)?.pop();
        row.map(Escalation::try_from).transpose()
    }

    async fn update(&mut self, escalation: &Escalation) -> Result<(), StoreError> {
        let row = self.escalation_row(escalation)?;
        // The other columns never change.
        let updated = diesel::update(escalations::table)
            .filter(escalations::account_id.eq(row.account_id))
            .filter(escalations::id.eq(row.id))
            .set((
                escalations::resolution_outcome.eq(row.resolution_outcome),
                escalations::resolution_notes.eq(row.resolution_notes),
                escalations::resolved_at.eq(row.resolved_at),
                escalations::updated_at.eq(row.updated_at),
            ))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(updated).map(|_one| ())
    }
}

impl UnitOfWork<AccountId> {
    fn escalation_row(&self, escalation: &Escalation) -> Result<EscalationRow, StoreError> {
        if escalation.account == self.scope {
            Ok(EscalationRow::from(escalation))
        } else {
            Err(failed("the escalation is of another account"))
        }
    }
}

#[async_trait]
impl EscalationReads for Database {
    async fn get(&self, account: AccountId, id: EscalationId) -> Result<Option<Escalation>, StoreError> {
        let mut read = self.pool.point_read().await?;
        let found = escalations::table
            .filter(escalations::account_id.eq(RowId::from(account)))
            .filter(escalations::id.eq(RowId::from(id)))
            .select(EscalationRow::as_select())
            .get_result::<EscalationRow>(&mut read.conn()?)
            .await
            .optional();
        read.settle(found)?.map(Escalation::try_from).transpose()
    }
}
