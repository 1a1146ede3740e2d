//! Fields that hold one of a few names.

use invoices::{LineAmountTypes, PaymentMethod, RecordedBy, Status};
use partner_accounts::AccountStatus;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

use crate::error::Code;

/// An invoice's status.
pub(crate) fn statuses() -> Object {
    one_of("Where the invoice stands.", Status::ALL.map(Status::as_str))
}

/// Whether line amounts contain their tax.
pub(crate) fn line_amount_types() -> Object {
    use LineAmountTypes::{Exclusive, Inclusive, NoTax};
    one_of(
        "Whether line amounts contain their tax.",
        [Exclusive, Inclusive, NoTax].map(LineAmountTypes::as_str),
    )
}

/// How a payment was made.
pub(crate) fn payment_methods() -> Object {
    use PaymentMethod::{BankTransfer, Card, Cash, Cheque, DirectDebit, Other};
    one_of(
        "How it was paid.",
        [Card, BankTransfer, DirectDebit, Cash, Cheque, Other].map(PaymentMethod::as_str),
    )
}

/// Who recorded a payment.
pub(crate) fn recorders() -> Object {
    use RecordedBy::{Dashboard, Operator, PaymentPage};
    one_of(
        "Who recorded it.",
        [PaymentPage, Dashboard, Operator].map(RecordedBy::as_str),
    )
}

/// Whether an account works.
pub(crate) fn account_statuses() -> Object {
    use AccountStatus::{Active, Inactive};
    one_of(
        "Active unless the partner or the operator has switched the account off.",
        [Active, Inactive].map(AccountStatus::as_str),
    )
}

/// The codes of refusals. New ones may come, so that the document does not close the list.
pub(crate) fn codes() -> Object {
    let names = Code::ALL.map(Code::name).join("`, `");
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!(
            "The stable code; decide by this. One of `{names}`."
        )))
        .examples([Code::ValidationError.name()])
        .build()
}

fn one_of<const N: usize>(description: &str, names: [&'static str; N]) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(names))
        .build()
}
