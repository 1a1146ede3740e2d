//! `payment`: record payments, and refund or list online ones.

use http_api::InvoiceView;
use idempotency::StoredResponse;
use invoices::{Invoice, NewPayment, RecordedBy};
use serde::Deserialize;
use serde_json::value::RawValue;
use sessions::AuditedChange;

use super::{charges, idempotent, open};
use crate::cli::PaymentCommand;
use crate::output::Output;
use crate::settings::Settings;

/// The fields of an invoice that the text output shows.
#[derive(Deserialize)]
struct Summary<'a> {
    invoice_number: String,
    status: String,
    currency: String,
    #[serde(borrow)]
    amount_paid: &'a RawValue,
    #[serde(borrow)]
    amount_due: &'a RawValue,
}

/// Runs a command on payments.
pub async fn run(settings: Settings, command: PaymentCommand, output: Output) -> anyhow::Result<()> {
    let payment = match command {
        PaymentCommand::Record(payment) => payment,
        PaymentCommand::Refund(asked) => return charges::refund(settings, asked, output).await,
        PaymentCommand::Charges { account } => return charges::list(settings, account, output).await,
    };
    let deps = open(settings).await?;
    let urls = deps.public_urls().await?;
    let new = NewPayment {
        amount: payment.amount,
        currency: None,
        method: payment.method,
        reference: payment.reference,
        received_at: payment.received_at,
        recorded_by: RecordedBy::Operator,
    };
    let change = AuditedChange::of("payment.recorded");
    let invoicing = deps.audited(payment.account, change).invoicing(&urls);
    let present = |invoice: &Invoice| StoredResponse {
        status: 200,
        body: serde_json::to_vec_pretty(&InvoiceView::new(invoice, &urls)).unwrap_or_default(),
    };
    let (account, invoice) = (payment.account, payment.invoice);
    let body = match payment.idempotency_key {
        None => present(&invoicing.record_payment(account, invoice, &new).await?).body,
        Some(key) => {
            let recorded = invoicing.record_payment_once(account, invoice, &new, key, &present).await?;
            idempotent::response(recorded, "payment")?.body
        }
    };
    let shown: Box<RawValue> = serde_json::from_slice(&body)?;
    let summary: Summary<'_> = serde_json::from_str(shown.get())?;
    output.show(&shown, |_| summary.text())
}

impl Summary<'_> {
    fn text(&self) -> String {
        let (number, status, currency) = (&self.invoice_number, &self.status, &self.currency);
        let (paid, due) = (self.amount_paid.get(), self.amount_due.get());
        format!("{number} is {status}: {paid} {currency} paid, {due} {currency} due")
    }
}
