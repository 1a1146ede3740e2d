//! Partners, and the accounts that they keep for their own customers.
//!
//! A partner provisions an account in one transaction: the account, its owner's login, the name of its payment page and its first
//! API key. The operator makes partners and has the last word over every switch. Which e-mail addresses, external ids and payment
//! page names are taken is decided by the store's unique indexes, so that it holds under any concurrency.
//!
//! ```
//! use partner_accounts::{BrandColor, PaymentSlug};
//!
//! assert_eq!(PaymentSlug::suggest("Müller & Söhne").as_str(), "muller-sohne");
//! assert!(BrandColor::parse("#fff").is_err());
//! ```

pub mod account;
pub mod brand_color;
pub mod found;
pub mod operate;
pub mod partner;
pub mod ports;
pub mod profile;
pub mod provision;
pub mod read;
pub mod rotate_key;
pub mod slug;

use std::sync::Arc;

use kernel::{Chance, Clock, Currency, Ids};

pub use account::{Account, AccountStatus, KeyInfo, Switches};
pub use brand_color::BrandColor;
pub use found::{FoundError, Founded, Founding};
pub use operate::OperatorError;
pub use partner::{Partner, PartnerName};
pub use ports::{
    AccountChange, AccountReads, Accounts, InsertedAccount, OperatorStore, ProvisioningStore,
    ProvisioningTx,
};
pub use profile::{NewAccount, Profile, ProfileInput};
pub use provision::{ProvisionError, Provisioned};
pub use read::ReadAccountError;
pub use rotate_key::RotateKeyError;
pub use slug::PaymentSlug;

/// The use cases of partner accounts, over what they need from outside.
#[derive(Clone)]
pub struct PartnerAccounts {
    /// Begins transactions for a partner.
    pub store: Arc<dyn ProvisioningStore>,
    /// Reads accounts for a partner.
    pub reads: Arc<dyn AccountReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes keys.
    pub chance: Arc<dyn Chance>,
    /// The currency of new accounts.
    pub default_currency: Currency,
}

/// The use cases of the operator, over what they need from outside.
#[derive(Clone)]
pub struct OperatorDesk {
    /// Reads and changes partners and accounts, past every tenant's scope.
    pub store: Arc<dyn OperatorStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
    /// Makes keys.
    pub chance: Arc<dyn Chance>,
}
