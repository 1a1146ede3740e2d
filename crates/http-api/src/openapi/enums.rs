//! The enum values of fields.

use escalations::{Channel, EscalationType, Priority, ResolutionOutcome};
use invoices::{LineAmountTypes, PaymentMethod, RecordedBy};
use kernel::Named as _;
use partner_accounts::AccountStatus;
use serde_json::Value;
use utoipa::openapi::schema::{Object, SchemaType};

/// Adds the enum values of a field of a schema, if it has any, and `null` if the field can be `null`.
pub(super) fn add_names(schema: &str, field: &str, object: &mut Object) {
    let names = names(schema, field);
    if names.is_empty() {
        return;
    }
    let null = matches!(object.schema_type, SchemaType::Array(_)).then_some(Value::Null);
    object.enum_values = Some(names.into_iter().map(Value::from).chain(null).collect());
}

fn names(schema: &str, field: &str) -> Vec<&'static str> {
    use AccountStatus::{Active, Inactive};
    use LineAmountTypes::{Exclusive, Inclusive, NoTax};
    use PaymentMethod::{BankTransfer, Card, Cash, Cheque, DirectDebit, Other};
    use RecordedBy::{Dashboard, Operator, PaymentPage};
    match (schema, field) {
        ("Invoice", "status") => invoices::InvoiceStatus::ALL.map(invoices::InvoiceStatus::as_str).to_vec(),
        ("Invoice", "line_amount_types") => {
            [Exclusive, Inclusive, NoTax].map(LineAmountTypes::as_str).to_vec()
        }
        ("Payment", "method") => {
            [Card, BankTransfer, DirectDebit, Cash, Cheque, Other].map(PaymentMethod::as_str).to_vec()
        }
        ("Payment", "recorded_by") => [PaymentPage, Dashboard, Operator].map(RecordedBy::as_str).to_vec(),
        ("Account" | "AccountAmendment", "status") => [Active, Inactive].map(AccountStatus::as_str).to_vec(),
        ("Escalation", "escalation_type") => EscalationType::ALL.map(EscalationType::as_str).to_vec(),
        ("Escalation", "priority") => Priority::ALL.map(Priority::as_str).to_vec(),
        ("Escalation", "status") => {
            escalations::EscalationStatus::ALL.map(escalations::EscalationStatus::as_str).to_vec()
        }
        ("Escalation", "trigger_channel") => Channel::ALL.map(Channel::as_str).to_vec(),
        ("Escalation", "resolution_outcome") => {
            ResolutionOutcome::ALL.map(ResolutionOutcome::as_str).to_vec()
        }
        _ => Vec::new(),
    }
}
