//! API keys, with the switches of their account or partner, in one query.

use std::sync::OnceLock;

use access::{AccountKeyRecord, Credentials, KeyHash, PartnerKeyRecord};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{PartnerScope, StoreResult};
use store_schema::rows::AccountScopeRow;
use store_schema::schema::{account_keys, accounts, partner_keys, partners};
use store_schema::types::RowId;
use store_schema::written_once::WrittenOnce;

use super::columns::columns_of;
use super::database::Database;
use crate::{dialect, pool};

#[async_trait]
impl Credentials for Database {
    async fn account_key(&self, hash: &KeyHash) -> StoreResult<Option<AccountKeyRecord>> {
        static TEXT: OnceLock<String> = OnceLock::new();
        let columns = (account_keys::id, columns_of::<AccountScopeRow>());
        let mut read = self.pool.point_read().await?;
        if let Some(found) = pool::account_key_on_copies(&mut read, hash.as_bytes()).await {
            return found.map(|(key, account)| account.into_key_record(key)).transpose();
        }
        let query = account_keys::table
            .inner_join(accounts::table.on(accounts::id.eq(account_keys::account_id)))
            .filter(account_keys::hash.eq(hash.as_bytes().to_vec()))
            .filter(account_keys::revoked_at.is_null())
            .select(WrittenOnce::at(&TEXT, columns));
        let found = dialect::find!(read; query => (RowId, AccountScopeRow))?;
        found.map(|(key, account)| account.into_key_record(key)).transpose()
    }

    async fn partner_key(&self, hash: &KeyHash) -> StoreResult<Option<PartnerKeyRecord>> {
        let mut read = self.pool.point_read().await?;
        let query = partner_keys::table
            .inner_join(partners::table.on(partners::id.eq(partner_keys::partner_id)))
            .filter(partner_keys::hash.eq(hash.as_bytes().to_vec()))
            .filter(partner_keys::revoked_at.is_null())
            .select((partner_keys::id, partners::id, partners::disabled));
        let found = dialect::find!(read; query => (RowId, RowId, bool))?;
        Ok(found.map(|(key, partner, disabled)| PartnerKeyRecord {
            key: key.id(),
            scope: PartnerScope { id: partner.id() },
            switched_off: disabled,
        }))
    }
}
