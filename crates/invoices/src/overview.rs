//! The outstanding and the received amounts of an account, for its owner.

use std::sync::Arc;

use async_trait::async_trait;
use contacts::ContactName;
use kernel::{AccountId, AccountScope, Clock, Money, StoreResult};
use time::{Date, Duration, OffsetDateTime};

use crate::invoice::InvoiceId;
use crate::number::InvoiceNumber;
use crate::payment::PaymentMethod;

/// The outstanding and the received amounts of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The present day in the account's time zone.
    pub today: Date,
    /// One for each currency with open invoices or payments, by its code.
    pub currencies: Vec<Owed>,
    /// The latest payments, newest first.
    pub latest_payments: Vec<LatestPayment>,
}

/// The outstanding and the received amounts in one currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owed {
    /// The amount due on all open invoices.
    pub outstanding: Money,
    /// The amount due on overdue invoices.
    pub overdue: Money,
    /// The amount received in the last [`Overview::PAID_DAYS`] days.
    pub paid: Money,
    /// The amount due and the number of invoices for each of [`Ageing::ALL`].
    pub ageing: [(Money, u64); Ageing::ALL.len()],
}

/// For how long an amount has been overdue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ageing {
    /// The due date has not passed.
    NotDue,
    /// 1 to 30 days.
    To30,
    /// 31 to 60 days.
    To60,
    /// 61 to 90 days.
    To90,
    /// More than 90 days.
    Over90,
}

impl Ageing {
    /// From not due to overdue for longest.
    pub const ALL: [Self; 5] = [Self::NotDue, Self::To30, Self::To60, Self::To90, Self::Over90];

    /// The earliest due date of each variant but the last, which has all earlier due dates.
    #[must_use]
    pub fn first_due_dates(today: Date) -> [Date; 4] {
        [0, 30, 60, 90].map(|days| today.checked_sub(Duration::days(days)).unwrap_or(Date::MIN))
    }
}

/// A payment with the invoice that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestPayment {
    /// The invoice.
    pub invoice: InvoiceId,
    /// The invoice's number.
    pub number: InvoiceNumber,
    /// The invoiced contact's name.
    pub contact: Option<ContactName>,
    /// What was paid.
    pub amount: Money,
    /// When it was received, UTC.
    pub received_at: OffsetDateTime,
    /// How it was paid.
    pub method: PaymentMethod,
}

impl Overview {
    /// The number of days that [`Owed::paid`] covers.
    pub const PAID_DAYS: i64 = 30;
    /// How many of the latest payments are shown.
    pub const LATEST: u32 = 5;
}

/// Reads the outstanding and the received amounts of an account.
#[async_trait]
pub trait OverviewReads: Send + Sync {
    /// What is owed, grouped by the due dates of [`Ageing::first_due_dates`], and what was received at
    /// `paid_since` or later, by currency. Only open invoices and payments of that time are read.
    async fn owed(
        &self,
        account: AccountId,
        first_due_dates: [Date; 4],
        paid_since: OffsetDateTime,
    ) -> StoreResult<Vec<Owed>>;

    /// The latest payments, newest first.
    async fn latest_payments(&self, account: AccountId, limit: u32) -> StoreResult<Vec<LatestPayment>>;
}

/// The use case of overviews.
#[derive(Clone)]
pub struct Overviews {
    /// Reads the figures.
    pub reads: Arc<dyn OverviewReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl Overviews {
    /// The outstanding and the received amounts of the account.
    pub async fn get(&self, scope: &AccountScope) -> StoreResult<Overview> {
        let now = self.clock.now();
        let today = scope.time_zone.date_at(now);
        let since = now.checked_sub(Duration::days(Overview::PAID_DAYS)).unwrap_or(now);
        let due_dates = Ageing::first_due_dates(today);
        Ok(Overview {
            today,
            currencies: self.reads.owed(scope.id, due_dates, since).await?,
            latest_payments: self.reads.latest_payments(scope.id, Overview::LATEST).await?,
        })
    }
}
