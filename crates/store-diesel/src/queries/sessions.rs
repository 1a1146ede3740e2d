//! Reading logins and sessions, and ending or updating a session in one statement.

use std::sync::OnceLock;

use ::sessions::{
    LoginRecord, PasswordReset, ResetRequest, ResetRequestId, Session, SessionId, SessionRecord,
    SessionsStore, SessionsTx,
};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, AccountToken, EmailAddress, StoreError, StoreResult};
use partner_accounts::Invitation;
use store_schema::rows::{
    AccountScopeRow, InvitationRow, LoginRecordRow, OwnerRow, PasswordResetRow, SessionRow, login_record,
};
use store_schema::schema::{
    accounts, invitations, logins, password_resets, recovery_codes, reset_requests, sessions,
};
use store_schema::types::{RowId, RowInstant};
use store_schema::written_once::WrittenOnce;
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::old_rows::Old;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect;

#[async_trait]
impl SessionsStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn SessionsTx>> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }

    async fn session_record(&self, token: &AccountToken) -> StoreResult<Option<SessionRecord>> {
        static TEXT: OnceLock<String> = OnceLock::new();
        let columns = (
            columns_of::<SessionRow>(),
            columns_of::<AccountScopeRow>(),
            accounts::company_name,
            logins::email,
        );
        let hash = token.hash();
        let mut read = self.pool.of(token.account().into()).point_read().await?;
        let query = sessions::table
            .inner_join(accounts::table.on(accounts::id.eq(sessions::account_id)))
            .inner_join(
                logins::table
                    .on(logins::account_id.eq(sessions::account_id).and(logins::id.eq(sessions::login_id))),
            )
            .filter(sessions::account_id.eq(RowId::from(token.account())))
            .filter(sessions::token_hash.eq(hash.as_bytes().to_vec()))
            .select(WrittenOnce::at(&TEXT, columns));
        let found = dialect::find!(read; query => (SessionRow, AccountScopeRow, String, String))?;
        let Some((session, account, company_name, email)) = found else {
            return Ok(None);
        };
        let (scope, switched_off_by) = account.into_scope()?;
        let session = Session::try_from(session)?;
        let email = EmailAddress::from_stored(email);
        Ok(Some(SessionRecord { session, scope, switched_off_by, email, company_name }))
    }

    async fn record_use(
        &self,
        account: AccountId,
        session: SessionId,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        let mut connection = self.pool.of(account.into()).write().await?;
        let statement = diesel::update(sessions::table.find((RowId::from(account), RowId::from(session))))
            .set(sessions::last_seen_at.eq(RowInstant(now)));
        connection.execute(statement).await?;
        Ok(())
    }

    async fn end(&self, token: &AccountToken) -> StoreResult<()> {
        let hash = token.hash();
        let mut connection = self.pool.of(token.account().into()).write().await?;
        let statement = diesel::delete(sessions::table)
            .filter(sessions::account_id.eq(RowId::from(token.account())))
            .filter(sessions::token_hash.eq(hash.as_bytes().as_slice()));
        connection.execute(statement).await?;
        Ok(())
    }

    async fn sessions(&self, account: AccountId) -> StoreResult<Vec<Session>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = sessions::table
            .filter(sessions::account_id.eq(RowId::from(account)))
            .order((sessions::last_seen_at.desc(), sessions::id.desc()))
            .select(columns_of::<SessionRow>());
        let rows: Vec<SessionRow> = connection.fetch_all(query).await?;
        rows.into_iter().map(Session::try_from).collect()
    }

    async fn login_with_email(&self, email: &EmailAddress) -> StoreResult<Option<LoginRecord>> {
        let mut connection = self.pool.read().await?;
        let query = logins::table
            .inner_join(accounts::table.on(accounts::id.eq(logins::account_id)))
            .filter(logins::email_key.eq(email.matching_key()))
            .select((columns_of::<LoginRecordRow>(), columns_of::<OwnerRow>()));
        let found: Option<(LoginRecordRow, OwnerRow)> = connection.fetch_optional(query).await?;
        found.map(login_record).transpose()
    }

    async fn login(&self, account: AccountId) -> StoreResult<Option<LoginRecord>> {
        let account = RowId::from(account);
        let mut connection = self.pool.read().await?;
        // The owner's login has the id of the account.
        let query = logins::table
            .inner_join(accounts::table.on(accounts::id.eq(logins::account_id)))
            .filter(logins::account_id.eq(account))
            .filter(logins::id.eq(account))
            .select((columns_of::<LoginRecordRow>(), columns_of::<OwnerRow>()));
        let found: Option<(LoginRecordRow, OwnerRow)> = connection.fetch_optional(query).await?;
        found.map(login_record).transpose()
    }

    async fn invitation(&self, token: &AccountToken) -> StoreResult<Option<Invitation>> {
        let hash = token.hash();
        let mut connection = self.pool.read().await?;
        let query = invitations::table
            .filter(invitations::account_id.eq(RowId::from(token.account())))
            .filter(invitations::token_hash.eq(hash.as_bytes().as_slice()))
            .select(columns_of::<InvitationRow>());
        let found: Option<InvitationRow> = connection.fetch_optional(query).await?;
        found.map(Invitation::try_from).transpose()
    }

    async fn password_reset(&self, token: &AccountToken) -> StoreResult<Option<PasswordReset>> {
        let hash = token.hash();
        let mut connection = self.pool.of(token.account().into()).read().await?;
        let query = password_resets::table
            .filter(password_resets::account_id.eq(RowId::from(token.account())))
            .filter(password_resets::token_hash.eq(hash.as_bytes().as_slice()))
            .select(columns_of::<PasswordResetRow>());
        let found: Option<PasswordResetRow> = connection.fetch_optional(query).await?;
        found.map(PasswordReset::try_from).transpose()
    }

    async fn insert_reset_request(&self, request: &ResetRequest) -> StoreResult<()> {
        let mut connection = self.pool.write().await?;
        let statement = diesel::insert_into(reset_requests::table).values((
            reset_requests::id.eq(RowId::from(request.id)),
            reset_requests::email.eq(request.email.as_str()),
            reset_requests::requested_at.eq(RowInstant(request.requested_at)),
        ));
        connection.execute(statement).await?;
        Ok(())
    }

    async fn reset_requests(&self, before: OffsetDateTime, limit: u32) -> StoreResult<Vec<ResetRequest>> {
        let mut connection = self.pool.read().await?;
        let query = reset_requests::table
            .filter(reset_requests::requested_at.lt(RowInstant(before)))
            .order((reset_requests::requested_at, reset_requests::id))
            .limit(i64::from(limit));
        let found: Vec<(RowId, String, RowInstant)> = connection.fetch_all(query).await?;
        let request = |(id, email, requested_at): (RowId, String, RowInstant)| ResetRequest {
            id: id.id(),
            email: EmailAddress::from_stored(email),
            requested_at: requested_at.0,
        };
        Ok(found.into_iter().map(request).collect())
    }

    async fn remove_reset_request(&self, request: ResetRequestId) -> StoreResult<()> {
        let mut connection = self.pool.write().await?;
        let statement =
            diesel::delete(reset_requests::table).filter(reset_requests::id.eq(RowId::from(request)));
        connection.execute(statement).await?;
        Ok(())
    }

    async fn recovery_codes_left(&self, account: AccountId) -> StoreResult<u64> {
        let account = RowId::from(account);
        let mut connection = self.pool.of(account).read().await?;
        let query = recovery_codes::table
            .filter(recovery_codes::account_id.eq(account))
            .filter(recovery_codes::login_id.eq(account))
            .count();
        let count: i64 = connection.fetch_one(query).await?;
        let count = u64::try_from(count);
        count.map_err(|source| StoreError::Failed(source.into()))
    }

    async fn prune(
        &self,
        unused_since: OffsetDateTime,
        begun_before: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<u64> {
        let mut all = 0_u64;
        for (table, column, before) in [
            ("sessions", "last_seen_at", unused_since),
            ("sessions", "created_at", begun_before),
            ("password_resets", "expires_at", unused_since),
        ] {
            let condition = format!("{column} < $1");
            let old = Old { table, key: "account_id, id", condition: &condition, order: column };
            all = all.saturating_add(old.remove(&self.pool, before, limit).await?);
        }
        Ok(all)
    }
}
