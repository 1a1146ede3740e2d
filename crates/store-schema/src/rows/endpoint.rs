//! Rows of `webhook_endpoints`.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::Binary;
use kernel::{AccountId, HttpsUrl, StoreError, StoreResult};
use webhooks::{Endpoint, EndpointId, SealedSecret, Subscriptions};

use super::row_ref::RowRef;
use crate::schema::webhook_endpoints;
use crate::types::{RowId, RowInstant, Uid};

/// A row of `webhook_endpoints`, without its secret.
#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = webhook_endpoints)]
pub struct EndpointRow {
    pub account_id: RowId,
    pub id: RowId,
    pub url: String,
    pub events: i16,
    pub enabled: bool,
    pub provisioned: bool,
    pub created_at: RowInstant,
    pub updated_at: RowInstant,
}

impl From<&Endpoint> for EndpointRow {
    fn from(endpoint: &Endpoint) -> Self {
        Self {
            account_id: endpoint.account.into(),
            id: endpoint.id.into(),
            url: endpoint.url.as_str().to_owned(),
            events: endpoint.events.bits().into(),
            enabled: endpoint.enabled,
            provisioned: endpoint.provisioned,
            created_at: RowInstant(endpoint.created_at),
            updated_at: RowInstant(endpoint.updated_at),
        }
    }
}

impl TryFrom<EndpointRow> for Endpoint {
    type Error = StoreError;

    fn try_from(row: EndpointRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "webhook_endpoints", id: row.id };
        let events = u8::try_from(row.events).ok().and_then(Subscriptions::from_bits);
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            url: HttpsUrl::from_stored(row.url).map_err(|fault| row_ref.wrong("url", fault))?,
            events: events.ok_or_else(|| row_ref.wrong("events", "are none that there are"))?,
            enabled: row.enabled,
            provisioned: row.provisioned,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

/// The sealed secret of an endpoint.
#[derive(QueryableByName)]
pub struct SecretRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = Binary)]
    secret: Vec<u8>,
}

impl From<SecretRow> for (AccountId, EndpointId, SealedSecret) {
    fn from(row: SecretRow) -> Self {
        (row.account_id.id(), row.id.id(), SealedSecret(row.secret))
    }
}
