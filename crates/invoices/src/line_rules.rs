//! The rules for the lines of an invoice.

use kernel::{Currency, Decimal, Field, FieldErrors, Money};

use crate::input::LineInput;
use crate::line_amount_types::LineAmountTypes;
use crate::line_item::{MAX_LINES, NewLine};
use crate::totals::{Totals, totals};

/// The properties of an invoice that its lines are checked against.
pub(crate) struct LineRules {
    /// Whether the invoice is a draft, as far as is known: a draft may have no lines.
    pub(crate) may_be_draft: bool,
    /// Whether line amounts contain their tax.
    pub(crate) types: LineAmountTypes,
    /// The invoice's currency.
    pub(crate) currency: Currency,
}

impl LineRules {
    /// Checks the lines that were sent.
    pub(crate) fn check_lines(&self, input: Field<Vec<LineInput>>, faults: &mut FieldErrors) -> Vec<NewLine> {
        let lines = match input {
            Field::Value(lines) => lines,
            Field::Faulty => return Vec::new(),
            Field::Absent | Field::Null => Vec::new(),
        };
        if lines.is_empty() && !self.may_be_draft {
            faults.add("line_items", "at least one line is required unless is_draft is true");
        }
        if lines.len() > MAX_LINES {
            faults.add("line_items", format!("must have at most {MAX_LINES} lines"));
            return Vec::new();
        }
        let numbered = lines.into_iter().enumerate();
        numbered.filter_map(|(place, line)| self.check_line(place, line, faults)).collect()
    }

    fn check_line(&self, place: usize, line: LineInput, faults: &mut FieldErrors) -> Option<NewLine> {
        let mut part = FieldErrors::default();
        let quantity = line.quantity.as_value().copied().unwrap_or(Decimal::ONE);
        let tax_rate = line.tax_rate.as_value().copied().unwrap_or(Decimal::ZERO);
        if line.description.is_missing() {
            part.add("description", "is required");
        }
        if line.unit_amount.is_missing() {
            part.add("unit_amount", "is required");
        }
        if quantity <= Decimal::ZERO {
            part.add("quantity", "must be above 0");
        }
        if tax_rate < Decimal::ZERO || tax_rate > Decimal::from_ten_thousandths(1_000_000) {
            part.add("tax_rate", "must be from 0 to 100");
        } else if self.types == LineAmountTypes::NoTax && tax_rate != Decimal::ZERO {
            part.add("tax_rate", "must be 0 when line_amount_types is NO_TAX");
        }
        // The amounts of a line with faults are not checked.
        let counts = part.is_empty()
            && !matches!(line.quantity, Field::Faulty)
            && !matches!(line.tax_rate, Field::Faulty);
        faults.add_under(&format!("line_items.{place}"), part);
        let line = NewLine {
            description: line.description.value()?,
            quantity,
            unit_amount: line.unit_amount.value()?,
            tax_rate,
            tax_type: line.tax_type.value(),
        };
        if counts && line.amounts(self.types, self.currency).is_none() {
            faults.add(format!("line_items.{place}.unit_amount"), "makes the line too large for any invoice");
        }
        Some(line)
    }

    /// The totals of lines. They are checked only if the lines have no faults and `known` is set: currency
    /// and kind of amounts could be read.
    pub(crate) fn check_totals(&self, lines: &[NewLine], known: bool, faults: &mut FieldErrors) -> Totals {
        let amounts: Option<Vec<_>> =
            lines.iter().map(|line| line.amounts(self.types, self.currency)).collect();
        let sum = amounts.and_then(|amounts| totals(amounts, self.types, self.currency));
        let counts = known && !faults.iter().any(|fault| fault.field.starts_with("line_items"));
        match sum {
            Some(sum) if sum.total.is_negative() && counts => {
                faults.add("line_items", "the total of the lines must not be negative");
            }
            None if counts => {
                faults.add("line_items", "the total of the lines is larger than 999,999,999,999");
            }
            _ => {}
        }
        let zero = Money::zero(self.currency);
        sum.unwrap_or(Totals { sub_total: zero, tax_total: zero, total: zero })
    }
}
