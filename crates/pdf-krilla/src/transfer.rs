//! The bank details for a transfer.

use invoices::TransferField;
use invoices::figures::written_date;

use crate::context::DocumentContext;
use crate::flow::Block;
use crate::sheet::{FIRST_COLUMN_WIDTH, LEFT};
use crate::typesetter::Style;

/// The left edge of the values.
const VALUES_LEFT: f32 = LEFT + 78.0;

/// The bank details and the reference to quote, while an amount is left to pay.
pub(crate) fn block(context: &DocumentContext<'_>) -> Block {
    let Some(transfer) = context.bank_transfer.filter(|_| context.is_payable()) else {
        return Block::default();
    };
    let paragraph = |text: &str, style| context.typesetter.paragraph(text, style, LEFT, FIRST_COLUMN_WIDTH);
    let head = paragraph("PAY BY BANK TRANSFER", Style::HEAD).padded(1.0, 2.5);
    let fields = transfer.fields.iter().fold(head, |block, (field, text)| match field {
        TransferField::Instructions => block.above(paragraph(text, Style::SMALL)),
        field => block.above(row(context, name(*field), text)),
    });
    let since = context.letterhead.date_at(transfer.unchanged_since);
    let since = format!("Unchanged since {}.", written_date(since));
    fields
        .above(row(context, "Reference", context.invoice.number.as_str()))
        .above(paragraph(&since, Style::SMALL))
        .padded(0.0, 10.0)
}

fn row(context: &DocumentContext<'_>, name: &str, value: &str) -> Block {
    let width = LEFT + FIRST_COLUMN_WIDTH - VALUES_LEFT;
    let mut row = context.typesetter.paragraph(value, Style::STRONG.sized(8.0), VALUES_LEFT, width);
    row.push_first(context.typesetter.at(name, Style::SMALL, LEFT, 0.0));
    row.padded(0.5, 1.0)
}

const fn name(field: TransferField) -> &'static str {
    match field {
        TransferField::AccountHolder => "Account name",
        TransferField::Iban => "IBAN",
        TransferField::Bic => "BIC",
        TransferField::Bsb => "BSB",
        TransferField::SortCode => "Sort code",
        TransferField::RoutingNumber => "Routing number",
        TransferField::AccountNumber => "Account number",
        TransferField::PayId => "PayID",
        TransferField::Instructions => "Instructions",
    }
}
