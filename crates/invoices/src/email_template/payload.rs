//! The payload of an invoice's mail: the invoice as it was sent.
//!
//! An invoice is a legal document. It can be amended before its mail is rendered, and the mail still shows
//! what was sent. Amounts are decimal text, so that they stay exact; instants are microseconds since 1970.
//! Stored values are read without the rules for input. Structs are taken apart field by field, so that a new
//! field does not compile until it is added here.

use std::collections::BTreeMap;

use contacts::PostalAddress;
use kernel::clock::{date_from_stored, date_text, from_unix_micros, unix_micros};
use kernel::{Currency, Decimal, EmailAddress, Id, Money, MultiLine, Named as _, SingleLine};
use serde::{Deserialize, Serialize};

use crate::invoice::{Invoice, InvoiceData};
use crate::invoiced_contact::InvoicedContact;
use crate::line_amount_types::LineAmountTypes;
use crate::line_item::LineItem;
use crate::number::InvoiceNumber;
use crate::pay_token::PayToken;
use crate::payment::{Payment, PaymentMethod, RecordedBy};
use crate::status::InvoiceStatus;
use crate::texts::InvoiceTexts;
use crate::totals::Totals;

/// An invoice as JSON, written in the transaction that sends the invoice and read by the mail worker.
#[derive(Serialize, Deserialize)]
pub(crate) struct InvoicePayload {
    id: String,
    account: String,
    number: String,
    status: String,
    contact: Option<ContactPayload>,
    invoice_date: String,
    due_date: String,
    currency: String,
    line_amount_types: String,
    lines: Vec<LinePayload>,
    sub_total: String,
    tax_total: String,
    total: String,
    amount_paid: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    payments: Vec<PaymentPayload>,
    /// By their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    texts: BTreeMap<String, String>,
    last_sent_at: Option<i64>,
    send_count: u32,
    pay_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ledger_invoice_id: Option<String>,
    created_at: i64,
    updated_at: i64,
}

#[derive(Serialize, Deserialize)]
struct ContactPayload {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    name: String,
    email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    /// Street, second line, city, state, postal code, country.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<[Option<String>; 6]>,
}

#[derive(Serialize, Deserialize)]
struct LinePayload {
    id: String,
    description: String,
    quantity: String,
    unit_amount: String,
    tax_rate: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tax_type: Option<String>,
    tax_amount: String,
    line_amount: String,
}

#[derive(Serialize, Deserialize)]
struct PaymentPayload {
    id: String,
    amount: String,
    received_at: i64,
    method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    recorded_by: String,
}

impl From<&Invoice> for InvoicePayload {
    fn from(invoice: &Invoice) -> Self {
        let InvoiceData {
            id,
            account,
            number,
            status,
            contact,
            invoice_date,
            due_date,
            currency,
            line_amount_types,
            lines,
            totals: Totals { sub_total, tax_total, total },
            amount_paid,
            payments,
            texts,
            last_sent_at,
            send_count,
            pay_token,
            ledger_invoice_id,
            created_at,
            updated_at,
        } = &**invoice;
        Self {
            id: id.to_string(),
            account: account.to_string(),
            number: number.to_string(),
            status: status.as_str().to_owned(),
            contact: contact.as_ref().map(ContactPayload::from),
            invoice_date: date_text(*invoice_date),
            due_date: date_text(*due_date),
            currency: currency.code().to_owned(),
            line_amount_types: line_amount_types.as_str().to_owned(),
            lines: lines.iter().map(LinePayload::from).collect(),
            sub_total: sub_total.to_string(),
            tax_total: tax_total.to_string(),
            total: total.to_string(),
            amount_paid: amount_paid.to_string(),
            payments: payments.iter().map(PaymentPayload::from).collect(),
            texts: texts.by_name().filter_map(|(name, text)| Some((name.to_owned(), text?))).collect(),
            last_sent_at: last_sent_at.map(unix_micros),
            send_count: *send_count,
            pay_token: pay_token.reveal().to_owned(),
            ledger_invoice_id: text(ledger_invoice_id.as_ref()),
            created_at: unix_micros(*created_at),
            updated_at: unix_micros(*updated_at),
        }
    }
}

impl From<&InvoicedContact> for ContactPayload {
    fn from(contact: &InvoicedContact) -> Self {
        let InvoicedContact { id, external_id, name, email, phone, address } = contact;
        let parts = |address: &PostalAddress| {
            let PostalAddress { line1, line2, city, state, postal_code, country } = address;
            [line1, line2, city, state, postal_code, country].map(|part| text(part.as_ref()))
        };
        Self {
            id: id.to_string(),
            external_id: text(external_id.as_ref()),
            name: name.to_string(),
            email: email.as_ref().map(ToString::to_string),
            phone: text(phone.as_ref()),
            address: address.as_ref().map(parts),
        }
    }
}

impl From<&LineItem> for LinePayload {
    fn from(line: &LineItem) -> Self {
        let LineItem { id, description, quantity, unit_amount, tax_rate, tax_type, tax_amount, line_amount } =
            line;
        Self {
            id: id.to_string(),
            description: description.as_str().to_owned(),
            quantity: quantity.to_string(),
            unit_amount: unit_amount.to_string(),
            tax_rate: tax_rate.to_string(),
            tax_type: text(tax_type.as_ref()),
            tax_amount: tax_amount.to_string(),
            line_amount: line_amount.to_string(),
        }
    }
}

impl From<&Payment> for PaymentPayload {
    fn from(payment: &Payment) -> Self {
        let Payment { id, amount, received_at, method, reference, recorded_by } = payment;
        Self {
            id: id.to_string(),
            amount: amount.to_string(),
            received_at: unix_micros(*received_at),
            method: method.as_str().to_owned(),
            reference: text(reference.as_ref()),
            recorded_by: recorded_by.as_str().to_owned(),
        }
    }
}

impl InvoicePayload {
    /// Reads the invoice back; `None` when a field has a value that no invoice can have.
    pub(super) fn into_invoice(self) -> Option<Invoice> {
        let currency = Currency::from_stored(&self.currency).ok()?;
        let money = |text: &str| Money::parse(text, currency).ok();
        let lines = self.lines.into_iter().map(|line| line.into_line(currency));
        let payments = self.payments.into_iter();
        let payments = payments.map(|payment| payment.into_payment(currency));
        let account = id(&self.account)?;
        Some(Invoice::from_stored(InvoiceData {
            id: id(&self.id)?,
            account,
            number: InvoiceNumber::from_stored(self.number),
            status: InvoiceStatus::parse(&self.status).ok()?,
            contact: match self.contact {
                Some(contact) => Some(contact.into_contact()?),
                None => None,
            },
            invoice_date: date_from_stored(&self.invoice_date)?,
            due_date: date_from_stored(&self.due_date)?,
            currency,
            line_amount_types: LineAmountTypes::parse(&self.line_amount_types).ok()?,
            lines: lines.collect::<Option<_>>()?,
            totals: Totals {
                sub_total: money(&self.sub_total)?,
                tax_total: money(&self.tax_total)?,
                total: money(&self.total)?,
            },
            amount_paid: money(&self.amount_paid)?,
            payments: payments.collect::<Option<_>>()?,
            texts: InvoiceTexts::from_stored(|name| self.texts.get(name).cloned()),
            last_sent_at: self.last_sent_at.and_then(from_unix_micros),
            send_count: self.send_count,
            pay_token: PayToken::from_stored(account, self.pay_token),
            ledger_invoice_id: line(self.ledger_invoice_id),
            created_at: from_unix_micros(self.created_at)?,
            updated_at: from_unix_micros(self.updated_at)?,
        }))
    }
}

impl ContactPayload {
    fn into_contact(self) -> Option<InvoicedContact> {
        Some(InvoicedContact {
            id: id(&self.id)?,
            external_id: line(self.external_id),
            name: SingleLine::from_stored(self.name),
            email: self.email.map(EmailAddress::from_stored),
            phone: line(self.phone),
            address: self.address.map(address),
        })
    }
}

impl LinePayload {
    fn into_line(self, currency: Currency) -> Option<LineItem> {
        let number = |text: &str| Decimal::parse(text).ok();
        Some(LineItem {
            id: id(&self.id)?,
            description: MultiLine::from_stored(self.description),
            quantity: number(&self.quantity)?,
            unit_amount: number(&self.unit_amount)?,
            tax_rate: number(&self.tax_rate)?,
            tax_type: line(self.tax_type),
            tax_amount: Money::parse(&self.tax_amount, currency).ok()?,
            line_amount: Money::parse(&self.line_amount, currency).ok()?,
        })
    }
}

impl PaymentPayload {
    fn into_payment(self, currency: Currency) -> Option<Payment> {
        Some(Payment {
            id: id(&self.id)?,
            amount: Money::parse(&self.amount, currency).ok()?,
            received_at: from_unix_micros(self.received_at)?,
            method: PaymentMethod::parse(&self.method).ok()?,
            reference: line(self.reference),
            recorded_by: RecordedBy::parse(&self.recorded_by).ok()?,
        })
    }
}

fn text<const MAX: usize>(line: Option<&SingleLine<MAX>>) -> Option<String> {
    line.map(|line| line.as_str().to_owned())
}

fn address(parts: [Option<String>; 6]) -> PostalAddress {
    let [line1, line2, city, state, postal_code, country] = parts.map(line);
    PostalAddress { line1, line2, city, state, postal_code, country }
}

fn id<E>(text: &str) -> Option<Id<E>> {
    Id::parse(text)
}

fn line<const MAX: usize>(text: Option<String>) -> Option<SingleLine<MAX>> {
    text.map(SingleLine::from_stored)
}
