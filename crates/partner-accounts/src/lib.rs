//! Partners, and the accounts that they keep for their own customers.
//!
//! A partner provisions an account in one transaction: the account, its owner's login with the mail that invites the owner, the name of its
//! payment page, its first API key and, if wanted, its webhook endpoint. The operator makes partners and has the last word over every switch. Which e-mail addresses, external ids and payment
//! page names are taken is decided by the store's unique indexes, so that it holds under any concurrency.
//!
//! ```
//! use partner_accounts::{BrandColor, PaymentSlug};
//!
//! assert_eq!(PaymentSlug::suggest("Müller & Söhne").as_str(), "muller-sohne");
//! assert!(BrandColor::parse("#fff").is_err());
//! ```

pub mod accept_invitation;
pub mod account;
pub mod amend;
pub mod amendment;
pub mod brand_color;
pub mod found;
pub mod invitation;
pub mod logo;
pub mod operate;
mod outside;
pub mod partner;
mod payment_page;
pub mod ports;
pub mod profile;
pub mod provision;
pub mod read;
pub mod rotate_key;
pub mod slug;
mod webhook;
pub mod welcome;

use std::sync::Arc;

use access::Passwords;
use kernel::{Clock, Currency, Ids, PublicUrls, SealingKeys, SecureRandom};
use webhooks::TargetGuard;

pub use accept_invitation::AcceptInvitationError;
pub use account::{Account, AccountStatus, KeyInfo, SwitchedOffByOperator, Switches};
pub use amend::{AmendAccountError, Amended};
pub use amendment::{Amendment, AmendmentInput};
pub use brand_color::BrandColor;
pub use found::{FoundError, Founded, Founding};
pub use invitation::{
    Invitation, InvitationHash, InvitationId, InvitationRefused, InvitationToken,
};
pub use logo::{
    Logo, LogoLedger, LogoShelf, LogoSource, LogoStore, LogoStoreError, LogoSweeper,
    LogoUnavailable, Logos, NotALogo, Swept, Unfetched,
};
pub use operate::OperatorError;
pub use partner::{Partner, PartnerName};
pub use ports::{
    AccountChange, AccountReads, Accounts, InsertedAccount, Invitations, LoginsStore,
    OperatorStore, ProvisioningStore, ProvisioningTx,
};
pub use profile::{NewAccount, Profile, ProfileInput};
pub use provision::{NewlyProvisioned, ProvisionError, Provisioned};
pub use read::ReadAccountError;
pub use rotate_key::RotateKeyError;
pub use slug::PaymentSlug;
pub use welcome::WelcomeError;

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
    pub random: Arc<dyn SecureRandom>,
    /// The currency of new accounts.
    pub default_currency: Currency,
    /// Looks at the targets of webhooks.
    pub guard: Arc<dyn TargetGuard>,
    /// Takes logos from where they are.
    pub logos: Logos,
    /// What signing secrets and the links of invitations are sealed under.
    pub keys: Arc<SealingKeys>,
    /// Makes the addresses of invitations and logos.
    pub urls: PublicUrls,
}

/// The use cases of logins, over what they need from outside.
#[derive(Clone)]
pub struct Logins {
    /// Finds invitations and keeps passwords.
    pub store: Arc<dyn LoginsStore>,
    /// Hashes passwords.
    pub passwords: Arc<dyn Passwords>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
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
    pub random: Arc<dyn SecureRandom>,
}
