//! Promises to pay.

use kernel::Id;
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use crate::invoice::InvoiceId;

/// Marks ids of promises.
pub enum PromiseEntity {}

/// The id of a promise.
pub type PromiseId = Id<PromiseEntity>;

/// A promise to pay an invoice by a day. Reminders are paused until the end of that day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// The promise's id.
    pub id: PromiseId,
    /// The promised invoice.
    pub invoice: InvoiceId,
    /// The last day of the promise, in the account's time zone.
    pub promised_on: Date,
    /// Who made it.
    pub made_by: PromisedBy,
    /// The message that it was read from, by its id; none of one that was entered on a page.
    pub message: Option<Uuid>,
    /// Whether it replaced an open promise of another day.
    pub is_replacement: bool,
    /// When it was made, UTC.
    pub made_at: OffsetDateTime,
    /// When a later promise replaced it, or it was withdrawn, UTC.
    pub superseded_at: Option<OffsetDateTime>,
    /// When its message was found to promise nothing, UTC.
    pub withdrawn_at: Option<OffsetDateTime>,
}

/// Who made a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum PromisedBy {
    /// The reader of the payment page.
    Payer,
    /// The owner of the account, on behalf of the payer.
    Owner,
}

/// What becomes of an open promise when another one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Followed {
    /// It stays: the other names its day, and adds nothing.
    Unchanged,
    /// It stays: the payer can change its day no more.
    Final,
    /// It stays. The other names its day and holds if this one is withdrawn.
    Confirmed,
    /// The other names its day and holds instead.
    TakenOver,
    /// The other holds instead, with another day.
    Replaced,
}

/// The dates that a promise may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromisePeriod {
    /// The first day.
    pub first: Date,
    /// The last day.
    pub last: Date,
}

impl Promise {
    /// Whether it pauses reminders on a day: it lasts until the end of its own day.
    #[must_use]
    pub fn is_open(&self, today: Date) -> bool {
        self.superseded_at.is_none() && today <= self.promised_on
    }

    /// Whether the payer may replace it while it is open: once, and only if the payer made it.
    #[must_use]
    pub fn can_be_replaced_by_payer(&self) -> bool {
        self.made_by == PromisedBy::Payer && !self.is_replacement
    }

    /// What becomes of it, while it is open, when another promise follows. Only one that was read from a
    /// message can be withdrawn later.
    pub(crate) fn followed_by(&self, other: &Self) -> Followed {
        if self.promised_on != other.promised_on {
            let is_final = other.made_by == PromisedBy::Payer && !self.can_be_replaced_by_payer();
            return if is_final { Followed::Final } else { Followed::Replaced };
        }
        let outlasts_other = self.message.is_none() || self.message == other.message;
        match (self.made_by, other.made_by) {
            (PromisedBy::Payer, PromisedBy::Owner) => Followed::TakenOver,
            _ if outlasts_other => Followed::Unchanged,
            (PromisedBy::Owner, PromisedBy::Payer) => Followed::Confirmed,
            _ => Followed::TakenOver,
        }
    }
}

impl PromisePeriod {
    /// The longest time that an owner may let payers promise ahead, in days.
    pub const MAX_DAYS: u16 = 365;

    /// Reads how many days ahead payers may promise, as an owner enters it.
    ///
    /// # Errors
    /// What is wrong with the text: it is no whole number up to [`MAX_DAYS`](Self::MAX_DAYS).
    pub fn parse_days(text: &str) -> Result<u16, String> {
        let days = text.trim().parse::<u16>().ok().filter(|days| *days <= Self::MAX_DAYS);
        days.ok_or_else(|| format!("must be a whole number from 0 to {}", Self::MAX_DAYS))
    }

    /// The period from today to `days` days later.
    #[must_use]
    pub fn from(today: Date, days: u16) -> Self {
        let last = today.checked_add(Duration::days(days.into())).unwrap_or(Date::MAX);
        Self { first: today, last }
    }

    /// Whether a day is in the period.
    #[must_use]
    pub fn contains(self, date: Date) -> bool {
        (self.first..=self.last).contains(&date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::{date, datetime};

    fn promise(made_by: PromisedBy, is_replacement: bool) -> Promise {
        Promise {
            id: Id::from_uuid(uuid::Uuid::from_u128(1)),
            invoice: Id::from_uuid(uuid::Uuid::from_u128(2)),
            promised_on: date!(2026 - 12 - 04),
            made_by,
            message: None,
            is_replacement,
            made_at: datetime!(2026-11-20 09:00 UTC),
            superseded_at: None,
            withdrawn_at: None,
        }
    }

    #[test]
    fn promise_is_open_until_the_end_of_its_day() {
        let promise = promise(PromisedBy::Payer, false);
        assert!(promise.is_open(date!(2026 - 11 - 20)) && promise.is_open(date!(2026 - 12 - 04)));
        assert!(!promise.is_open(date!(2026 - 12 - 05)));
        let superseded = Promise { superseded_at: Some(promise.made_at), ..promise };
        assert!(!superseded.is_open(date!(2026 - 11 - 20)));
    }

    #[test]
    fn payer_replaces_an_own_promise_once() {
        for (made_by, is_replacement, can) in [
            (PromisedBy::Payer, false, true),
            (PromisedBy::Payer, true, false),
            (PromisedBy::Owner, false, false),
            (PromisedBy::Owner, true, false),
        ] {
            assert_eq!(promise(made_by, is_replacement).can_be_replaced_by_payer(), can);
        }
    }

    #[test]
    fn promise_of_the_day_that_is_promised_takes_over_what_may_be_withdrawn_or_changed() {
        let [page, first, second] = [None, Some(1), Some(2)].map(|id| id.map(uuid::Uuid::from_u128));
        let (payer, owner) = (PromisedBy::Payer, PromisedBy::Owner);
        for (open, other, expected) in [
            ((payer, page), (payer, page), Followed::Unchanged),
            ((payer, page), (payer, first), Followed::Unchanged),
            ((payer, first), (payer, first), Followed::Unchanged),
            ((payer, first), (payer, second), Followed::TakenOver),
            ((payer, first), (payer, page), Followed::TakenOver),
            ((payer, page), (owner, page), Followed::TakenOver),
            ((payer, first), (owner, page), Followed::TakenOver),
            ((owner, page), (owner, page), Followed::Unchanged),
            ((owner, page), (owner, first), Followed::Unchanged),
            ((owner, first), (owner, page), Followed::TakenOver),
            ((owner, page), (payer, first), Followed::Unchanged),
            ((owner, first), (payer, second), Followed::Confirmed),
            ((owner, first), (payer, page), Followed::Confirmed),
        ] {
            let [open, other] =
                [open, other].map(|(made_by, message)| Promise { message, ..promise(made_by, true) });
            assert_eq!(open.followed_by(&other), expected, "{open:?} {other:?}");
        }
    }

    proptest! {
        #[test]
        fn promise_period_includes_both_ends(day in 2_415_021..5_373_484_i32, days in 0..=365_u16) {
            let today = Date::from_julian_day(day).unwrap();
            let period = PromisePeriod::from(today, days);
            prop_assert!(period.contains(today) && period.contains(period.last));
            prop_assert!(!today.previous_day().is_some_and(|before| period.contains(before)));
            prop_assert!(!period.last.next_day().is_some_and(|after| period.contains(after)));
            if period.last != Date::MAX {
                prop_assert_eq!(period.last.to_julian_day() - day, i32::from(days));
            }
        }
    }
}
