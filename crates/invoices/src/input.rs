//! What a caller sends to create an invoice.

use contacts::ContactInput;
use kernel::{Currency, Decimal, Field, FieldSource, MultiLine};
use time::Date;

use crate::line_amount_types::LineAmountTypes;
use crate::line_item::{Description, TaxType};
use crate::number::InvoiceNumber;
use crate::texts::InvoiceTextsInput;

/// The fields of an invoice as the caller sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvoiceInput {
    /// The contact to invoice.
    pub contact: Field<ContactInput>,
    /// A number of the caller's choice.
    pub invoice_number: Field<InvoiceNumber>,
    /// The invoice's date.
    pub invoice_date: Field<Date>,
    /// The due date; by default it follows from the payment terms.
    pub due_date: Field<Date>,
    /// The currency.
    pub currency: Field<Currency>,
    /// Whether line amounts contain their tax.
    pub line_amount_types: Field<LineAmountTypes>,
    /// Its lines.
    pub line_items: Field<Vec<LineInput>>,
    /// Texts for people; no rule depends on them.
    pub texts: InvoiceTextsInput,
    /// Whether the invoice is mailed at once.
    pub send_invoice: Field<bool>,
    /// Whether the invoice is saved as a draft.
    pub is_draft: Field<bool>,
}

/// The fields of a line as the caller sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineInput {
    /// What is charged for.
    pub description: Field<Description>,
    /// The quantity; 1 when left out.
    pub quantity: Field<Decimal>,
    /// The price of one unit, in major units.
    pub unit_amount: Field<Decimal>,
    /// The tax in percent; 0 when left out.
    pub tax_rate: Field<Decimal>,
    /// The caller's tax code.
    pub tax_type: Field<TaxType>,
}

impl InvoiceInput {
    /// Whether no known field was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl LineInput {
    /// Reads a line of a request.
    pub fn read(source: &mut impl FieldSource) -> Self {
        Self {
            description: source.text("description", MultiLine::parse),
            quantity: source.number("quantity"),
            unit_amount: source.number("unit_amount"),
            tax_rate: source.number("tax_rate"),
            tax_type: source.line("tax_type"),
        }
    }
}
