//! The use cases over a store of one's own: `cargo run -p invoices --example ports`.
//!
//! `memory.rs` fills the ports of this crate in memory. A program that has a database fills them with its
//! queries; the doc comments of the ports say what they must guarantee.

mod memory;

use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;

use contacts::{ContactInput, ContactName};
use idempotency::{Fingerprint, IdempotencyKey, IdempotentOperation, IdempotentOutcome, IdempotentResponse};
use idempotency::{StoredResponse, Ticket};
use invoices::{
    Invoice, InvoiceInput, Invoicing, InvoicingPolicy, LineInput, NewPayment, PaymentMethod, RecordedBy,
};
use kernel::{
    AccountScope, Clock as _, Currency, Decimal, EmailAddress, Field, FieldErrors, Id, MultiLine, Named as _,
    PublicUrls, SystemClock, SystemIds, SystemRandom, TimeZone,
};

use self::memory::Memory;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let memory = Memory::default();
    let invoicing = Invoicing {
        store: Arc::new(memory.clone()),
        reads: Arc::new(memory.clone()),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds::default()),
        random: Arc::new(SystemRandom::default()),
        policy: InvoicingPolicy::default(),
        urls: PublicUrls::new("https://pay.example.com"),
        ledger: false,
    };
    let scope = AccountScope {
        id: Id::new(&SystemIds::default(), SystemClock.now()),
        time_zone: TimeZone::parse("Australia/Sydney")?,
        currency: Currency::parse("AUD")?,
        invoice_prefix: None,
        communications_enabled: true,
        monthly_invoice_limit: None,
    };

    // A request that is sent twice under one idempotency key creates one invoice.
    let ticket = Ticket {
        operation: IdempotentOperation::CREATE_INVOICE,
        key: IdempotencyKey::parse("order-4711")?,
        fingerprint: Fingerprint::of(b"the body of the request"),
    };
    let present = |invoice: &Invoice| StoredResponse {
        status: 201,
        body: format!("{} over {}", invoice.number, invoice.totals.total).into_bytes(),
    };
    for _ in 0..2 {
        let idempotent_response = IdempotentResponse { ticket: Some(&ticket), present: &present };
        let (said, response) =
            match invoicing.create(&scope, order()?, FieldErrors::default(), &idempotent_response).await? {
                IdempotentOutcome::Fresh(response) => ("created", response),
                IdempotentOutcome::Replayed(response) => ("created before", response),
                other => return Err(format!("{other:?}").into()),
            };
        writeln!(out, "{said}: {}", String::from_utf8_lossy(&response.body))?;
    }

    let id = memory.rows().invoices.first().map(|invoice| invoice.id).ok_or("an invoice")?;
    let payment = NewPayment {
        amount: "100".into(),
        currency: None,
        method: PaymentMethod::BankTransfer,
        reference: None,
        received_at: None,
        recorded_by: RecordedBy::Operator,
    };
    let paid = invoicing.record_payment(scope.id, id, &payment).await?;
    writeln!(out, "paid 100: {}, due {}", paid.status.as_str(), paid.amount_due())?;
    let cancelled = invoicing.cancel(&scope, id, None).await?;
    writeln!(out, "cancelled: {}, due {}", cancelled.status.as_str(), cancelled.amount_due())?;
    if let Err(refused) = invoicing.cancel(&scope, id, None).await {
        writeln!(out, "cancelled again: {refused}")?;
    }

    let rows = memory.rows();
    writeln!(out, "stored: {} contact, {} mail to send", rows.contacts.len(), memory.jobs.all().len())?;
    for event in &rows.events {
        writeln!(out, "to report by webhook: {}", event.body)?;
    }
    Ok(())
}

/// What a caller sends: one line with 15 % tax, for a customer who gets the invoice by mail.
fn order() -> Result<InvoiceInput, Box<dyn Error>> {
    let line = LineInput {
        description: Field::Value(MultiLine::parse("Analytical engine, rent")?),
        unit_amount: Field::Value(Decimal::parse("250")?),
        tax_rate: Field::Value(Decimal::parse("15")?),
        ..LineInput::default()
    };
    let contact = ContactInput {
        name: Field::Value(ContactName::parse("Ada Lovelace")?),
        email: Field::Value(EmailAddress::parse("ada@example.com")?),
        ..ContactInput::default()
    };
    Ok(InvoiceInput {
        contact: Field::Value(contact),
        line_items: Field::Value(vec![line]),
        send_invoice: Field::Value(true),
        ..InvoiceInput::default()
    })
}
