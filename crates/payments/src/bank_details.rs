//! Bank details: what a payer needs to transfer money to an account, and how owners change it and undo a
//! change.

pub mod change;
pub mod details;
mod domestic;
pub mod email;
pub mod entry;
mod iban;
pub mod input;
mod pay_id;
pub mod payload;
pub mod ports;
pub mod service;
mod stored_text;
pub mod undo;

pub use change::{BankDetailsChange, ChangeBankDetailsError, NewBankDetails};
pub use details::{BankDetails, BankDetailsKind, Holder, Instructions};
pub use domestic::{AccountNumber, Bsb, DomesticFault, RoutingNumber, SortCode};
pub use email::BankDetailsEmail;
pub use entry::{BankDetailsEntry, BankDetailsId, entries_version, in_force, pending};
pub use iban::{Bic, Iban, IbanFault, NotABic};
pub use input::BankDetailsInput;
pub use pay_id::{NotAPayId, PayId};
pub use payload::{NotBankDetails, details_from_stored, stored_details};
pub use ports::{AccountBankDetails, AccountOwner, BankDetailsReads, BankDetailsStore, BankDetailsTx};
pub use service::BankDetailsService;
pub use undo::UndoError;
