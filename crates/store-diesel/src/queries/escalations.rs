//! Creating, resolving and reading escalations.

use ::escalations::{
    Escalation, EscalationId, EscalationPosition, EscalationReads, EscalationStatus, EscalationType,
    Escalations, EscalationsStore, EscalationsTx,
};
use async_trait::async_trait;
use contacts::{ContactId, Contacts};
use diesel::prelude::*;
use kernel::{AccountId, EmailAddress, Named as _, StoreResult};
use mail::NoticeRecipient;
use store_schema::errors::failed;
use store_schema::rows::{EscalationRow, silenced_from_row};
use store_schema::schema::{accounts, escalations, logins};
use store_schema::types::RowId;

use super::columns::columns_of;
use super::database::Database;
use super::pooled_connection::PooledConnection;
use super::preferences;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::{self, Db, Locked};

#[async_trait]
impl EscalationsStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn EscalationsTx>> {
        Ok(Box::new(UnitOfWork::of_account(self, account)))
    }
}

#[async_trait]
impl Escalations for UnitOfWork<AccountId> {
    async fn owner(&mut self) -> StoreResult<Option<NoticeRecipient>> {
        let own = logins::account_id.eq(accounts::id).and(logins::id.eq(accounts::id));
        let query = accounts::table
            .inner_join(logins::table.on(own))
            .filter(accounts::id.eq(self.account()))
            .select((logins::email, accounts::silenced_notices));
        let found: Option<(String, i16)> = self.tx.fetch_optional(query).await?;
        Ok(found.map(|(email, off)| NoticeRecipient {
            account: self.scope,
            email: EmailAddress::from_stored(email),
            silenced: silenced_from_row(off),
        }))
    }

    async fn lock_preferences(&mut self, contact: ContactId) -> StoreResult<()> {
        preferences::lock(&mut self.tx, self.scope, contact).await.map(|_found| ())
    }

    async fn is_erased(&mut self, contact: ContactId) -> StoreResult<bool> {
        Contacts::is_erased(self, contact).await
    }

    async fn open_of_contact(
        &mut self,
        contact: ContactId,
        escalation_type: EscalationType,
    ) -> StoreResult<Option<EscalationId>> {
        let query = escalations::table
            .filter(escalations::account_id.eq(self.account()))
            .filter(escalations::contact_id.eq(RowId::from(contact)))
            .filter(escalations::resolved_at.is_null())
            .filter(escalations::escalation_type.eq(escalation_type.as_str()))
            .order(escalations::id)
            .select(escalations::id)
            .limit(1);
        let found: Option<RowId> = self.tx.fetch_optional(query).await?;
        Ok(found.map(RowId::id))
    }

    async fn insert(&mut self, escalation: &Escalation) -> StoreResult<()> {
        let row = self.escalation_row(escalation)?;
        self.tx.execute(diesel::insert_into(escalations::table).values(&row)).await?;
        Ok(())
    }

    async fn lock(&mut self, id: EscalationId) -> StoreResult<Option<Escalation>> {
        let row = Locked(
            escalations::table.find((self.account(), RowId::from(id))).select(columns_of::<EscalationRow>()),
        );
        let found: Option<EscalationRow> = self.tx.fetch_optional(row).await?;
        found.map(Escalation::try_from).transpose()
    }

    async fn update(&mut self, escalation: &Escalation) -> StoreResult<()> {
        let row = self.escalation_row(escalation)?;
        // The other columns never change.
        let statement = diesel::update(escalations::table.find((row.account_id, row.id))).set((
            escalations::resolution_outcome.eq(row.resolution_outcome),
            escalations::resolution_notes.eq(row.resolution_notes),
            escalations::resolved_at.eq(row.resolved_at),
            escalations::updated_at.eq(row.updated_at),
        ));
        self.tx.execute(statement).await?;
        Ok(())
    }
}

impl UnitOfWork<AccountId> {
    fn escalation_row(&self, escalation: &Escalation) -> StoreResult<EscalationRow> {
        if escalation.account == self.scope {
            Ok(EscalationRow::from(escalation))
        } else {
            Err(failed("the escalation is of another account"))
        }
    }
}

#[async_trait]
impl EscalationReads for Database {
    async fn get(&self, account: AccountId, id: EscalationId) -> StoreResult<Option<Escalation>> {
        let mut read = self.pool.of(account.into()).point_read().await?;
        let query = escalations::table
            .find((RowId::from(account), RowId::from(id)))
            .select(columns_of::<EscalationRow>());
        let found = dialect::find!(read; query => EscalationRow)?;
        found.map(Escalation::try_from).transpose()
    }

    async fn list(
        &self,
        account: AccountId,
        after: Option<EscalationPosition>,
        limit: usize,
    ) -> StoreResult<Vec<Escalation>> {
        let account = RowId::from(account);
        let after = after.unwrap_or(EscalationPosition::beginning(EscalationStatus::Open));
        let mut connection = self.pool.of(account).read().await?;
        // Without one snapshot, an escalation that is resolved between the queries would be listed twice.
        connection.begin_reading().await?;
        let mut rows = part(&mut connection, account, after, limit).await?;
        if after.status == EscalationStatus::Open && rows.len() < limit {
            let left = limit.saturating_sub(rows.len());
            let resolved = EscalationPosition::beginning(EscalationStatus::Resolved);
            rows.extend(part(&mut connection, account, resolved, left).await?);
        }
        connection.end_reading().await?;
        rows.into_iter().map(Escalation::try_from).collect()
    }

    async fn list_by_age(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        after: Option<EscalationId>,
        limit: usize,
    ) -> StoreResult<Vec<Escalation>> {
        let account = RowId::from(account);
        let mut query = escalations::table
            .into_boxed::<Db>()
            .filter(escalations::account_id.eq(account))
            .order(escalations::id.desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .select(columns_of::<EscalationRow>());
        if let Some(contact) = contact {
            query = query.filter(escalations::contact_id.eq(RowId::from(contact)));
        }
        if let Some(after) = after {
            query = query.filter(escalations::id.lt(RowId::from(after)));
        }
        let mut connection = self.pool.of(account).read().await?;
        let rows: Vec<EscalationRow> = connection.fetch_all(query).await?;
        rows.into_iter().map(Escalation::try_from).collect()
    }
}

/// A page of escalations of one status, newest first, along the index.
async fn part(
    connection: &mut PooledConnection,
    account: RowId,
    after: EscalationPosition,
    limit: usize,
) -> StoreResult<Vec<EscalationRow>> {
    let page = escalations::table
        .filter(escalations::account_id.eq(account))
        .filter(escalations::id.lt(RowId::from(after.after)))
        .order(escalations::id.desc())
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .select(columns_of::<EscalationRow>());
    match after.status {
        EscalationStatus::Open => connection.fetch_all(page.filter(escalations::resolved_at.is_null())).await,
        EscalationStatus::Resolved => {
            connection.fetch_all(page.filter(escalations::resolved_at.is_not_null())).await
        }
    }
}
