//! Line items.

use kernel::{Currency, Decimal, Id, Money, MultiLine, SingleLine};

use crate::line_amount_types::LineAmountTypes;
use crate::totals::{LineAmounts, line_amounts};

/// Marks ids of line items.
pub enum LineItemEntity {}

/// The id of a line item.
pub type LineItemId = Id<LineItemEntity>;
/// What is charged for, at most 4,000 characters.
pub type Description = MultiLine<4_000>;
/// The caller's tax code, at most 50 characters: kept with the line, and not used in calculations.
pub type TaxType = SingleLine<50>;

/// The most lines that an invoice may have.
pub const MAX_LINES: usize = 500;

/// A checked line that is not on an invoice yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLine {
    /// What is charged for.
    pub description: Description,
    /// The quantity, above 0.
    pub quantity: Decimal,
    /// The price of one unit, in major units; below 0 for a discount.
    pub unit_amount: Decimal,
    /// The tax in percent, 0 to 100.
    pub tax_rate: Decimal,
    /// The caller's tax code.
    pub tax_type: Option<TaxType>,
}

impl NewLine {
    /// The amounts of the line; `None` when they are too large for any invoice.
    #[must_use]
    pub fn amounts(&self, types: LineAmountTypes, currency: Currency) -> Option<LineAmounts> {
        line_amounts(self.quantity, self.unit_amount, self.tax_rate, types, currency)
    }
}

/// A line of an invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineItem {
    /// The line's id.
    pub id: LineItemId,
    /// What is charged for.
    pub description: Description,
    /// The quantity.
    pub quantity: Decimal,
    /// The price of one unit, in major units.
    pub unit_amount: Decimal,
    /// The tax in percent.
    pub tax_rate: Decimal,
    /// The caller's tax code.
    pub tax_type: Option<TaxType>,
    /// The tax added to the line or contained in it.
    pub tax_amount: Money,
    /// Quantity times unit amount.
    pub line_amount: Money,
}

impl LineItem {
    /// The line without its id and amounts, for recalculation.
    #[must_use]
    pub fn to_new(&self) -> NewLine {
        NewLine {
            description: self.description.clone(),
            quantity: self.quantity,
            unit_amount: self.unit_amount,
            tax_rate: self.tax_rate,
            tax_type: self.tax_type.clone(),
        }
    }
}
