//! The enum values of fields.

use escalations::{Channel, EscalationStatus, EscalationType, Priority, ResolutionOutcome};
use invoices::{InvoiceStatus, LineAmountTypes, PaymentMethod, RecordedBy};
use partner_accounts::AccountStatus;
use serde_json::Value;
use strum::VariantNames as _;
use utoipa::openapi::schema::{Object, SchemaType};

/// Adds the enum values of a field of a schema, if it has any, and `null` if the field can be `null`.
pub(super) fn add_names(schema: &str, field: &str, object: &mut Object) {
    let names = names(schema, field);
    if names.is_empty() {
        return;
    }
    let null = matches!(object.schema_type, SchemaType::Array(_)).then_some(Value::Null);
    object.enum_values = Some(names.iter().copied().map(Value::from).chain(null).collect());
}

fn names(schema: &str, field: &str) -> &'static [&'static str] {
    match (schema, field) {
        ("Invoice", "status") => InvoiceStatus::VARIANTS,
        ("Invoice", "line_amount_types") => LineAmountTypes::VARIANTS,
        ("Payment", "method") => PaymentMethod::VARIANTS,
        ("Payment", "recorded_by") => RecordedBy::VARIANTS,
        ("Account" | "AccountAmendment", "status") => AccountStatus::VARIANTS,
        ("Escalation", "escalation_type") => EscalationType::VARIANTS,
        ("Escalation", "priority") => Priority::VARIANTS,
        ("Escalation", "status") => EscalationStatus::VARIANTS,
        ("Escalation", "trigger_channel") => Channel::VARIANTS,
        ("Escalation", "resolution_outcome") => ResolutionOutcome::VARIANTS,
        _ => &[],
    }
}
