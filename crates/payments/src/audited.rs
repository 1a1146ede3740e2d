//! What audit entries record of bank details.

use serde_json::Value;

use crate::entry::BankDetailsEntry;

/// The bank details of a currency before a change: those in force, and those that waited to come into force
/// and are withdrawn by it.
pub(crate) fn replaced(
    in_force: Option<&BankDetailsEntry>,
    waiting: Option<&BankDetailsEntry>,
) -> Option<Value> {
    let Some(waiting) = waiting else {
        return in_force.map(|entry| entry.one_line().into());
    };
    let code = waiting.currency.code();
    let in_force = in_force.map_or_else(|| format!("{code}: none"), BankDetailsEntry::one_line);
    let waited = if waiting.details.is_none() { "removal".to_owned() } else { waiting.fields_text() };
    Some(format!("{in_force}; waiting: {waited}").into())
}
