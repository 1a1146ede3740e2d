//! Rows of `invitations`.

use diesel::prelude::*;
use kernel::{StoreError, StoreResult, TokenHash};
use partner_accounts::Invitation;

use super::row_ref::RowRef;
use crate::schema::invitations;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = invitations)]
pub struct InvitationRow {
    account_id: RowId,
    id: RowId,
    login_id: RowId,
    token_hash: Vec<u8>,
    created_at: RowInstant,
    expires_at: RowInstant,
    used_at: Option<RowInstant>,
}

impl From<&Invitation> for InvitationRow {
    /// The owner's login has the id of the account.
    fn from(invitation: &Invitation) -> Self {
        Self {
            account_id: invitation.account.into(),
            id: invitation.id.into(),
            login_id: invitation.account.into(),
            token_hash: invitation.token_hash.as_bytes().to_vec(),
            created_at: RowInstant(invitation.created_at),
            expires_at: RowInstant(invitation.expires_at),
            used_at: invitation.used_at.map(RowInstant),
        }
    }
}

impl TryFrom<InvitationRow> for Invitation {
    type Error = StoreError;

    fn try_from(row: InvitationRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "invitations", id: row.id };
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            token_hash: TokenHash::from_bytes(row_ref.bytes32("token_hash", &row.token_hash)?),
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            used_at: row.used_at.map(|used| used.0),
        })
    }
}
