//! Rows of `logins`, with the columns of their account that sign-in reads.

use access::PasswordHash;
use diesel::prelude::*;
use kernel::{EmailAddress, StoreError, StoreResult};
use sessions::{Login, LoginRecord, OwnerNames, SealedTotpSecret, SecondFactor};

use super::account_scope::switched_off_by;
use super::row_ref::RowRef;
use crate::schema::{accounts, logins};
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = logins)]
pub struct LoginRecordRow {
    account_id: RowId,
    email: String,
    password_hash: Option<String>,
    totp_secret: Option<Vec<u8>>,
    totp_since: Option<RowInstant>,
    totp_last_step: Option<i64>,
    totp_proposed: Option<Vec<u8>>,
}

/// The columns of an account that sign-in reads.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub struct OwnerRow {
    company_name: String,
    first_name: Option<String>,
    last_name: Option<String>,
    disabled_by_partner: bool,
    disabled_by_operator: bool,
}

/// A login and its account.
pub fn login_record((login, owner): (LoginRecordRow, OwnerRow)) -> StoreResult<LoginRecord> {
    Ok(LoginRecord {
        login: Login::try_from(login)?,
        switched_off_by: switched_off_by(owner.disabled_by_operator, owner.disabled_by_partner),
        owner: OwnerNames {
            company_name: owner.company_name,
            first_name: owner.first_name,
            last_name: owner.last_name,
        },
    })
}

impl TryFrom<LoginRecordRow> for Login {
    type Error = StoreError;

    fn try_from(row: LoginRecordRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "logins", id: row.account_id };
        let second_factor = match (row.totp_secret, row.totp_since, row.totp_last_step) {
            (None, None, None) => None,
            (Some(secret), Some(since), Some(last_step)) => {
                Some(SecondFactor { secret: SealedTotpSecret(secret), since: since.0, last_step })
            }
            _ => return Err(row_ref.wrong("totp_secret", "stands without its other columns")),
        };
        Ok(Self {
            account: row.account_id.id(),
            email: EmailAddress::from_stored(row.email),
            password: row.password_hash.map(PasswordHash::from_stored),
            second_factor,
            proposed_secret: row.totp_proposed.map(SealedTotpSecret),
        })
    }
}
