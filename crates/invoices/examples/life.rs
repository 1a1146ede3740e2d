//! The life of an invoice, with neither database nor HTTP: `cargo run -p invoices --example life`.

use std::error::Error;

use invoices::{
    CreationContext, Invoice, InvoiceInput, InvoiceNumber, InvoicingPolicy, LineInput, NewInvoice, PayToken,
    Payment, PaymentMethod, RecordedBy,
};
use kernel::{
    AccountScope, Clock, Currency, Decimal, EmailAddress, Field, FieldErrors, Id, Money, MultiLine,
    Named as _, SystemClock, SystemIds, SystemRandom, TimeZone,
};

fn main() -> Result<(), Box<dyn Error>> {
    let (clock, ids) = (SystemClock, SystemIds::default());
    let now = clock.now();
    let scope = AccountScope {
        id: Id::new(&ids, now),
        time_zone: TimeZone::parse("Australia/Sydney")?,
        currency: Currency::parse("AUD")?,
        invoice_prefix: None,
        communications_enabled: true,
        monthly_invoice_limit: None,
    };
    let today = scope.time_zone.date_at(now);

    // What a caller sends: three lines, each with 15 % tax added.
    let line = |amount: &str| -> Result<LineInput, Box<dyn Error>> {
        Ok(LineInput {
            description: Field::Value(MultiLine::parse("Analytical engine, rent")?),
            unit_amount: Field::Value(Decimal::parse(amount)?),
            tax_rate: Field::Value(Decimal::parse("15")?),
            ..LineInput::default()
        })
    };
    let input = InvoiceInput {
        contact: Field::Value(contacts::ContactInput {
            name: Field::Value(contacts::ContactName::parse("Ada Lovelace")?),
            email: Field::Value(EmailAddress::parse("ada@example.com")?),
            ..contacts::ContactInput::default()
        }),
        line_items: Field::Value(vec![line("25.06")?, line("25.61")?, line("25.63")?]),
        ..InvoiceInput::default()
    };
    let new = NewInvoice::check(input, FieldErrors::default(), &scope, InvoicingPolicy::default(), today)?;

    let reference = new.contact.clone();
    let contact = reference.map(|reference| reference.into_new_contact(Id::new(&ids, now), scope.id, now));
    let context = CreationContext {
        account: scope.id,
        number: InvoiceNumber::generated(InvoiceNumber::DEFAULT_PREFIX, 1),
        contact: contact.transpose()?,
        pay_token: PayToken::generate(scope.id, &SystemRandom::default()),
        ids: &ids,
        now,
        today,
    };
    let mut invoice = Invoice::create(new, context);
    show("raised", &invoice)?;

    for amount in ["50.00", "37.74"] {
        let payment = Payment {
            id: Id::new(&ids, now),
            amount: Money::parse(amount, invoice.currency)?,
            received_at: now,
            method: PaymentMethod::BankTransfer,
            reference: None,
            recorded_by: RecordedBy::Operator,
        };
        invoice.record_payment(payment, now)?;
        show(&format!("paid {amount}"), &invoice)?;
    }
    match invoice.cancel(now) {
        Ok(()) => show("cancelled", &invoice)?,
        Err(refused) => print_line(&format!("cancel: {refused}"))?,
    }
    Ok(())
}

fn show(what: &str, invoice: &Invoice) -> std::io::Result<()> {
    let (totals, due) = (&invoice.totals, invoice.amount_due());
    let (number, status) = (&invoice.number, invoice.status.as_str());
    print_line(&format!(
        "{what:<11} {number} {status:<14} total {} (tax {}), due {due}",
        totals.total, totals.tax_total
    ))
}

fn print_line(line: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}")
}
