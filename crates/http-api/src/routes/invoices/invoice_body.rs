//! The body of `POST /invoices`.

use invoices::line_item::MOST_LINES;
use invoices::{InvoiceInput, InvoiceNumber, InvoiceTextsInput, LineAmountTypes, LineInput};
use kernel::{Block, Field};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body::{FieldReader, RawField};
use crate::routes::contacts::reference::ContactReferenceBody;

/// An invoice to create. Unknown fields are ignored; `null` and empty text count as left out.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewInvoice, example = json!({
    "contact": {"name": "Ada Lovelace", "email": "ada@example.com"},
    "invoice_date": "2026-11-20",
    "due_date": "2026-12-04",
    "line_items": [{"description": "Consulting", "quantity": 2, "unit_amount": 50.00, "tax_rate": 10}]
}))]
pub(crate) struct InvoiceBody {
    /// The contact to invoice, found or created as in `POST /contacts`. Required unless `is_draft` is true.
    #[serde(default)]
    #[schema(value_type = Option<ContactReferenceBody>)]
    contact: RawField,
    /// A number of your own choice, 1 to 50 printable characters, unique within the account. Generated when
    /// left out.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 50, example = "INV-0042")]
    invoice_number: RawField,
    /// The invoice's date; today in the account's time zone when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date, example = "2026-11-20")]
    invoice_date: RawField,
    /// When it is due, not before the invoice date; 14 days after it when left out, unless the operator set
    /// other terms.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date, example = "2026-12-04")]
    due_date: RawField,
    /// The ISO 4217 code of a currency in use, in any case; the account's currency when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "AUD")]
    currency: RawField,
    /// Whether line amounts contain their tax: `EXCLUSIVE` (the default), `INCLUSIVE` or `NO_TAX`, in any
    /// case; `NoTax` is understood too. With `NO_TAX` each tax_rate must be 0.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "EXCLUSIVE")]
    line_amount_types: RawField,
    /// The lines, at most 500. At least one is required unless `is_draft` is true.
    #[serde(default)]
    #[schema(value_type = Option<Vec<LineBody>>, max_items = 500)]
    line_items: RawField,
    /// Your own reference.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 255)]
    reference: RawField,
    /// Notes to the contact; line breaks are fine.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 4000)]
    notes: RawField,
    /// Who of your staff raised it.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 255)]
    staff: RawField,
    /// Whether to mail the invoice to its contact at once; `false` when left out. Needs a contact with an
    /// e-mail address and an account whose `communications_enabled` is true, and does not go with `is_draft`.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    send_invoice: RawField,
    /// Whether to save it as a draft for review; `false` when left out.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_draft: RawField,
}

/// A line to charge.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewLineItem)]
pub(crate) struct LineBody {
    /// What is charged for. Required.
    #[serde(default)]
    #[schema(value_type = String, required = true, min_length = 1, max_length = 4000, example = "Consulting")]
    description: RawField,
    /// How many, above 0, with at most 4 decimals; 1 when left out.
    #[serde(default)]
    #[schema(value_type = Option<f64>, example = 2)]
    quantity: RawField,
    /// The price of one in major units, with at most 4 decimals; below 0 for a discount. Required.
    #[serde(default)]
    #[schema(value_type = f64, required = true, example = 50)]
    unit_amount: RawField,
    /// The tax in percent, 0 to 100, with at most 4 decimals; 0 when left out.
    #[serde(default)]
    #[schema(value_type = Option<f64>, example = 10)]
    tax_rate: RawField,
    /// Your tax code; kept with the line, and no part of the arithmetic.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 50)]
    tax_type: RawField,
}

impl InvoiceBody {
    /// The invoice as the domain takes it.
    pub(super) fn read(&self, reader: &mut FieldReader) -> InvoiceInput {
        InvoiceInput {
            contact: reader.object("contact", &self.contact, ContactReferenceBody::read),
            invoice_number: reader.text("invoice_number", &self.invoice_number, InvoiceNumber::parse),
            invoice_date: reader.date("invoice_date", &self.invoice_date),
            due_date: reader.date("due_date", &self.due_date),
            currency: reader.currency("currency", &self.currency),
            line_amount_types: reader.text(
                "line_amount_types",
                &self.line_amount_types,
                LineAmountTypes::parse,
            ),
            line_items: reader
                .objects("line_items", &self.line_items, MOST_LINES, LineBody::read)
                .map(|lines| lines.into_iter().map(faulty_if_none).collect()),
            texts: InvoiceTextsInput {
                reference: reader.line("reference", &self.reference),
                notes: reader.text("notes", &self.notes, Block::parse),
                staff: reader.line("staff", &self.staff),
            },
            send_invoice: reader.flag("send_invoice", &self.send_invoice),
            is_draft: reader.flag("is_draft", &self.is_draft),
        }
    }
}

impl LineBody {
    fn read(&self, reader: &mut FieldReader) -> LineInput {
        LineInput {
            description: reader.text("description", &self.description, Block::parse),
            quantity: reader.number("quantity", &self.quantity),
            unit_amount: reader.number("unit_amount", &self.unit_amount),
            tax_rate: reader.number("tax_rate", &self.tax_rate),
            tax_type: reader.line("tax_type", &self.tax_type),
        }
    }
}

/// An element that is no object is one fault at its place, so its fields count as faulty and add none.
fn faulty_if_none(line: Option<LineInput>) -> LineInput {
    line.unwrap_or(LineInput {
        description: Field::Faulty,
        quantity: Field::Faulty,
        unit_amount: Field::Faulty,
        tax_rate: Field::Faulty,
        tax_type: Field::Faulty,
    })
}
