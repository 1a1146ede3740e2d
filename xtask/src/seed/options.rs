//! The arguments of `cargo xtask seed`.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

/// The numbers of records to create.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Accounts, all of one new partner.
    #[arg(long, default_value_t = 10)]
    pub(super) accounts: u32,
    /// Contacts, spread over the accounts.
    #[arg(long, default_value_t = 1_000)]
    pub(super) contacts: u32,
    /// Invoices, spread over the accounts, with one to five lines each.
    #[arg(long, default_value_t = 10_000)]
    pub(super) invoices: u32,
    /// The seed of all random values: the same number makes the same records.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// A file to write the keys to: the partner's in the first line, then each account's id and key.
    #[arg(long)]
    pub(super) keys: Option<PathBuf>,
}

impl Options {
    /// These numbers of records, drawn from this seed.
    pub(crate) const fn of(accounts: u32, contacts: u32, invoices: u32, seed: u64) -> Self {
        Self { accounts, contacts, invoices, seed, keys: None }
    }

    pub(super) fn check(&self) -> anyhow::Result<()> {
        if self.accounts == 0 && self.contacts.max(self.invoices) > 0 {
            bail!("contacts and invoices need at least one account");
        }
        if self.contacts < self.accounts && self.invoices > 0 {
            bail!("every account needs a contact to invoice: at least {} contacts", self.accounts);
        }
        Ok(())
    }
}
