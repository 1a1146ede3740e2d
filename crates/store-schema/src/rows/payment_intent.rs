//! Rows of `payment_intents`.

use diesel::prelude::*;
use idempotency::Fingerprint;
use invoices::PayToken;
use kernel::{Money, Named as _, StoreError, StoreResult};
use payments::{CheckoutId, Intent, OpenedCheckout};

use super::row_ref::RowRef;
use crate::schema::payment_intents;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = payment_intents, primary_key(account_id, id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct IntentRow {
    pub account_id: RowId,
    pub id: RowId,
    pub invoice_id: RowId,
    pub gateway_account_id: RowId,
    pub amount: i64,
    pub currency: String,
    pub state: String,
    pub checkout_id: Option<String>,
    pub checkout_url: Option<String>,
    pub opened_with: Option<Vec<u8>>,
    pub pay_token: String,
    pub created_at: RowInstant,
    pub expires_at: RowInstant,
}

impl From<&Intent> for IntentRow {
    fn from(intent: &Intent) -> Self {
        let checkout = intent.checkout.as_ref();
        Self {
            account_id: intent.account.into(),
            id: intent.id.into(),
            invoice_id: intent.invoice.into(),
            gateway_account_id: intent.gateway_account.into(),
            amount: intent.amount.minor(),
            currency: intent.amount.currency().code().to_owned(),
            state: intent.state.as_str().to_owned(),
            checkout_id: checkout.map(|checkout| checkout.id.0.clone()),
            checkout_url: checkout.map(|checkout| checkout.url.clone()),
            opened_with: intent.opened_with.map(|fingerprint| fingerprint.as_bytes().to_vec()),
            pay_token: intent.token.reveal().to_owned(),
            created_at: RowInstant(intent.created_at),
            expires_at: RowInstant(intent.expires_at),
        }
    }
}

impl TryFrom<IntentRow> for Intent {
    type Error = StoreError;

    fn try_from(row: IntentRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "payment_intents", id: row.id };
        let checkout = row.checkout_id.zip(row.checkout_url);
        let fingerprint =
            |bytes: Vec<u8>| row_ref.bytes32("opened_with", &bytes).map(Fingerprint::from_bytes);
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            invoice: row.invoice_id.id(),
            gateway_account: row.gateway_account_id.id(),
            amount: Money::new(row.amount, row_ref.currency(&row.currency)?),
            state: row_ref.named("state", &row.state)?,
            opened_with: row.opened_with.map(fingerprint).transpose()?,
            checkout: checkout.map(|(id, url)| OpenedCheckout { id: CheckoutId(id), url }),
            token: PayToken::from_stored(row.account_id.id(), row.pay_token),
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
        })
    }
}
