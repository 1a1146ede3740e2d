//! Schemas of fields that hold one of a few names.

use escalations::{Channel, EscalationType, Priority, ResolutionOutcome};
use http_server::ErrorCode;
use invoices::{LineAmountTypes, PaymentMethod, RecordedBy, Status};
use partner_accounts::AccountStatus;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

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
    one_of("Who recorded it.", [PaymentPage, Dashboard, Operator].map(RecordedBy::as_str))
}

/// Whether an account works.
pub(crate) fn account_statuses() -> Object {
    use AccountStatus::{Active, Inactive};
    one_of(
        "Active unless the partner or the operator has switched the account off.",
        [Active, Inactive].map(AccountStatus::as_str),
    )
}

/// What an amendment may set an account's status to.
pub(crate) fn account_switch() -> Object {
    use AccountStatus::{Active, Inactive};
    one_of(
        "`inactive` switches the account off, as `DELETE` does; `active` switches it on again, unless the operator has switched it off. \
         Not `null`.",
        [Active, Inactive].map(AccountStatus::as_str),
    )
}

/// Why a customer needs a person.
pub(crate) fn escalation_types() -> Object {
    one_of("Why the customer needs a person.", EscalationType::ALL.map(EscalationType::as_str))
}

/// How urgent an escalation is.
pub(crate) fn priorities() -> Object {
    one_of(
        "How urgent it is: at present `medium` for `human_request` and `high` for the others. Handle all three.",
        Priority::ALL.map(Priority::as_str),
    )
}

/// Where an escalation stands.
pub(crate) fn escalation_statuses() -> Object {
    use escalations::Status;
    one_of("Where the escalation stands.", Status::ALL.map(Status::as_str))
}

/// How the customer's words came in.
pub(crate) fn channels() -> Object {
    one_of("How the customer's words came in.", Channel::ALL.map(Channel::as_str))
}

/// How an escalation was settled; null while it is open.
pub(crate) fn resolution_outcomes() -> Object {
    let names = ResolutionOutcome::ALL.map(|outcome| Some(outcome.as_str()));
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some("How it was settled; null while it is open."))
        .enum_values(Some(names.into_iter().chain([None])))
        .build()
}

/// The codes of errors. New ones may be added, so it is not declared as an enum.
pub(crate) fn codes() -> Object {
    let names: Vec<_> = ErrorCode::ALL.iter().map(|code| code.name()).collect();
    let names = names.join("`, `");
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!("The stable code; decide by this. One of `{names}`.")))
        .examples([ErrorCode::ValidationError.name()])
        .build()
}

fn one_of<const N: usize>(description: &str, names: [&'static str; N]) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(names))
        .build()
}
