//! What audit entries record of bank details and of terms.

use kernel::{AuditDetails, Named as _};
use serde_json::Value;

use crate::bank_details::entry::BankDetailsEntry;
use crate::online::settings::PaymentTerms;

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

/// The terms that differ between two states: the days of promises, or the settings for online payments.
pub(crate) fn terms(before: &PaymentTerms, after: &PaymentTerms) -> AuditDetails {
    if before.promise_days != after.promise_days {
        let days = |terms: &PaymentTerms| Some(terms.promise_days.into());
        return AuditDetails { before: days(before), after: days(after) };
    }
    AuditDetails { before: Some(online(before, after).into()), after: Some(online(after, before).into()) }
}

/// The settings for online payments that are not as in `other`.
fn online(terms: &PaymentTerms, other: &PaymentTerms) -> String {
    let (of, other, mut texts) = (&terms.online, &other.online, Vec::new());
    if of.minimum_percent != other.minimum_percent {
        texts.push(format!("minimum_percent {}", of.minimum_percent));
    }
    if of.unapplied != other.unapplied {
        texts.push(format!("unapplied {}", of.unapplied.as_str()));
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::settings::{PaymentSettings, UnappliedMoney};

    fn texts(before: PaymentTerms, after: PaymentTerms) -> [Option<Value>; 2] {
        let entry = terms(&before, &after);
        [entry.before, entry.after]
    }

    #[test]
    fn entry_names_the_terms_that_differ() {
        let before = PaymentTerms { promise_days: 14, online: PaymentSettings::default() };
        let promises = PaymentTerms { promise_days: 30, ..before };
        assert_eq!(texts(before, promises), [Some(14.into()), Some(30.into())]);
        let parts = PaymentSettings { minimum_percent: 20, ..before.online };
        let after = PaymentTerms { online: parts, ..before };
        assert_eq!(
            texts(before, after),
            ["minimum_percent 100", "minimum_percent 20"].map(|text| Some(text.into()))
        );
        let both = PaymentSettings { unapplied: UnappliedMoney::Keep, ..parts };
        let after = PaymentTerms { online: both, ..before };
        assert_eq!(
            texts(before, after),
            ["minimum_percent 100, unapplied return", "minimum_percent 20, unapplied keep"]
                .map(|text| Some(text.into()))
        );
    }
}
