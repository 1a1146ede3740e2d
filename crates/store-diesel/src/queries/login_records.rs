//! The login of one account, with its sessions, resets and codes, in a transaction.

use ::sessions::{BrowserSeen, Login, LoginRecord, LoginRecords, PasswordReset, Session, SessionId};
use access::PasswordHash;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use kernel::{AccountId, StoreError, StoreResult, TokenHash};
use partner_accounts::Invitation;
use store_schema::errors::failed;
use store_schema::rows::{
    InvitationRow, LoginRecordRow, OwnerRow, PasswordResetRow, SessionRow, login_record,
};
use store_schema::schema::{
    accounts, invitations, known_browsers, logins, password_resets, recovery_codes, sessions,
};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::Locked;

/// How many browsers of a login are remembered.
const MAX_BROWSERS: usize = 50;

impl UnitOfWork<AccountId> {
    fn is_own(&self, account: AccountId, what: &'static str) -> StoreResult<()> {
        if account == self.scope { Ok(()) } else { Err(failed(what)) }
    }
}

#[async_trait]
impl LoginRecords for UnitOfWork<AccountId> {
    async fn lock(&mut self) -> StoreResult<Option<LoginRecord>> {
        let account = self.account();
        // The owner's login has the id of the account.
        let login = Locked(logins::table.find((account, account)).select(columns_of::<LoginRecordRow>()));
        let login: Option<LoginRecordRow> = self.tx.fetch_optional(login).await?;
        let Some(login) = login else {
            return Ok(None);
        };
        let query = accounts::table.filter(accounts::id.eq(account)).select(columns_of::<OwnerRow>());
        let owner: OwnerRow = self.tx.fetch_one(query).await?;
        login_record((login, owner)).map(Some)
    }

    async fn update(&mut self, login: &Login) -> StoreResult<()> {
        self.is_own(login.account, "the login is of another account")?;
        let factor = login.second_factor.as_ref();
        let account = self.account();
        let statement = diesel::update(logins::table.find((account, account))).set((
            logins::password_hash.eq(login.password.as_ref().map(PasswordHash::as_str)),
            logins::totp_secret.eq(factor.map(|factor| factor.secret.0.clone())),
            logins::totp_since.eq(factor.map(|factor| RowInstant(factor.since))),
            logins::totp_last_step.eq(factor.map(|factor| factor.last_step)),
            logins::totp_proposed.eq(login.proposed_secret.as_ref().map(|secret| secret.0.clone())),
        ));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn has_session(&mut self, session: SessionId) -> StoreResult<bool> {
        let found = sessions::table.find((self.account(), RowId::from(session)));
        self.tx.fetch_one(diesel::select(exists(found))).await
    }

    async fn insert_session(&mut self, session: &Session) -> StoreResult<()> {
        self.is_own(session.account, "the session is of another account")?;
        let alike = sessions::table
            .filter(sessions::account_id.eq(self.account()))
            .filter(sessions::awaits_code.eq(session.awaits_code));
        let by_last_use = alike.order((sessions::last_seen_at.desc(), sessions::id.desc()));
        let others: Vec<RowId> = self.tx.fetch_all(by_last_use.select(sessions::id)).await?;
        let ended: Vec<_> = others.into_iter().skip(Session::MAX_OF_LOGIN - 1).collect();
        if !ended.is_empty() {
            self.tx.execute(diesel::delete(alike.filter(sessions::id.eq_any(ended)))).await?;
        }
        let statement = diesel::insert_into(sessions::table).values(SessionRow::from(session));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn set_authenticated(&mut self, session: SessionId, now: OffsetDateTime) -> StoreResult<bool> {
        let statement = diesel::update(sessions::table.find((self.account(), RowId::from(session))))
            .set(sessions::authenticated_at.eq(RowInstant(now)));
        let set = self.tx.execute(statement).await?;
        Ok(set > 0)
    }

    async fn end_session(&mut self, session: SessionId) -> StoreResult<bool> {
        let statement = diesel::delete(sessions::table.find((self.account(), RowId::from(session))));
        let ended = self.tx.execute(statement).await?;
        Ok(ended > 0)
    }

    async fn end_sessions(&mut self, but: Option<SessionId>) -> StoreResult<u64> {
        let all = sessions::table.filter(sessions::account_id.eq(self.account()));
        let ended = match but {
            None => self.tx.execute(diesel::delete(all)).await?,
            Some(but) => {
                let others = all.filter(sessions::id.ne(RowId::from(but)));
                self.tx.execute(diesel::delete(others)).await?
            }
        };
        u64::try_from(ended).map_err(|source| StoreError::Failed(source.into()))
    }

    async fn record_browser(&mut self, name: &str, now: OffsetDateTime) -> StoreResult<BrowserSeen> {
        let (account, now) = (self.account(), RowInstant(now));
        let query = known_browsers::table
            .filter(known_browsers::account_id.eq(account))
            .filter(known_browsers::login_id.eq(account))
            .order(known_browsers::last_seen_at.desc())
            .select(known_browsers::name);
        let known: Vec<String> = self.tx.fetch_all(query).await?;
        if known.iter().any(|known| known == name) {
            let statement = diesel::update(known_browsers::table)
                .filter(known_browsers::account_id.eq(account))
                .filter(known_browsers::login_id.eq(account))
                .filter(known_browsers::name.eq(name))
                .set(known_browsers::last_seen_at.eq(now));
            let noted = self.tx.execute(statement).await;
            return noted.map(|_one| BrowserSeen::Before);
        }
        let forgotten: Vec<&String> = known.iter().skip(MAX_BROWSERS - 1).collect();
        if !forgotten.is_empty() {
            let statement = diesel::delete(known_browsers::table)
                .filter(known_browsers::account_id.eq(account))
                .filter(known_browsers::login_id.eq(account))
                .filter(known_browsers::name.eq_any(forgotten));
            self.tx.execute(statement).await?;
        }
        let statement = diesel::insert_into(known_browsers::table).values((
            known_browsers::account_id.eq(account),
            known_browsers::login_id.eq(account),
            known_browsers::name.eq(name),
            known_browsers::first_seen_at.eq(now),
            known_browsers::last_seen_at.eq(now),
        ));
        self.tx.execute(statement).await?;
        Ok(if known.is_empty() { BrowserSeen::First } else { BrowserSeen::New })
    }

    async fn insert_invitation(&mut self, invitation: &Invitation) -> StoreResult<()> {
        self.is_own(invitation.account, "the invitation is to another account")?;
        let statement = diesel::insert_into(invitations::table).values(InvitationRow::from(invitation));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn last_invited_at(&mut self) -> StoreResult<Option<OffsetDateTime>> {
        let query = invitations::table
            .filter(invitations::account_id.eq(self.account()))
            .order(invitations::created_at.desc())
            .select(invitations::created_at)
            .limit(1);
        let last: Option<RowInstant> = self.tx.fetch_optional(query).await?;
        Ok(last.map(|last| last.0))
    }

    async fn use_invitation(&mut self, used: &Invitation, now: OffsetDateTime) -> StoreResult<bool> {
        let now = invitations::used_at.eq(Some(RowInstant(now)));
        let unused = invitations::table
            .filter(invitations::account_id.eq(self.account()))
            .filter(invitations::used_at.is_null());
        // A concurrent use waits here for the row lock, and then finds the invitation used.
        let one = diesel::update(unused.filter(invitations::id.eq(RowId::from(used.id)))).set(now);
        Ok(self.tx.execute(one).await? > 0)
    }

    async fn insert_reset(&mut self, reset: &PasswordReset) -> StoreResult<()> {
        self.is_own(reset.account, "the password reset is of another account")?;
        let statement = diesel::insert_into(password_resets::table).values(PasswordResetRow::from(reset));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn resets_since(&mut self, instant: OffsetDateTime) -> StoreResult<u64> {
        let query = password_resets::table
            .filter(password_resets::account_id.eq(self.account()))
            .filter(password_resets::created_at.ge(RowInstant(instant)))
            .count();
        let count: i64 = self.tx.fetch_one(query).await?;
        u64::try_from(count).map_err(|source| StoreError::Failed(source.into()))
    }

    async fn use_reset(&mut self, used: &PasswordReset, now: OffsetDateTime) -> StoreResult<bool> {
        let now = password_resets::used_at.eq(Some(RowInstant(now)));
        let unused = password_resets::table
            .filter(password_resets::account_id.eq(self.account()))
            .filter(password_resets::used_at.is_null());
        // A concurrent use waits here for the row lock, and then finds the reset used.
        let one = diesel::update(unused.filter(password_resets::id.eq(RowId::from(used.id)))).set(now);
        Ok(self.tx.execute(one).await? > 0)
    }

    async fn end_links(&mut self, now: OffsetDateTime) -> StoreResult<()> {
        let account = self.account();
        let statement = diesel::update(invitations::table)
            .filter(invitations::account_id.eq(account))
            .filter(invitations::used_at.is_null())
            .set(invitations::used_at.eq(Some(RowInstant(now))));
        self.tx.execute(statement).await?;
        let statement = diesel::update(password_resets::table)
            .filter(password_resets::account_id.eq(account))
            .filter(password_resets::used_at.is_null())
            .set(password_resets::used_at.eq(Some(RowInstant(now))));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn replace_recovery_codes(&mut self, hashes: &[TokenHash]) -> StoreResult<()> {
        let account = self.account();
        let statement = diesel::delete(recovery_codes::table)
            .filter(recovery_codes::account_id.eq(account))
            .filter(recovery_codes::login_id.eq(account));
        self.tx.execute(statement).await?;
        for hash in hashes {
            let statement = diesel::insert_into(recovery_codes::table).values((
                recovery_codes::account_id.eq(account),
                recovery_codes::login_id.eq(account),
                recovery_codes::code_hash.eq(hash.as_bytes().as_slice()),
            ));
            self.tx.execute(statement).await?;
        }
        Ok(())
    }

    async fn take_recovery_code(&mut self, hash: &TokenHash) -> StoreResult<bool> {
        let account = self.account();
        let statement = diesel::delete(recovery_codes::table)
            .filter(recovery_codes::account_id.eq(account))
            .filter(recovery_codes::login_id.eq(account))
            .filter(recovery_codes::code_hash.eq(hash.as_bytes().as_slice()));
        let taken = self.tx.execute(statement).await?;
        Ok(taken > 0)
    }
}
