//! The statements of a request, which the floor of the database runs.

use super::tenants::ACCOUNTS;

/// The statements that a kind of request needs, in both SQL dialects, and the accounts that they are run for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Script {
    pub(super) name: &'static str,
    pub(super) postgres: &'static str,
    pub(super) sqlite: &'static str,
    /// The numbers of the first and the last account (for payments, invoice) over which the script is spread.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The length of the stored response.
    pub(super) answer_bytes: usize,
}

/// The script of this name, for all of the small accounts. A macro, since `include_str!` takes only literals.
macro_rules! script {
    ($name:literal) => {
        Script {
            name: $name,
            postgres: include_str!(concat!("floors/postgres/", $name, ".sql")),
            sqlite: include_str!(concat!("floors/sqlite/", $name, ".sql")),
            first: 1,
            last: ACCOUNTS,
            answer_bytes: 1_000,
        }
    };
}

pub(super) const GET_INVOICE: Script = script!("get_invoice");
pub(super) const LIST_INVOICES: Script = script!("list_invoices");
pub(super) const CREATE_INVOICE: Script = script!("create_invoice");
pub(super) const CREATE_INVOICE_NEW_CONTACT: Script = script!("create_invoice_new_contact");
pub(super) const REUSE_CONTACT: Script = script!("reuse_contact");
pub(super) const LOOK_UP_ACCOUNT: Script = script!("look_up_account");
pub(super) const UNKNOWN_KEY: Script = script!("unknown_key");
pub(super) const RECORD_PAYMENT: Script = script!("record_payment");
pub(super) const SETTLE: Script = script!("settle");
pub(super) const STORE_MESSAGE: Script = script!("store_message");

impl Script {
    /// The same script for these accounts.
    pub(super) const fn over(self, first: u32, last: u32) -> Self {
        Self { first, last, ..self }
    }
}
