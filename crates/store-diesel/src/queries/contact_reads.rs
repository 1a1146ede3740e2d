//! Reading contacts.

use ::contacts::{Contact, ContactId, ContactReads, ExternalId, SearchText};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, Cursor, EmailAddress, PageSize, ResultsPage, StoreResult};
use store_schema::rows::ContactRow;
use store_schema::schema::contacts;
use store_schema::types::RowId;

use super::columns::columns_of;
use super::contact_search;
use super::database::Database;
use super::keyset::{one_more_than, page};
use super::run_statements::RunStatements as _;
use crate::dialect::{self, Db};

#[async_trait]
impl ContactReads for Database {
    async fn get(&self, account: AccountId, id: ContactId) -> StoreResult<Option<Contact>> {
        let mut read = self.pool.of(account.into()).point_read().await?;
        let query =
            contacts::table.find((RowId::from(account), RowId::from(id))).select(columns_of::<ContactRow>());
        let found = dialect::find!(read; query => ContactRow)?;
        found.map(Contact::try_from).transpose()
    }

    async fn names(&self, account: AccountId, ids: &[ContactId]) -> StoreResult<Vec<(ContactId, String)>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<RowId> = ids.iter().copied().map(RowId::from).collect();
        let query = contacts::table
            .filter(contacts::account_id.eq(RowId::from(account)))
            .filter(contacts::id.eq_any(ids))
            .select((contacts::id, contacts::name));
        let mut connection = self.pool.of(account.into()).read().await?;
        let found: Vec<(RowId, String)> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(|(id, name)| (id.id(), name)).collect())
    }

    async fn look_up(
        &self,
        account: AccountId,
        email: Option<&EmailAddress>,
        external_id: Option<&ExternalId>,
    ) -> StoreResult<Option<Contact>> {
        if email.is_none() && external_id.is_none() {
            return Ok(None);
        }
        let mut query = contacts::table
            .filter(contacts::account_id.eq(RowId::from(account)))
            .select(columns_of::<ContactRow>())
            .into_boxed::<Db>();
        if let Some(email) = email {
            query = query.filter(contacts::email_key.eq(email.matching_key()));
        }
        if let Some(external_id) = external_id {
            query = query.filter(contacts::external_id.eq(external_id.as_str()));
        }
        let mut connection = self.pool.of(account.into()).read().await?;
        let found: Option<ContactRow> = connection.fetch_optional(query).await?;
        found.map(Contact::try_from).transpose()
    }

    async fn list(
        &self,
        account: AccountId,
        search: Option<&SearchText>,
        size: PageSize,
        after: Option<Cursor>,
    ) -> StoreResult<ResultsPage<Contact>> {
        let mut query = contact_search::matching(account.into(), search).limit(one_more_than(size)?);
        if let Some(cursor) = after {
            query = query.filter(contacts::id.lt(RowId(cursor.after)));
        }
        let query = query.select(columns_of::<ContactRow>());
        let mut connection = self.pool.of(account.into()).read().await?;
        let rows: Vec<ContactRow> = connection.fetch_all(query).await?;
        let found = rows.into_iter().map(Contact::try_from);
        Ok(page(found.collect::<Result<Vec<_>, _>>()?, size, |contact| contact.id))
    }
}
