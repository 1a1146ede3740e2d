//! Entering and removing bank details.

use kernel::{AccountScope, AccountToken, AuditDetails, Currency, Id, StoreError, Version, retry_contended};
use time::OffsetDateTime;

use super::details::BankDetails;
use super::email::changed_mail;
use super::entry::{BankDetailsEntry, BankDetailsId, entries_version, in_force, pending};
use super::service::BankDetailsService;
use crate::audited;

/// Bank details to enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBankDetails {
    /// The currency of the payments.
    pub currency: Currency,
    /// The account to transfer to.
    pub details: BankDetails,
}

/// Why bank details were not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeBankDetailsError {
    /// There is no such account.
    #[error("there is no such account")]
    NotFound,
    /// Details were entered, removed or undone since the version of the entries that the caller wants to
    /// change, or came into force.
    #[error("the bank details were changed meanwhile")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BankDetailsChange {
    /// The same details, or none, are in force or pending already.
    Unchanged,
    /// The pending details or the pending removal were withdrawn: the details in force stay.
    Withdrawn(Box<BankDetailsEntry>),
    /// The details, or their removal, will come into force after the delay.
    Entered(Box<BankDetailsEntry>),
}

impl BankDetailsService {
    /// Enters the details for a currency. They come into force after the delay, in place of the earlier ones;
    /// pending entries are withdrawn. The owner is mailed a link that undoes the change. With a version, the
    /// entries of all currencies must still have it ([`entries_version`]).
    ///
    /// # Errors
    /// A [`ChangeBankDetailsError`]; then nothing was changed.
    pub async fn change(
        &self,
        scope: &AccountScope,
        new: &NewBankDetails,
        version: Option<&Version>,
    ) -> Result<BankDetailsChange, ChangeBankDetailsError> {
        retry_contended(|| self.try_to_change(scope, new.currency, Some(&new.details), version)).await
    }

    /// Removes the details for a currency in the same way as [`BankDetailsService::change`]: after the delay
    /// payers are shown none, and the owner is mailed a link that undoes the removal. Pending details are
    /// withdrawn at once. With a version, the entries of the currency must still have it
    /// ([`entries_version`]).
    ///
    /// # Errors
    /// A [`ChangeBankDetailsError`]; then nothing was changed.
    pub async fn remove(
        &self,
        scope: &AccountScope,
        currency: Currency,
        version: Option<&Version>,
    ) -> Result<BankDetailsChange, ChangeBankDetailsError> {
        retry_contended(|| self.try_to_change(scope, currency, None, version)).await
    }

    async fn try_to_change(
        &self,
        scope: &AccountScope,
        currency: Currency,
        details: Option<&BankDetails>,
        version: Option<&Version>,
    ) -> Result<BankDetailsChange, ChangeBankDetailsError> {
        let now = self.clock.now();
        let mut tx = self.store.begin(scope.id).await?;
        let owner = tx.bank_details().lock().await?.ok_or(ChangeBankDetailsError::NotFound)?;
        let mut not_withdrawn = tx.bank_details().not_withdrawn().await?;
        let of_all = entries_version(&not_withdrawn, now);
        not_withdrawn.retain(|entry| entry.currency == currency);
        let present_version = if details.is_some() { of_all } else { entries_version(&not_withdrawn, now) };
        let is_changed = version.is_some_and(|version| present_version != *version);
        let waiting = pending(&not_withdrawn, now);
        if waiting.is_some_and(|entry| entry.details.as_ref() == details) {
            return Ok(BankDetailsChange::Unchanged);
        }
        let present = in_force(&not_withdrawn, now);
        let is_in_force = present.and_then(|entry| entry.details.as_ref()) == details;
        if is_in_force && waiting.is_none() {
            return Ok(BankDetailsChange::Unchanged);
        }
        // Only now: what is so already is no conflict.
        if is_changed {
            return Err(ChangeBankDetailsError::Changed);
        }
        tx.bank_details().withdraw(&to_come(&not_withdrawn, now), now).await?;
        let before = audited::replaced(present, waiting);
        if let (true, Some(withdrawn)) = (is_in_force, waiting) {
            let after = details.and(present).map(|entry| entry.one_line().into());
            tx.complete_audit(AuditDetails { before, after });
            tx.commit().await?;
            return Ok(BankDetailsChange::Withdrawn(Box::new(withdrawn.clone())));
        }
        let token = AccountToken::generate(scope.id, &*self.random);
        let entry = BankDetailsEntry {
            id: Id::new(&*self.ids, now),
            account: scope.id,
            currency,
            details: details.cloned(),
            entered_at: now,
            in_force_at: now.saturating_add(self.delay),
            undo_token_hash: token.hash(),
            withdrawn_at: None,
        };
        tx.bank_details().insert(&entry).await?;
        let mail = changed_mail(&entry, &owner, &token, Id::new(&*self.ids, now), &self.keys, &*self.random);
        tx.jobs().queue(mail.into_job()).await?;
        let after = details.map(|_entered| entry.one_line().into());
        tx.complete_audit(AuditDetails { before, after });
        tx.commit().await?;
        Ok(BankDetailsChange::Entered(Box::new(entry)))
    }
}

fn to_come(entries: &[BankDetailsEntry], now: OffsetDateTime) -> Vec<BankDetailsId> {
    entries.iter().filter(|entry| entry.in_force_at > now).map(|entry| entry.id).collect()
}
