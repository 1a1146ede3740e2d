//! `payment`: record what was paid.

use http_api::InvoiceView;
use invoices::{NewPayment, RecordedBy};

use super::open;
use crate::cli::PaymentCommand;
use crate::output::Output;
use crate::settings::Settings;

/// Runs a command on payments.
///
/// # Errors
/// What went wrong, in words for the operator.
pub async fn run(
    settings: &Settings,
    command: PaymentCommand,
    output: Output,
) -> anyhow::Result<()> {
    let PaymentCommand::Record(payment) = command;
    let deps = open(settings).await?;
    let urls = deps.public_urls(settings).await?;
    let invoicing = deps.invoicing(settings, &urls)?;
    let new = NewPayment {
        amount: payment.amount,
        method: payment.method,
        reference: payment.reference,
        received_at: payment.received_at,
        recorded_by: RecordedBy::Operator,
    };
    let invoice = invoicing
        .record_payment(payment.account, payment.invoice, &new)
        .await?;
    output.show(&InvoiceView::new(&invoice, &urls), |_shown| {
        let (number, status) = (&invoice.number, invoice.status.as_str());
        let (paid, due, currency) = (invoice.amount_paid, invoice.amount_due(), invoice.currency);
        format!("{number} is {status}: {paid} {currency} paid, {due} {currency} due")
    })
}
