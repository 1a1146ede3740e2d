//! Rows of `line_items`.

use diesel::prelude::*;
use invoices::{Invoice, LineItem};
use kernel::{Currency, Decimal, Money, MultiLine, SingleLine};

use super::row_ref::text_or_null;
use crate::schema::line_items;
use crate::types::RowId;

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = line_items, treat_none_as_default_value = false)]
pub struct LineItemRow {
    pub account_id: RowId,
    pub invoice_id: RowId,
    pub position: i32,
    pub id: RowId,
    pub description: String,
    pub quantity: i64,
    pub unit_amount: i64,
    pub tax_rate: i64,
    pub tax_type: Option<String>,
    pub tax_amount: i64,
    pub line_amount: i64,
}

impl LineItemRow {
    /// The rows of an invoice's lines, in their order.
    pub fn of(invoice: &Invoice) -> Vec<Self> {
        (0..)
            .zip(&invoice.lines)
            .map(|(position, line)| Self {
                account_id: invoice.account.into(),
                invoice_id: invoice.id.into(),
                position,
                id: line.id.into(),
                description: line.description.as_str().to_owned(),
                quantity: line.quantity.ten_thousandths(),
                unit_amount: line.unit_amount.ten_thousandths(),
                tax_rate: line.tax_rate.ten_thousandths(),
                tax_type: text_or_null(line.tax_type.as_ref()),
                tax_amount: line.tax_amount.minor(),
                line_amount: line.line_amount.minor(),
            })
            .collect()
    }

    pub(crate) fn into_line_item(self, currency: Currency) -> LineItem {
        LineItem {
            id: self.id.id(),
            description: MultiLine::from_stored(self.description),
            quantity: Decimal::from_ten_thousandths(self.quantity),
            unit_amount: Decimal::from_ten_thousandths(self.unit_amount),
            tax_rate: Decimal::from_ten_thousandths(self.tax_rate),
            tax_type: self.tax_type.map(SingleLine::from_stored),
            tax_amount: Money::new(self.tax_amount, currency),
            line_amount: Money::new(self.line_amount, currency),
        }
    }
}
