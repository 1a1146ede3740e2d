//! The login of one account, with its sessions, resets and codes, in a transaction.

use ::sessions::{
    BrowserSeen, Login, LoginRecords, LoginStanding, PasswordReset, Session, SessionId, TokenHash,
};
use access::PasswordHash;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};
use partner_accounts::Invitation;
use time::OffsetDateTime;

use super::columns::columns_of;
use super::dialect::Locked;
use super::unit_of_work::UnitOfWork;
use crate::errors::failed;
use crate::rows::{InvitationRow, LoginStandingRow, OwnerRow, PasswordResetRow, SessionRow, login_standing};
use crate::schema::{
    accounts, invitations, known_browsers, logins, password_resets, recovery_codes, sessions,
};
use crate::types::{RowId, RowInstant};

impl UnitOfWork<AccountId> {
    fn is_own(&self, account: AccountId, what: &'static str) -> Result<(), StoreError> {
        if account == self.scope { Ok(()) } else { Err(failed(what)) }
    }
}

#[async_trait]
impl LoginRecords for UnitOfWork<AccountId> {
    async fn lock(&mut self) -> Result<Option<LoginStanding>, StoreError> {
        let account = self.account();
        // The owner's login has the id of the account.
        let login = Locked(
            logins::table
                .filter(logins::account_id.eq(account))
                .filter(logins::id.eq(account))
                .select(columns_of::<LoginStandingRow>()),
        );
        let login = login.load::<LoginStandingRow>(self.tx.conn().await?).await;
        let Some(login) = self.tx.settle(login)?.pop() else {
            return Ok(None);
        };
        let owner = accounts::table
            .filter(accounts::id.eq(account))
            .select(columns_of::<OwnerRow>())
            .get_result::<OwnerRow>(self.tx.conn().await?)
            .await;
        let owner = self.tx.settle(owner)?;
        login_standing((login, owner)).map(Some)
    }

    async fn update(&mut self, login: &Login) -> Result<(), StoreError> {
        self.is_own(login.account, "the login is of another account")?;
        let factor = login.second_factor.as_ref();
        let account = self.account();
        let updated = diesel::update(logins::table)
            .filter(logins::account_id.eq(account))
            .filter(logins::id.eq(account))
            .set((
                logins::password_hash.eq(login.password.as_ref().map(PasswordHash::as_str)),
                logins::totp_secret.eq(factor.map(|factor| factor.secret.0.clone())),
                logins::totp_since.eq(factor.map(|factor| RowInstant(factor.since))),
                logins::totp_last_step.eq(factor.map(|factor| factor.last_step)),
                logins::totp_proposed.eq(login.proposed_secret.as_ref().map(|secret| secret.0.clone())),
            ))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(updated).map(|_one| ())
    }

    async fn insert_session(&mut self, session: &Session) -> Result<(), StoreError> {
        self.is_own(session.account, "the session is of another account")?;
        let inserted = diesel::insert_into(sessions::table)
            .values(&SessionRow::from(session))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(inserted).map(|_one| ())
    }

    async fn set_authenticated(
        &mut self,
        session: SessionId,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let set = diesel::update(sessions::table)
            .filter(sessions::account_id.eq(self.account()))
            .filter(sessions::id.eq(RowId::from(session)))
            .set(sessions::authenticated_at.eq(RowInstant(now)))
            .execute(self.tx.conn().await?)
            .await;
        Ok(self.tx.settle(set)? > 0)
    }

    async fn end_session(&mut self, session: SessionId) -> Result<bool, StoreError> {
        let ended = diesel::delete(sessions::table)
            .filter(sessions::account_id.eq(self.account()))
            .filter(sessions::id.eq(RowId::from(session)))
            .execute(self.tx.conn().await?)
            .await;
        Ok(self.tx.settle(ended)? > 0)
    }

    async fn end_sessions(&mut self, but: Option<SessionId>) -> Result<u64, StoreError> {
        let all = sessions::table.filter(sessions::account_id.eq(self.account()));
        let conn = self.tx.conn().await?;
        let ended = match but {
            None => diesel::delete(all).execute(conn).await,
            Some(but) => diesel::delete(all.filter(sessions::id.ne(RowId::from(but)))).execute(conn).await,
        };
        u64::try_from(self.tx.settle(ended)?).map_err(|source| StoreError::Failed(source.into()))
    }

    async fn note_browser(&mut self, name: &str, now: OffsetDateTime) -> Result<BrowserSeen, StoreError> {
        let (account, now) = (self.account(), RowInstant(now));
        let known = known_browsers::table
            .filter(known_browsers::account_id.eq(account))
            .filter(known_browsers::login_id.eq(account))
            .select(known_browsers::name)
            .load::<String>(self.tx.conn().await?)
            .await;
        let known = self.tx.settle(known)?;
        if known.iter().any(|known| known == name) {
            let noted = diesel::update(known_browsers::table)
                .filter(known_browsers::account_id.eq(account))
                .filter(known_browsers::login_id.eq(account))
                .filter(known_browsers::name.eq(name))
                .set(known_browsers::last_seen_at.eq(now))
                .execute(self.tx.conn().await?)
                .await;
            return self.tx.settle(noted).map(|_one| BrowserSeen::Before);
        }
        let inserted = diesel::insert_into(known_browsers::table)
            .values((
                known_browsers::account_id.eq(account),
                known_browsers::login_id.eq(account),
                known_browsers::name.eq(name),
                known_browsers::first_seen_at.eq(now),
                known_browsers::last_seen_at.eq(now),
            ))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(inserted)?;
        Ok(if known.is_empty() { BrowserSeen::First } else { BrowserSeen::New })
    }

    async fn insert_invitation(&mut self, invitation: &Invitation) -> Result<(), StoreError> {
        self.is_own(invitation.account, "the invitation is to another account")?;
        let inserted = diesel::insert_into(invitations::table)
            .values(&InvitationRow::from(invitation))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(inserted).map(|_one| ())
    }

    async fn last_invited_at(&mut self) -> Result<Option<OffsetDateTime>, StoreError> {
        let last = invitations::table
            .filter(invitations::account_id.eq(self.account()))
            .order(invitations::created_at.desc())
            .select(invitations::created_at)
            .first::<RowInstant>(self.tx.conn().await?)
            .await;
        let last = self.tx.settle(last.optional())?;
        Ok(last.map(|last| last.0))
    }

    async fn use_invitation(&mut self, used: &Invitation, now: OffsetDateTime) -> Result<bool, StoreError> {
        let now = invitations::used_at.eq(Some(RowInstant(now)));
        let unused = invitations::table
            .filter(invitations::account_id.eq(self.account()))
            .filter(invitations::used_at.is_null());
        // A second use waits for the row lock here, and then finds the invitation used.
        let one = diesel::update(unused.filter(invitations::id.eq(RowId::from(used.id)))).set(now);
        let one = one.execute(self.tx.conn().await?).await;
        self.tx.settle(one).map(|count| count > 0)
    }

    async fn insert_reset(&mut self, reset: &PasswordReset) -> Result<(), StoreError> {
        self.is_own(reset.account, "the password reset is of another account")?;
        let inserted = diesel::insert_into(password_resets::table)
            .values(&PasswordResetRow::from(reset))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(inserted).map(|_one| ())
    }

    async fn resets_since(&mut self, instant: OffsetDateTime) -> Result<u64, StoreError> {
        let count = password_resets::table
            .filter(password_resets::account_id.eq(self.account()))
            .filter(password_resets::created_at.ge(RowInstant(instant)))
            .count()
            .get_result::<i64>(self.tx.conn().await?)
            .await;
        u64::try_from(self.tx.settle(count)?).map_err(|source| StoreError::Failed(source.into()))
    }

    async fn use_reset(&mut self, used: &PasswordReset, now: OffsetDateTime) -> Result<bool, StoreError> {
        let now = password_resets::used_at.eq(Some(RowInstant(now)));
        let unused = password_resets::table
            .filter(password_resets::account_id.eq(self.account()))
            .filter(password_resets::used_at.is_null());
        // A second use waits for the row lock here, and then finds the reset used.
        let one = diesel::update(unused.filter(password_resets::id.eq(RowId::from(used.id)))).set(now);
        let one = one.execute(self.tx.conn().await?).await;
        self.tx.settle(one).map(|count| count > 0)
    }

    async fn end_links(&mut self, now: OffsetDateTime) -> Result<(), StoreError> {
        let account = self.account();
        let ended = diesel::update(invitations::table)
            .filter(invitations::account_id.eq(account))
            .filter(invitations::used_at.is_null())
            .set(invitations::used_at.eq(Some(RowInstant(now))))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(ended)?;
        let ended = diesel::update(password_resets::table)
            .filter(password_resets::account_id.eq(account))
            .filter(password_resets::used_at.is_null())
            .set(password_resets::used_at.eq(Some(RowInstant(now))))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(ended).map(|_count| ())
    }

    async fn replace_recovery_codes(&mut self, hashes: &[TokenHash]) -> Result<(), StoreError> {
        let account = self.account();
        let removed = diesel::delete(recovery_codes::table)
            .filter(recovery_codes::account_id.eq(account))
            .filter(recovery_codes::login_id.eq(account))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(removed)?;
        for hash in hashes {
            let inserted = diesel::insert_into(recovery_codes::table)
                .values((
                    recovery_codes::account_id.eq(account),
                    recovery_codes::login_id.eq(account),
                    recovery_codes::code_hash.eq(hash.as_bytes().as_slice()),
                ))
                .execute(self.tx.conn().await?)
                .await;
            self.tx.settle(inserted)?;
        }
        Ok(())
    }

    async fn take_recovery_code(&mut self, hash: &TokenHash) -> Result<bool, StoreError> {
        let account = self.account();
        let taken = diesel::delete(recovery_codes::table)
            .filter(recovery_codes::account_id.eq(account))
            .filter(recovery_codes::login_id.eq(account))
            .filter(recovery_codes::code_hash.eq(hash.as_bytes().as_slice()))
            .execute(self.tx.conn().await?)
            .await;
        Ok(self.tx.settle(taken)? > 0)
    }
}
