//! Invitations of a partner's new accounts.

use async_trait::async_trait;
use kernel::{PartnerId, StoreResult};
use partner_accounts::{Invitation, Invitations};
use store_schema::errors::failed;
use store_schema::rows::InvitationRow;
use store_schema::schema::invitations;

use super::endpoints::HasAccounts as _;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;

#[async_trait]
impl Invitations for UnitOfWork<PartnerId> {
    async fn insert(&mut self, invitation: &Invitation) -> StoreResult<()> {
        if !self.scope.lock(&mut self.tx, invitation.account).await? {
            return Err(failed("the invitation is to an account of another partner"));
        }
        let statement = diesel::insert_into(invitations::table).values(InvitationRow::from(invitation));
        self.tx.execute(statement).await?;
        Ok(())
    }
}
