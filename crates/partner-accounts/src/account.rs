//! Accounts as seen by their partner and the operator.

use access::NewKey;
use kernel::{AccountId, Currency, EmailAddress, HttpsUrl, LogoKey, PartnerId, SingleLine, Version};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use crate::profile::{NewAccount, Profile};
use crate::slug::PaymentSlug;

/// An account of one of the partner's customers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub partner: PartnerId,
    /// The partner's own identifier, unique among the partner's accounts.
    pub external_id: Option<SingleLine<255>>,
    /// The owner's e-mail address, with which the owner signs in.
    pub email: EmailAddress,
    pub payment_slug: PaymentSlug,
    pub profile: Profile,
    /// The default currency of its invoices.
    pub currency: Currency,
    /// How many invoices it may create in a calendar month; `None` for no limit.
    pub monthly_invoice_limit: Option<u64>,
    /// How many text messages and calls it may send in a calendar month; `None` for no limit.
    pub monthly_message_limit: Option<u64>,
    pub switches: Switches,
    /// The displayable parts of its current key.
    pub key: Option<KeyInfo>,
    /// The URL of the webhook endpoint that was provisioned with the account; `None` if there is none or it
    /// is disabled.
    pub webhook: Option<HttpsUrl>,
    pub logo: Option<LogoKey>,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

/// The two switches of an account, which is active while neither is off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Switches {
    pub disabled_by_partner: bool,
    /// The operator switched the account off. The partner then cannot switch it on.
    pub disabled_by_operator: bool,
}

/// Whether an account is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum AccountStatus {
    /// Both switches are on.
    Active,
    /// The partner or the operator switched it off.
    Inactive,
}

/// The partner cannot switch on an account that the operator switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the account was switched off by the operator of this service, and only the operator can switch it on again"
)]
pub struct SwitchedOffByOperator;

/// The displayable parts of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// The first characters.
    pub prefix: String,
    pub last_four: String,
    pub created_at: OffsetDateTime,
    /// When a request last used the key, accurate to about a minute.
    pub last_used_at: Option<OffsetDateTime>,
}

impl Account {
    /// Opens a new account with its first key and without a logo.
    #[must_use]
    pub fn open(
        new: NewAccount,
        id: AccountId,
        partner: PartnerId,
        currency: Currency,
        key: &NewKey,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            partner,
            external_id: new.external_id,
            email: new.email,
            payment_slug: new.slug,
            profile: new.profile,
            currency,
            monthly_invoice_limit: None,
            monthly_message_limit: None,
            switches: Switches::default(),
            key: Some(KeyInfo::from(key)),
            webhook: new.webhook,
            logo: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// The version of the fields that the owner amends. A use of the key does not change it.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::of(&(&self.payment_slug, &self.profile, &self.logo))
    }

    /// Active if neither switch is off.
    #[must_use]
    pub const fn status(&self) -> AccountStatus {
        if self.switches.disabled_by_partner || self.switches.disabled_by_operator {
            AccountStatus::Inactive
        } else {
            AccountStatus::Active
        }
    }

    /// Switches the account off or on for its partner.
    ///
    /// # Errors
    /// [`SwitchedOffByOperator`] when switching on an account that the operator has switched off: it stays
    /// unchanged.
    pub fn switch(&mut self, to: AccountStatus) -> Result<(), SwitchedOffByOperator> {
        if to == AccountStatus::Active && self.switches.disabled_by_operator {
            return Err(SwitchedOffByOperator);
        }
        self.switches.disabled_by_partner = to == AccountStatus::Inactive;
        Ok(())
    }
}

impl KeyInfo {
    /// The key in its displayed form, as [`NewKey::masked`] gives it.
    #[must_use]
    pub fn masked(&self) -> String {
        format!("{}…{}", self.prefix, self.last_four)
    }
}

impl From<&NewKey> for KeyInfo {
    fn from(key: &NewKey) -> Self {
        Self {
            prefix: key.prefix.to_owned(),
            last_four: key.last_four.clone(),
            created_at: key.created_at,
            last_used_at: None,
        }
    }
}
