//! The JSON of an invoice for Xero. Numbers are written from their exact text and never converted to floats.

use std::str::FromStr;

use invoices::{Invoice, LedgerError, LineAmountTypes, LineItem};
use kernel::Money;
use serde::Serialize;
use serde_json::{Number, json};

/// The maximum number of characters in an invoice's reference in Xero.
const MAX_REFERENCE_LENGTH: usize = 255;
const SEPARATOR: &str = " / ";

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Entries<'a> {
    invoices: [Entry<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Entry<'a> {
    r#type: &'static str,
    status: &'static str,
    contact: XeroContact<'a>,
    invoice_number: &'a str,
    reference: String,
    date: String,
    due_date: String,
    currency_code: &'static str,
    line_amount_types: &'static str,
    line_items: Vec<Item<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct XeroContact<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_address: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Item<'a> {
    description: &'a str,
    quantity: Number,
    unit_amount: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    account_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tax_type: Option<&'a str>,
    tax_amount: Number,
    line_amount: Number,
}

/// The body that enters an invoice. Taxes are sent as we calculated them, because Xero rounds differently.
pub(crate) fn entry(invoice: &Invoice, account_code: Option<&str>) -> Result<Vec<u8>, LedgerError> {
    let no_contact =
        || LedgerError::Permanent("the invoice has no contact, and Xero takes none without".into());
    let contact = invoice.contact.as_ref().ok_or_else(no_contact)?;
    let items = invoice.lines.iter().map(|line| item(line, account_code));
    let entry = Entry {
        r#type: "ACCREC",
        status: "AUTHORISED",
        contact: XeroContact {
            name: contact.name.as_str(),
            email_address: contact.email.as_ref().map(|email| email.as_str()),
        },
        invoice_number: invoice.number.as_str(),
        reference: reference(invoice),
        date: invoice.invoice_date.to_string(),
        due_date: invoice.due_date.to_string(),
        currency_code: invoice.currency.code(),
        line_amount_types: match invoice.line_amount_types {
            LineAmountTypes::Exclusive => "Exclusive",
            LineAmountTypes::Inclusive => "Inclusive",
            LineAmountTypes::NoTax => "NoTax",
        },
        line_items: items.collect::<Result<_, _>>()?,
    };
    written(&Entries { invoices: [entry] })
}

/// The invoice's reference for Xero: the caller's own reference, cut to fit, followed by the invoice's id, by
/// which [`carries_id`] recognizes the invoice.
fn reference(invoice: &Invoice) -> String {
    let id = invoice.id.to_string();
    let room = MAX_REFERENCE_LENGTH.saturating_sub(id.len() + SEPARATOR.len());
    match &invoice.texts.reference {
        Some(own) => {
            let own: String = own.as_str().chars().take(room).collect();
            format!("{own}{SEPARATOR}{id}")
        }
        None => id,
    }
}

/// Whether a reference was made for this invoice.
pub(crate) fn carries_id(reference: &str, invoice: &Invoice) -> bool {
    reference.ends_with(&invoice.id.to_string())
}

/// The body that voids an invoice.
pub(crate) fn voided(id: &str) -> Result<Vec<u8>, LedgerError> {
    written(&json!({ "InvoiceID": id, "Status": "VOIDED" }))
}

fn item<'a>(line: &'a LineItem, account_code: Option<&'a str>) -> Result<Item<'a>, LedgerError> {
    Ok(Item {
        description: line.description.as_str(),
        quantity: number(&line.quantity.to_string())?,
        unit_amount: number(&line.unit_amount.to_string())?,
        account_code,
        tax_type: line.tax_type.as_ref().map(|text| text.as_str()),
        tax_amount: sum(line.tax_amount)?,
        line_amount: sum(line.line_amount)?,
    })
}

/// The tax or the amount of a line. Xero calculates these with two decimals and refuses others.
fn sum(amount: Money) -> Result<Number, LedgerError> {
    let text = amount.to_string();
    if text.split_once('.').is_some_and(|(_, decimals)| decimals.trim_end_matches('0').len() > 2) {
        let currency = amount.currency();
        return Err(LedgerError::Permanent(format!(
            "Xero takes no line with an amount of {currency} {text}, which has more than two decimals: enter the \
             invoice there by hand"
        )));
    }
    number(&text)
}

fn number(text: &str) -> Result<Number, LedgerError> {
    Number::from_str(text).map_err(unwritable)
}

fn written(body: &impl Serialize) -> Result<Vec<u8>, LedgerError> {
    serde_json::to_vec(body).map_err(unwritable)
}

/// All our data can be written as JSON; if not, a retry does not help.
fn unwritable(error: serde_json::Error) -> LedgerError {
    LedgerError::Permanent(format!("the invoice cannot be written for Xero: {error}"))
}
