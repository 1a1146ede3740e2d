//! The invoice as responses show it.

use invoices::{Invoice, InvoicedContact, LineItem, Payment};
use kernel::clock::date_text;
use kernel::{EmailAddress, MultiLine, Named as _, PublicUrls, SingleLine, instant_text};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::exact_number::ExactNumber;
use crate::routes::contacts::view::AddressView;

/// An invoice. Amounts are in major units with the decimals of the currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Invoice)]
pub struct InvoiceView<'a> {
    /// The invoice's id.
    #[schema(value_type = String, format = Uuid, example = "01a1f6b6-ee63-7000-8000-000000000001")]
    id: Uuid,
    /// The invoice number, unique within the account.
    #[schema(example = "INV-0001")]
    invoice_number: &'a str,
    /// The status of the invoice.
    status: &'static str,
    /// True exactly for `DRAFT`.
    is_draft: bool,
    /// The contact as it was when the invoice was issued; a draft may have none.
    contact: Option<InvoicedContactView<'a>>,
    /// The invoice's date.
    #[schema(format = Date, example = "2026-11-20")]
    invoice_date: String,
    /// The last day on which payment is in time, in the time zone of the account.
    #[schema(format = Date, example = "2026-12-04")]
    due_date: String,
    /// The ISO 4217 code.
    #[schema(example = "AUD")]
    currency: &'static str,
    /// Whether line amounts contain their tax.
    line_amount_types: &'static str,
    /// The sum of the lines without tax.
    #[schema(value_type = f64, example = 100.00)]
    sub_total: ExactNumber,
    /// The sum of the lines' taxes, each rounded on its own.
    #[schema(value_type = f64, example = 10.00)]
    tax_total: ExactNumber,
    /// The total amount, with tax.
    #[schema(value_type = f64, example = 110.00)]
    total: ExactNumber,
    /// The sum of the payments.
    #[schema(value_type = f64, example = 0.00)]
    amount_paid: ExactNumber,
    /// The amount still to be paid; zero for a cancelled invoice.
    #[schema(value_type = f64, example = 110.00)]
    amount_due: ExactNumber,
    /// The lines, in the order in which they were sent.
    line_items: Vec<LineItemView<'a>>,
    /// Payments recorded against the invoice, oldest first.
    payments: Vec<PaymentView<'a>>,
    /// The caller's reference.
    reference: Option<&'a str>,
    /// Notes to the contact.
    notes: Option<&'a str>,
    /// The member of staff who raised the invoice.
    staff: Option<&'a str>,
    /// False exactly for `PAID` and `CANCELLED`.
    is_editable: bool,
    /// Whether the invoice was ever mailed to the contact.
    sent_to_contact: bool,
    /// When the invoice was last mailed to the contact.
    #[schema(format = DateTime)]
    last_sent_at: Option<String>,
    /// How often the invoice was mailed to the contact.
    #[schema(example = 0)]
    send_count: u32,
    /// The URL of the invoice's payment page.
    #[schema(format = "uri")]
    pay_url: String,
    /// The invoice's id in a linked accounting system, once it is entered there.
    ledger_invoice_id: Option<&'a str>,
    /// When the invoice was created.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    created_at: String,
    /// When the invoice was last changed.
    #[schema(format = DateTime, example = "2026-11-20T02:09:06.147Z")]
    updated_at: String,
}

/// The contact as it was when the invoice was issued.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvoicedContact)]
pub(crate) struct InvoicedContactView<'a> {
    /// The contact's id.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The caller's own identifier.
    external_id: Option<&'a str>,
    /// The name.
    #[schema(example = "Ada Lovelace")]
    name: &'a str,
    /// The e-mail address.
    #[schema(format = Email)]
    email: Option<&'a str>,
    /// The phone number.
    phone: Option<&'a str>,
    /// The postal address.
    address: Option<AddressView<'a>>,
}

/// A line of an invoice.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LineItem)]
pub(crate) struct LineItemView<'a> {
    /// The line's id.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// What is charged for.
    #[schema(example = "Consulting")]
    description: &'a str,
    /// The quantity.
    #[schema(value_type = f64, example = 2)]
    quantity: ExactNumber,
    /// The unit price.
    #[schema(value_type = f64, example = 50.00)]
    unit_amount: ExactNumber,
    /// The tax in percent.
    #[schema(value_type = f64, example = 10)]
    tax_rate: ExactNumber,
    /// The caller's tax code.
    tax_type: Option<&'a str>,
    /// The tax on the line, or in it when line amounts contain their tax.
    #[schema(value_type = f64, example = 10.00)]
    tax_amount: ExactNumber,
    /// Quantity times unit amount, rounded to the currency's decimals, half away from zero.
    #[schema(value_type = f64, example = 100.00)]
    line_amount: ExactNumber,
}

/// A payment recorded against an invoice.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Payment)]
pub(crate) struct PaymentView<'a> {
    /// The payment's id.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The amount paid.
    #[schema(value_type = f64, example = 110.00)]
    amount: ExactNumber,
    /// The invoice's currency.
    currency: &'static str,
    /// When the payment was received.
    #[schema(format = DateTime)]
    received_at: String,
    /// The payment method.
    method: &'static str,
    /// The reference that the payer or the bank gave.
    reference: Option<&'a str>,
    /// Who recorded the payment.
    recorded_by: &'static str,
}

impl<'a> InvoiceView<'a> {
    /// Presents an invoice.
    #[must_use]
    pub fn new(invoice: &'a Invoice, urls: &PublicUrls) -> Self {
        let decimals = invoice.currency.decimals();
        let lines = invoice.lines.iter();
        Self {
            id: invoice.id.uuid(),
            invoice_number: invoice.number.as_str(),
            status: invoice.status.as_str(),
            is_draft: invoice.is_draft(),
            contact: invoice.contact.as_ref().map(InvoicedContactView::from),
            invoice_date: date_text(invoice.invoice_date),
            due_date: date_text(invoice.due_date),
            currency: invoice.currency.code(),
            line_amount_types: invoice.line_amount_types.as_str(),
            sub_total: invoice.totals.sub_total.into(),
            tax_total: invoice.totals.tax_total.into(),
            total: invoice.totals.total.into(),
            amount_paid: invoice.amount_paid.into(),
            amount_due: invoice.amount_due().into(),
            line_items: lines.map(|line| LineItemView::new(line, decimals)).collect(),
            payments: invoice.payments.iter().map(PaymentView::from).collect(),
            reference: invoice.texts.reference.as_ref().map(SingleLine::as_str),
            notes: invoice.texts.notes.as_ref().map(MultiLine::as_str),
            staff: invoice.texts.staff.as_ref().map(SingleLine::as_str),
            is_editable: invoice.status.is_editable(),
            sent_to_contact: invoice.sent_to_contact(),
            last_sent_at: invoice.last_sent_at.map(instant_text),
            send_count: invoice.send_count,
            pay_url: urls.payment_page(invoice.pay_token.reveal()),
            ledger_invoice_id: invoice.ledger_invoice_id.as_ref().map(SingleLine::as_str),
            created_at: instant_text(invoice.created_at),
            updated_at: instant_text(invoice.updated_at),
        }
    }
}

impl<'a> From<&'a InvoicedContact> for InvoicedContactView<'a> {
    fn from(contact: &'a InvoicedContact) -> Self {
        Self {
            id: contact.id.uuid(),
            external_id: contact.external_id.as_ref().map(SingleLine::as_str),
            name: contact.name.as_str(),
            email: contact.email.as_ref().map(EmailAddress::as_str),
            phone: contact.phone.as_ref().map(SingleLine::as_str),
            address: contact.address.as_ref().map(AddressView::from),
        }
    }
}

impl<'a> LineItemView<'a> {
    fn new(line: &'a LineItem, decimals: u32) -> Self {
        Self {
            id: line.id.uuid(),
            description: line.description.as_str(),
            quantity: line.quantity.into(),
            unit_amount: ExactNumber::with_at_least(decimals, line.unit_amount),
            tax_rate: line.tax_rate.into(),
            tax_type: line.tax_type.as_ref().map(SingleLine::as_str),
            tax_amount: line.tax_amount.into(),
            line_amount: line.line_amount.into(),
        }
    }
}

impl<'a> From<&'a Payment> for PaymentView<'a> {
    fn from(payment: &'a Payment) -> Self {
        Self {
            id: payment.id.uuid(),
            amount: payment.amount.into(),
            currency: payment.amount.currency().code(),
            received_at: instant_text(payment.received_at),
            method: payment.method.as_str(),
            reference: payment.reference.as_ref().map(SingleLine::as_str),
            recorded_by: payment.recorded_by.as_str(),
        }
    }
}
