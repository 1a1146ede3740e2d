//! An entry of bank details, and the selection of the one in force.

use invoices::{BankTransfer, TransferField};
use kernel::{AccountId, Currency, Id, TokenHash, Version};
use time::{Duration, OffsetDateTime};

use super::details::BankDetails;

/// Marks ids of entries.
pub enum BankDetailsEntity {}

/// The id of an entry.
pub type BankDetailsId = Id<BankDetailsEntity>;

/// The bank details that an owner entered for one currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankDetailsEntry {
    /// The entry's id.
    pub id: BankDetailsId,
    /// The account that is paid.
    pub account: AccountId,
    /// The currency of the payments.
    pub currency: Currency,
    /// The account to transfer to; `None` if the owner removed the details of the currency.
    pub details: Option<BankDetails>,
    /// When it was entered, UTC.
    pub entered_at: OffsetDateTime,
    /// The instant at which it comes into force, UTC.
    pub in_force_at: OffsetDateTime,
    /// The hash of the token that undoes it.
    pub undo_token_hash: TokenHash,
    /// When it was undone, removed or replaced before it came into force, UTC.
    pub withdrawn_at: Option<OffsetDateTime>,
}

impl BankDetailsEntry {
    /// How long the link in the owner's mail can undo an entry once it is in force.
    pub const CAN_BE_UNDONE_FOR: Duration = Duration::days(7);

    /// Whether it was withdrawn.
    #[must_use]
    pub const fn is_withdrawn(&self) -> bool {
        self.withdrawn_at.is_some()
    }

    /// What the payer enters at the bank, in order; empty if the details were removed.
    #[must_use]
    pub fn fields(&self) -> Vec<(TransferField, String)> {
        self.details.as_ref().map(BankDetails::fields).unwrap_or_default()
    }

    /// The details in one line, as audit entries show them: in full, since payers see them too.
    #[must_use]
    pub fn one_line(&self) -> String {
        let texts = if self.details.is_none() { "none".to_owned() } else { self.fields_text() };
        format!("{}: {texts}", self.currency.code())
    }

    /// The texts of the fields.
    pub(crate) fn fields_text(&self) -> String {
        let texts: Vec<String> = self.fields().into_iter().map(|(_, text)| text).collect();
        texts.join(", ")
    }

    /// The details as payers see them; `None` if they were removed.
    #[must_use]
    pub fn transfer(&self) -> Option<BankTransfer> {
        let details = self.details.as_ref()?;
        Some(BankTransfer { fields: details.fields(), unchanged_since: self.in_force_at })
    }
}

/// The version of entries that were not withdrawn, of one currency or all: it differs once one was entered,
/// was withdrawn or came into force, which changes what a removal means and what is so already.
#[must_use]
pub fn entries_version(entries: &[BankDetailsEntry], at: OffsetDateTime) -> Version {
    Version::of(&entries.iter().map(|entry| (entry.id, entry.in_force_at <= at)).collect::<Vec<_>>())
}

/// The entry that is in force at an instant, of the entries of one currency: the latest that has come into
/// force and was not withdrawn.
#[must_use]
pub fn in_force(entries: &[BankDetailsEntry], at: OffsetDateTime) -> Option<&BankDetailsEntry> {
    let come = entries.iter().filter(|entry| !entry.is_withdrawn() && entry.in_force_at <= at);
    come.max_by_key(|entry| (entry.in_force_at, entry.id))
}

/// The entry that will come into force, of the entries of one currency.
#[must_use]
pub fn pending(entries: &[BankDetailsEntry], at: OffsetDateTime) -> Option<&BankDetailsEntry> {
    let to_come = entries.iter().filter(|entry| !entry.is_withdrawn() && entry.in_force_at > at);
    to_come.max_by_key(|entry| (entry.in_force_at, entry.id))
}

#[cfg(test)]
mod tests {
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::bank_details::details::Holder;
    use crate::bank_details::iban::Iban;

    const NOW: OffsetDateTime = FixedClock::START;

    fn entry(ids: &CountingIds, in_force_at: OffsetDateTime) -> BankDetailsEntry {
        BankDetailsEntry {
            id: Id::new(ids, NOW),
            account: Id::new(ids, NOW),
            currency: Currency::parse("EUR").unwrap(),
            details: Some(BankDetails::Iban {
                holder: Holder::parse("Acme").unwrap(),
                iban: Iban::parse("DE89370400440532013000").unwrap(),
                bic: None,
            }),
            entered_at: NOW - Duration::days(3),
            in_force_at,
            undo_token_hash: TokenHash::of(b"token"),
            withdrawn_at: None,
        }
    }

    #[test]
    fn entry_is_in_force_from_its_instant_on() {
        let ids = CountingIds::default();
        let [old, new] = [Duration::days(1), Duration::ZERO].map(|ago| entry(&ids, NOW - ago));
        let entries = [new.clone(), old.clone()];
        for (at, present, waiting) in [
            (old.in_force_at - Duration::MICROSECOND, None, Some(&new)),
            (old.in_force_at, Some(&old), Some(&new)),
            (NOW - Duration::MICROSECOND, Some(&old), Some(&new)),
            (NOW, Some(&new), None),
        ] {
            assert_eq!((in_force(&entries, at), pending(&entries, at)), (present, waiting), "{at}");
        }
        let [before, after] = [NOW - Duration::MICROSECOND, NOW].map(|at| entries_version(&entries, at));
        assert_ne!(before, after, "what a removal means changed");
    }

    #[test]
    fn withdrawn_entry_neither_is_nor_comes_into_force() {
        let ids = CountingIds::default();
        let withdrawn = |entry| BankDetailsEntry { withdrawn_at: Some(NOW), ..entry };
        let entries = [entry(&ids, NOW - Duration::DAY), withdrawn(entry(&ids, NOW))];
        assert_eq!(in_force(&entries, NOW), Some(&entries[0]));
        assert_eq!(pending(&entries, NOW - Duration::HOUR), None);
    }

    #[test]
    fn removal_is_shown_as_no_details() {
        let entered = entry(&CountingIds::default(), NOW);
        assert_eq!(entered.one_line(), "EUR: Acme, DE89 3704 0044 0532 0130 00");
        assert_eq!(entered.transfer().map(|shown| shown.unchanged_since), Some(NOW));
        let removed = BankDetailsEntry { details: None, ..entered };
        assert_eq!((removed.one_line().as_str(), removed.transfer()), ("EUR: none", None));
    }
}
