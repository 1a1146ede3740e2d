//! The body of `POST /invoices`.

use invoices::line_item::MOST_LINES;
use invoices::{InvoiceInput, InvoiceNumber, InvoiceTextsInput, LineAmountTypes, LineInput};
use kernel::{Block, Currency, Field};
use utoipa::ToSchema;

use crate::body::FieldReader;
use crate::routes::contacts::reference::ContactReferenceBody;

/// An invoice to create. Unknown fields are ignored; `null` and empty text count as left out.
#[derive(ToSchema)]
#[schema(as = NewInvoice, example = json!({
    "contact": {"name": "Ada Lovelace", "email": "ada@example.com"},
    "invoice_date": "2026-11-20",
    "due_date": "2026-12-04",
    "line_items": [{"description": "Consulting", "quantity": 2, "unit_amount": 50.00, "tax_rate": 10}]
}))]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(crate) struct InvoiceBody {
    /// The contact to invoice, found or created as in `POST /contacts`. Required unless `is_draft` is true.
    contact: Option<ContactReferenceBody>,
    /// A number of your own choice, 1 to 50 printable characters, unique within the account. Generated when
    /// left out.
    #[schema(max_length = 50, example = "INV-0042")]
    invoice_number: Option<String>,
    /// The invoice's date; today in the account's time zone when left out.
    #[schema(format = Date, example = "2026-11-20")]
    invoice_date: Option<String>,
    /// When it is due, not before the invoice date; 14 days after it when left out, unless the operator set
    /// other terms.
    #[schema(format = Date, example = "2026-12-04")]
    due_date: Option<String>,
    /// The ISO 4217 code of a currency in use, in any case; the account's currency when left out.
    #[schema(example = "AUD")]
    currency: Option<String>,
    /// Whether line amounts contain their tax: `EXCLUSIVE` (the default), `INCLUSIVE` or `NO_TAX`, in any
    /// case; `NoTax` is understood too. With `NO_TAX` each tax_rate must be 0.
    #[schema(example = "EXCLUSIVE")]
    line_amount_types: Option<String>,
    /// The lines, at most 500. At least one is required unless `is_draft` is true.
    #[schema(max_items = 500)]
    line_items: Option<Vec<LineBody>>,
    /// Your own reference.
    #[schema(max_length = 255)]
    reference: Option<String>,
    /// Notes to the contact; line breaks are fine.
    #[schema(max_length = 4000)]
    notes: Option<String>,
    /// Who of your staff raised it.
    #[schema(max_length = 255)]
    staff: Option<String>,
    /// Whether to mail the invoice to its contact at once; `false` when left out. Needs a contact with an
    /// e-mail address and an account whose `communications_enabled` is true, and does not go with `is_draft`.
    send_invoice: Option<bool>,
    /// Whether to save it as a draft for review; `false` when left out.
    is_draft: Option<bool>,
}

/// A line to charge.
#[derive(ToSchema)]
#[schema(as = NewLineItem)]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(crate) struct LineBody {
    /// What is charged for. Required.
    #[schema(required = true, min_length = 1, max_length = 4000, example = "Consulting")]
    description: String,
    /// How many, above 0, with at most 4 decimals; 1 when left out.
    #[schema(example = 2)]
    quantity: Option<f64>,
    /// The price of one in major units, with at most 4 decimals; below 0 for a discount. Required.
    #[schema(required = true, example = 50)]
    unit_amount: f64,
    /// The tax in percent, 0 to 100, with at most 4 decimals; 0 when left out.
    #[schema(example = 10)]
    tax_rate: Option<f64>,
    /// Your tax code; kept with the line, and no part of the arithmetic.
    #[schema(max_length = 50)]
    tax_type: Option<String>,
}

impl InvoiceBody {
    /// The invoice as the domain takes it.
    pub(super) fn read(reader: &mut FieldReader<'_>) -> InvoiceInput {
        InvoiceInput {
            contact: reader.object("contact", ContactReferenceBody::read),
            invoice_number: reader.text("invoice_number", InvoiceNumber::parse),
            invoice_date: reader.date("invoice_date"),
            due_date: reader.date("due_date"),
            currency: reader.text("currency", Currency::parse),
            line_amount_types: reader.text("line_amount_types", LineAmountTypes::parse),
            line_items: reader
                .objects("line_items", MOST_LINES, LineBody::read)
                .map(|lines| lines.into_iter().map(faulty_if_none).collect()),
            texts: InvoiceTextsInput {
                reference: reader.line("reference"),
                notes: reader.text("notes", Block::parse),
                staff: reader.line("staff"),
            },
            send_invoice: reader.flag("send_invoice"),
            is_draft: reader.flag("is_draft"),
        }
    }
}

impl LineBody {
    fn read(reader: &mut FieldReader<'_>) -> LineInput {
        LineInput {
            description: reader.text("description", Block::parse),
            quantity: reader.number("quantity"),
            unit_amount: reader.number("unit_amount"),
            tax_rate: reader.number("tax_rate"),
            tax_type: reader.line("tax_type"),
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
