//! Accounts as their partner and the operator see them.

use access::NewKey;
use kernel::{AccountId, Currency, EmailAddress, HttpsUrl, LogoKey, PartnerId, SingleLine, Version};
use time::OffsetDateTime;

use crate::profile::{NewAccount, Profile};
use crate::slug::PaymentSlug;

/// An account of one of the partner's customers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub partner: PartnerId,
    /// The partner's own identifier; one account of the partner has it.
    pub external_id: Option<SingleLine<255>>,
    /// The owner's e-mail address, which is the owner's login.
    pub email: EmailAddress,
    pub payment_slug: PaymentSlug,
    pub profile: Profile,
    /// The currency of its invoices that name none.
    pub currency: Currency,
    /// How many invoices it may create in a calendar month; `None` is any number.
    pub monthly_invoice_limit: Option<u64>,
    /// How many text messages and calls it may send in a calendar month; `None` is any number.
    pub monthly_message_limit: Option<u64>,
    pub switches: Switches,
    /// The parts of its current key that may be shown.
    pub key: Option<KeyInfo>,
    /// The URL of the webhook endpoint that was provisioned with it; `None` without one, and while it is
    /// disabled.
    pub webhook: Option<HttpsUrl>,
    pub logo: Option<LogoKey>,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

/// The two switches of an account. It works while neither is off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Switches {
    pub disabled_by_partner: bool,
    /// The operator switched it off. The partner cannot switch it on then.
    pub disabled_by_operator: bool,
}

/// Whether an account works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountStatus {
    /// Both switches are on.
    Active,
    /// The partner or the operator switched it off.
    Inactive,
}

/// The partner cannot switch on what the operator switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the account was switched off by the operator of this service, and only the operator can switch it on again"
)]
pub struct SwitchedOffByOperator;

/// The parts of a key that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its first characters.
    pub prefix: String,
    pub last_four: String,
    pub created_at: OffsetDateTime,
    /// When a request last came with it, to a minute or so.
    pub last_used_at: Option<OffsetDateTime>,
}

impl Account {
    /// Opens a new account, with its first key. It has no logo yet.
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

    /// The version of what its owner amends. The last use of its key is no change.
    #[must_use]
    pub fn version(&self) -> Version {
        Version::of(&(&self.payment_slug, &self.profile, &self.logo, self.updated_at))
    }

    /// Whether neither switch is off.
    #[must_use]
    pub const fn status(&self) -> AccountStatus {
        if self.switches.disabled_by_partner || self.switches.disabled_by_operator {
            AccountStatus::Inactive
        } else {
            AccountStatus::Active
        }
    }

    /// Switches it off or on for its partner.
    ///
    /// # Errors
    /// [`SwitchedOffByOperator`] when it is to be on and the operator has switched it off: it stays as it
    /// was.
    pub fn switch(&mut self, to: AccountStatus) -> Result<(), SwitchedOffByOperator> {
        if to == AccountStatus::Active && self.switches.disabled_by_operator {
            return Err(SwitchedOffByOperator);
        }
        self.switches.disabled_by_partner = to == AccountStatus::Inactive;
        Ok(())
    }
}

impl AccountStatus {
    /// Reads `active` or `inactive`, spelled exactly so.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Active, Self::Inactive].into_iter().find(|status| status.as_str() == text)
    }

    /// `active` or `inactive`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
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
