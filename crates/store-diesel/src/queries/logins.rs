//! Invitations and logins.

use access::PasswordHash;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{PartnerId, StoreError};
use partner_accounts::{Invitation, InvitationHash, Invitations, LoginsStore};
use time::OffsetDateTime;

use super::database::Database;
use super::endpoints::HasAccounts as _;
use super::purpose::Purpose;
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;
use crate::errors::failed;
use crate::rows::InvitationRow;
use crate::schema::{invitations, logins};
use crate::types::{RowId, RowInstant};

#[async_trait]
impl Invitations for UnitOfWork<PartnerId> {
    async fn insert(&mut self, invitation: &Invitation) -> Result<(), StoreError> {
        if !self.scope.lock(&mut self.tx, invitation.account).await? {
            return Err(failed("the invitation is to an account of another partner"));
        }
        let inserted = diesel::insert_into(invitations::table)
            .values(&InvitationRow::from(invitation))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(inserted).map(|_one| ())
    }
}

#[async_trait]
impl LoginsStore for Database {
    async fn invitation(&self, hash: &InvitationHash) -> Result<Option<Invitation>, StoreError> {
        let mut connection = self.pool.read().await?;
        let found = invitations::table
            .filter(invitations::token_hash.eq(hash.as_bytes().as_slice()))
            .select(InvitationRow::as_select())
            .get_result::<InvitationRow>(connection.conn()?)
            .await;
        let found = connection.settle(found.optional())?;
        found.map(Invitation::try_from).transpose()
    }

    async fn accept(
        &self,
        invitation: &Invitation,
        password: &PasswordHash,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let account = RowId::from(invitation.account);
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        // A second use waits for the row lock here, and then finds the invitation used.
        let used = diesel::update(invitations::table)
            .filter(invitations::account_id.eq(account))
            .filter(invitations::id.eq(RowId::from(invitation.id)))
            .filter(invitations::used_at.is_null())
            .set(invitations::used_at.eq(Some(RowInstant(now))))
            .execute(tx.conn().await?)
            .await;
        if tx.settle(used)? == 0 {
            return Ok(false);
        }
        // The owner's login has the id of the account.
        let set = diesel::update(logins::table)
            .filter(logins::account_id.eq(account))
            .filter(logins::id.eq(account))
            .set(logins::password_hash.eq(Some(password.as_str())))
            .execute(tx.conn().await?)
            .await;
        tx.settle(set)?;
        tx.commit().await?;
        Ok(true)
    }
}
