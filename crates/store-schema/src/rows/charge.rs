//! Rows of `charges` and `charge_reversals`.

use diesel::prelude::*;
use kernel::{Money, Named as _, StoreError, StoreResult};
use payments::{Charge, ChargeId, Reversal};

use super::row_ref::RowRef;
use crate::schema::{charge_reversals, charges};
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = charges, primary_key(account_id, id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct ChargeRow {
    pub account_id: RowId,
    pub id: RowId,
    pub gateway_account_id: RowId,
    pub gateway_id: String,
    pub intent_id: RowId,
    pub invoice_id: RowId,
    pub state: String,
    pub amount: i64,
    pub currency: String,
    pub method: String,
    pub captured_at: RowInstant,
    pub applied: i64,
    pub payment_id: Option<RowId>,
    pub keeps_unapplied: bool,
}

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = charge_reversals, primary_key(account_id, id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct ReversalRow {
    pub account_id: RowId,
    pub id: RowId,
    pub charge_id: RowId,
    pub reason: String,
    pub amount: i64,
    pub currency: String,
    pub state: String,
    pub gateway_refund_key: RowId,
    pub gateway_id: Option<String>,
    pub created_at: RowInstant,
    pub succeeded_at: Option<RowInstant>,
}

impl From<&Charge> for ChargeRow {
    fn from(charge: &Charge) -> Self {
        Self {
            account_id: charge.account.into(),
            id: charge.id.into(),
            gateway_account_id: charge.gateway_account.into(),
            gateway_id: charge.gateway_id.0.clone(),
            intent_id: charge.intent.into(),
            invoice_id: charge.invoice.into(),
            state: charge.state.as_str().to_owned(),
            amount: charge.amount.minor(),
            currency: charge.amount.currency().code().to_owned(),
            method: charge.method.as_str().to_owned(),
            captured_at: RowInstant(charge.captured_at),
            applied: charge.applied.minor(),
            payment_id: charge.payment.map(RowId::from),
            keeps_unapplied: charge.keeps_unapplied,
        }
    }
}

impl TryFrom<ChargeRow> for Charge {
    type Error = StoreError;

    fn try_from(row: ChargeRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "charges", id: row.id };
        let currency = row_ref.currency(&row.currency)?;
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            gateway_account: row.gateway_account_id.id(),
            gateway_id: ChargeId(row.gateway_id),
            intent: row.intent_id.id(),
            invoice: row.invoice_id.id(),
            state: row_ref.named("state", &row.state)?,
            amount: Money::new(row.amount, currency),
            method: row_ref.named("method", &row.method)?,
            captured_at: row.captured_at.0,
            applied: Money::new(row.applied, currency),
            payment: row.payment_id.map(RowId::id),
            keeps_unapplied: row.keeps_unapplied,
        })
    }
}

impl From<&Reversal> for ReversalRow {
    fn from(reversal: &Reversal) -> Self {
        Self {
            account_id: reversal.account.into(),
            id: reversal.id.into(),
            charge_id: reversal.charge.into(),
            reason: reversal.reason.as_str().to_owned(),
            amount: reversal.amount.minor(),
            currency: reversal.amount.currency().code().to_owned(),
            state: reversal.state.as_str().to_owned(),
            gateway_refund_key: reversal.gateway_refund_key.into(),
            gateway_id: reversal.gateway_id.clone(),
            created_at: RowInstant(reversal.created_at),
            succeeded_at: reversal.succeeded_at.map(RowInstant),
        }
    }
}

impl TryFrom<ReversalRow> for Reversal {
    type Error = StoreError;

    fn try_from(row: ReversalRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "charge_reversals", id: row.id };
        Ok(Self {
            id: row.id.id(),
            account: row.account_id.id(),
            charge: row.charge_id.id(),
            reason: row_ref.named("reason", &row.reason)?,
            amount: Money::new(row.amount, row_ref.currency(&row.currency)?),
            state: row_ref.named("state", &row.state)?,
            gateway_refund_key: row.gateway_refund_key.id(),
            gateway_id: row.gateway_id,
            created_at: row.created_at.0,
            succeeded_at: row.succeeded_at.map(|at| at.0),
        })
    }
}
