//! Payments, measured at the use case: the public API has no operation that records a payment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use invoices::{InvoiceId, Invoicing, NewPayment, PaymentMethod, RecordedBy};
use kernel::{AccountId, PublicUrls};

use super::case::use_case_in_turns;
use super::environment::Environment;
use super::figure::{Figure, Goal};
use super::script::RECORD_PAYMENT;
use super::tenants::{scattered, turn};
use crate::fixtures::database::DatabaseKind;

pub(super) const NAME: &str = "a payment (use case, no HTTP)";

/// Measures payments in turns with the database's statements for them.
pub(super) async fn measure(environment: &Environment, connections: u32) -> anyhow::Result<Figure> {
    let open = &environment.tenants.open;
    let script = RECORD_PAYMENT.over(1, u32::try_from(open.len())?);
    let invoicing = environment.database.deps.invoicing(&PublicUrls::new("http://127.0.0.1"));
    let payer = Arc::new((invoicing, open.clone(), AtomicU64::new(0)));
    let payers = vec![payer; usize::try_from(connections)?];
    let figure = use_case_in_turns(environment, NAME, script, payers, |payer| async move {
        let (invoicing, open, next) = &*payer;
        pay(invoicing, open, next.fetch_add(1, Ordering::Relaxed)).await?;
        Ok(payer)
    });
    let goal =
        (environment.database.kind == DatabaseKind::Sqlite && connections == 8).then_some(Goal::Ratio(0.6));
    Ok(Figure { goal, ..figure.await? })
}

/// Records a payment of a cent for an invoice, and returns the invoice.
pub(super) async fn pay(
    invoicing: &Invoicing,
    open: &[(AccountId, InvoiceId)],
    n: u64,
) -> anyhow::Result<InvoiceId> {
    let (account, invoice) = turn(open, scattered(n))?;
    let payment = NewPayment {
        amount: "0.01".to_owned(),
        currency: None,
        method: PaymentMethod::BankTransfer,
        reference: None,
        received_at: None,
        recorded_by: RecordedBy::Operator,
    };
    invoicing.record_payment(*account, *invoice, &payment).await?;
    Ok(*invoice)
}
