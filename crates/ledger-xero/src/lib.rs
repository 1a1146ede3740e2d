//! The ledger port, implemented over the Xero Accounting API.
//!
//! [`XeroLedger`] enters issued invoices as approved sales invoices (`ACCREC`, `AUTHORISED`) and voids them.
//! It authenticates with OAuth2 client credentials, which Xero calls a custom connection. A token is fetched
//! once, kept until shortly before it expires, and replaced when Xero refuses it. Calls take at most 20
//! seconds in total, follow no redirect, use no proxy, and read a response of at most one mebibyte.
//!
//! A repeated push enters no second invoice. It carries the task's id as `Idempotency-Key`, under which Xero
//! repeats its first response for as long as it keeps the key. It is a `PUT`, which only creates: once Xero
//! has forgotten the key, it refuses the duplicate number. Then the invoice with that number is read, and it
//! is ours if its reference carries our invoice's id. A `POST` would change any invoice with the number, and
//! two accounts may use one number in one Xero organisation.
//!
//! Xero requires an account code on every line of an approved invoice ([`XeroSettings::sales_account_code`]),
//! uses two decimals in every currency, and accepts five concurrent calls and sixty a minute.
//! A call beyond that is refused with 429; then no call is made until the time that Xero names is over.
//!
//! ```
//! use std::sync::Arc;
//!
//! use kernel::SystemClock;
//! use ledger_xero::{XeroLedger, XeroSettings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut settings = XeroSettings::new("client", "s3cret");
//! settings.sales_account_code = Some("200".to_owned());
//! assert!(!format!("{settings:?}").contains("s3cret"));
//! let ledger = XeroLedger::new(settings, Arc::new(SystemClock))?;
//! # let _: Arc<dyn invoices::Ledger> = Arc::new(ledger);
//!
//! // The secret does not travel in the clear, but to this machine itself.
//! let mut settings = XeroSettings::new("client", "s3cret");
//! settings.base_url = "http://xero.example.com/".to_owned();
//! assert!(XeroLedger::new(settings, Arc::new(SystemClock)).is_err());
//! # Ok(())
//! # }
//! ```

mod entry;
mod http;
mod ledger;
mod response;
pub mod settings;
mod token;

pub use https_client::UrlFault;
pub use ledger::XeroLedger;
pub use settings::{SettingsFault, XeroSettings};
