//! Partners, and the accounts that they provision for their customers.
//!
//! A partner provisions an account in one transaction: the account, its owner's login with the mail that
//! invites the owner, the name of its payment page, its first API key and, if requested, its webhook
//! endpoint. The operator creates partners; an account that the operator switched off stays off. The store's
//! unique indexes keep e-mail addresses, external ids and payment page names unique under concurrency.
//!
//! ```
//! use partner_accounts::{BrandColor, PaymentSlug};
//!
//! assert_eq!(PaymentSlug::suggest("Müller & Söhne").as_str(), "muller-sohne");
//! assert!(BrandColor::parse("#fff").is_err());
//! ```

pub mod account;
pub mod amend;
pub mod amend_profile;
pub mod amendment;
pub mod audited;
pub mod bootstrap;
pub mod brand_color;
mod external_addresses;
pub mod invitation;
pub mod invitation_email;
pub mod logo;
mod logo_address;
pub mod operator_accounts;
pub mod own_account;
pub mod partner;
mod partner_accounts;
mod payment_page;
pub mod ports;
pub mod profile;
pub mod provision;
pub mod read;
pub mod rotate_key;
pub mod slug;
mod webhook;

pub use account::{Account, AccountStatus, KeyInfo, SwitchedOffByOperator, Switches};
pub use amend::{AmendAccountError, AmendedAccount};
pub use amend_profile::{AmendProfileError, ProfileAmendment};
pub use amendment::{AccountAmendment, AmendmentInput};
pub use bootstrap::{BootstrapError, BootstrapKeys};
pub use brand_color::BrandColor;
pub use invitation::{Invitation, InvitationId, InvitationRefused};
pub use invitation_email::{InvitationEmail, InvitedOwner, invitation_mail};
pub use logo::{
    AccountLogos, InvalidLogo, Logo, LogoCleanup, LogoFetchError, LogoRemovals, LogoSource, LogoStore,
    LogoStoreError, LogoUnavailable, Logos, RemovedLogos,
};
pub use logo_address::LogoAddress;
pub use operator_accounts::{OperatorAccounts, OperatorError};
pub use own_account::{OwnAccountError, OwnAccounts};
pub use partner::{Partner, PartnerName};
pub use partner_accounts::PartnerAccounts;
pub use ports::{
    AccountChange, AccountReads, Accounts, BootstrapRecords, InsertedAccount, Invitations, OperatorStore,
    OwnAccount, OwnAccountStore, OwnAccountTx, PaymentSlugs, ProvisioningStore, ProvisioningTx,
    UpdatedAccount,
};
pub use profile::{NewAccount, Profile, ProfileInput};
pub use provision::{NewlyProvisioned, ProvisionError, Provisioned};
pub use rotate_key::RotateKeyError;
pub use slug::PaymentSlug;
