//! `payment refund` and `payment charges`: online payments.

use anyhow::bail;
use idempotency::StoredResponse;
use kernel::{AccountId, Money, Named as _, Operator};
use payments::{Charge, RefundRequest, RefundView, Reversal, ReversalId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sessions::AuditedChange;

use super::gateway::{audited, online_payments};
use super::{idempotent, open};
use crate::cli::gateway::RefundPayment;
use crate::output::{Output, columns};
use crate::settings::Settings;

/// The maximum number of charges that are listed.
const MAX_CHARGES: u32 = 100_000;

/// A charge as commands print it.
#[derive(Serialize)]
pub(super) struct ShownCharge {
    charge_id: String,
    invoice_id: String,
    currency: &'static str,
    captured: Box<RawValue>,
    applied: Box<RawValue>,
    unapplied: Box<RawValue>,
    returned: Box<RawValue>,
    kept: Box<RawValue>,
    to_return: Box<RawValue>,
    reversed: Box<RawValue>,
    state: &'static str,
}

#[derive(Serialize)]
struct ShownRefund {
    refund_id: String,
    payment_id: String,
    amount: Box<RawValue>,
    currency: &'static str,
    status: &'static str,
}

/// The stored response under the idempotency key: only the id, since the refund is read again for each
/// output.
#[derive(Serialize, Deserialize)]
struct StoredRefundId {
    refund_id: String,
}

/// An amount as an exact JSON number.
pub(super) fn number(amount: Money) -> anyhow::Result<Box<RawValue>> {
    Ok(RawValue::from_string(amount.to_string())?)
}

impl ShownCharge {
    /// `reversals` are those of the charge; any of other charges do not count.
    pub(super) fn new(charge: &Charge, reversals: &[Reversal]) -> anyhow::Result<Self> {
        let figures = charge.figures(reversals);
        Ok(Self {
            charge_id: charge.gateway_id.0.clone(),
            invoice_id: charge.invoice.to_string(),
            currency: charge.amount.currency().code(),
            captured: number(figures.captured)?,
            applied: number(figures.applied)?,
            unapplied: number(figures.unapplied)?,
            returned: number(figures.returned)?,
            kept: number(figures.kept)?,
            to_return: number(figures.to_return)?,
            reversed: number(figures.reversed)?,
            state: charge.state.as_str(),
        })
    }

    fn row(&self) -> Vec<String> {
        let amounts =
            [&self.captured, &self.applied, &self.returned, &self.kept, &self.to_return, &self.reversed];
        let texts = [&*self.charge_id, &*self.invoice_id, self.state, self.currency].map(str::to_owned);
        texts.into_iter().chain(amounts.map(|amount| amount.get().to_owned())).collect()
    }
}

/// Lists the charges of an account.
pub(super) async fn list(settings: Settings, account: AccountId, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    deps.operator_accounts().account(Operator::at_the_command_line(), account).await?;
    let charges = deps.store.online_reads.charges(account, MAX_CHARGES).await?;
    let shown = charges.iter().map(|(charge, reversals)| ShownCharge::new(charge, reversals));
    let shown = shown.collect::<anyhow::Result<Vec<_>>>()?;
    output.of_reading().show(&shown, |shown| {
        let heads = [
            "charge", "invoice", "state", "currency", "captured", "applied", "returned", "kept", "to return",
            "reversed",
        ];
        columns(&heads, &shown.iter().map(ShownCharge::row).collect::<Vec<_>>())
    })
}

/// Refunds part of a payment, and prints the state of the refund after a first attempt.
pub(super) async fn refund(settings: Settings, asked: RefundPayment, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let payments = online_payments(&deps).await?;
    let request = RefundRequest { payment: asked.payment, amount: asked.amount };
    let present = |refund: &RefundView| StoredResponse {
        status: 200,
        body: serde_json::to_vec(&StoredRefundId { refund_id: refund.id.to_string() }).unwrap_or_default(),
    };
    let account = asked.account;
    let audited = audited(&deps, payments.clone(), account, AuditedChange::of("payment.refunded"));
    let outcome = audited.refund_once(account, &request, asked.idempotency_key, &present).await?;
    let response = idempotent::response(outcome, "refund")?;
    let stored: StoredRefundId = serde_json::from_slice(&response.body)?;
    let Some(id) = ReversalId::parse(&stored.refund_id) else {
        bail!("the stored response of the refund cannot be read")
    };
    // When this attempt fails, the worker retries the refund.
    if let Err(error) = payments.carry_out_refund(account, id).await {
        tracing::warn!(error = %error, "the refund is tried again by the service");
    }
    let Some(refund) = payments.refund_view(account, id).await? else {
        bail!("the refund is no longer stored; `payment charges` shows what became of its charge")
    };
    let shown = ShownRefund {
        refund_id: refund.id.to_string(),
        payment_id: refund.payment.to_string(),
        amount: number(refund.amount)?,
        currency: refund.amount.currency().code(),
        status: refund.state.as_str(),
    };
    output.show(&shown, |shown| {
        format!("{} {} of payment {}: {}", shown.amount.get(), shown.currency, shown.payment_id, shown.status)
    })
}
