//! What audit entries record of an account.

use access::NewKey;
use kernel::{AuditDetails, LogoKey, SingleLine};
use serde_json::{Map, Value};

use crate::account::{Account, KeyInfo};
use crate::brand_color::BrandColor;
use crate::ports::AccountChange;
use crate::profile::Profile;

/// A new key, with the one that it replaces. Neither is in the clear.
#[must_use]
pub fn new_key(before: Option<&KeyInfo>, new: &NewKey) -> AuditDetails {
    AuditDetails { before: before.map(|key| key.masked().into()), after: Some(new.masked().into()) }
}

impl AccountChange {
    /// The changed value of an account before and after the change.
    #[must_use]
    pub fn audited(self, before: &Account) -> AuditDetails {
        let (before, after): (Option<Value>, Option<Value>) = match self {
            Self::OffByOperator(_) => (None, None),
            Self::MonthlyInvoiceLimit(limit) => {
                (before.monthly_invoice_limit.map(Into::into), limit.map(Into::into))
            }
            Self::MonthlyMessageLimit(limit) => {
                (before.monthly_message_limit.map(Into::into), limit.map(Into::into))
            }
            Self::Currency(currency) => (Some(before.currency.code().into()), Some(currency.code().into())),
        };
        AuditDetails { before, after }
    }
}

/// The fields that differ between two states of an account's profile.
pub(crate) fn profile(before: &Account, after: &Account) -> AuditDetails {
    let (mut old, mut new) = (Map::new(), Map::new());
    for ((name, was), (_, is)) in fields(before).into_iter().zip(fields(after)) {
        if was != is {
            old.insert(name.to_owned(), was);
            new.insert(name.to_owned(), is);
        }
    }
    AuditDetails { before: Some(old.into()), after: Some(new.into()) }
}

/// What an owner amends, by the names of the API. The logo is the name of the stored copy.
fn fields(account: &Account) -> [(&'static str, Value); 16] {
    // Every field by its name, so that the compiler finds a new one that is missing here.
    let Profile {
        company_name,
        first_name,
        last_name,
        phone,
        abn,
        time_zone,
        address_line1,
        address_city,
        address_state,
        address_postal_code,
        address_country,
        invoice_prefix,
        brand_color,
        communications_enabled,
    } = &account.profile;
    let text = |line: &Option<SingleLine<200>>| Value::from(line.as_ref().map(SingleLine::as_str));
    [
        ("company_name", company_name.as_str().into()),
        ("first_name", text(first_name)),
        ("last_name", text(last_name)),
        ("phone", text(phone)),
        ("abn", text(abn)),
        ("timezone", time_zone.name().into()),
        ("address_line1", text(address_line1)),
        ("address_city", text(address_city)),
        ("address_state", text(address_state)),
        ("address_postal_code", text(address_postal_code)),
        ("address_country", text(address_country)),
        ("invoice_prefix", invoice_prefix.as_ref().map(SingleLine::as_str).into()),
        ("payment_slug", account.payment_slug.as_str().into()),
        ("logo", account.logo.as_ref().map(LogoKey::as_str).into()),
        ("brand_color", brand_color.as_ref().map(BrandColor::as_str).into()),
        ("communications_enabled", (*communications_enabled).into()),
    ]
}
