//! Promising to pay an invoice by a day.

use kernel::{AccountId, Id, Named as _, StoreError, StoreResult, TimeZone, retry_contended};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::figures::written_date;
use crate::invoice::InvoiceId;
use crate::invoicing::Invoicing;
use crate::ports::InvoicingTx;
use crate::promise::{Followed, Promise, PromisePeriod, PromisedBy};
use crate::status::InvoiceStatus;

/// A promise to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPromise {
    /// The last day of the promise.
    pub date: Date,
    /// Who makes it.
    pub made_by: PromisedBy,
    /// The account's time zone, which determines the present date.
    pub time_zone: TimeZone,
    /// The most days from today to the date.
    pub most_days: u16,
}

/// Why a promise was not made.
#[derive(Debug, thiserror::Error)]
pub enum PromiseError {
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// An invoice in this state takes no payments.
    #[error("an invoice that is {} needs no promise", .0.as_str())]
    NotPayable(InvoiceStatus),
    /// The date is outside the permitted period.
    #[error("must be from {} to {}", written_date(.0.first), written_date(.0.last))]
    Date(PromisePeriod),
    /// The payer has already replaced the open promise once, or the owner made it.
    #[error("the date that was promised cannot be changed here any more")]
    Final(Box<Promise>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Invoicing {
    /// Promises to pay an invoice that has an amount due, replacing the open promise if there is one. The
    /// same date again changes nothing, but if the owner enters it, the payer cannot change it any more.
    ///
    /// # Errors
    /// A [`PromiseError`]; then nothing was changed.
    pub async fn promise_to_pay(
        &self,
        account: AccountId,
        invoice: InvoiceId,
        new: &NewPromise,
    ) -> Result<Promise, PromiseError> {
        retry_contended(|| self.try_to_promise(account, invoice, new)).await
    }

    async fn try_to_promise(
        &self,
        account: AccountId,
        id: InvoiceId,
        new: &NewPromise,
    ) -> Result<Promise, PromiseError> {
        let mut tx = self.store.begin(account).await?;
        let promise = self.promise_in(&mut *tx, id, new, None).await?;
        tx.commit().await?;
        Ok(promise)
    }

    /// The same for a promise that was read from a message, in the caller's transaction, which the caller
    /// commits. A day that is promised already stays promised until each message that names it is withdrawn.
    ///
    /// # Errors
    /// A [`PromiseError`]; then nothing was changed.
    pub async fn promise_in_message(
        &self,
        tx: &mut dyn InvoicingTx,
        id: InvoiceId,
        new: &NewPromise,
        message: Uuid,
    ) -> Result<Promise, PromiseError> {
        self.promise_in(tx, id, new, Some(message)).await
    }

    async fn promise_in(
        &self,
        tx: &mut dyn InvoicingTx,
        id: InvoiceId,
        new: &NewPromise,
        message: Option<Uuid>,
    ) -> Result<Promise, PromiseError> {
        let now = self.clock.now();
        let today = new.time_zone.date_at(now);
        let invoice = tx.invoices().lock(id).await?.ok_or(PromiseError::NotFound)?;
        if !invoice.status.is_payable() {
            return Err(PromiseError::NotPayable(invoice.status));
        }
        let period = PromisePeriod::from(today, new.most_days);
        if !period.contains(new.date) {
            return Err(PromiseError::Date(period));
        }
        let latest = tx.promises().latest(id).await?;
        let open = latest.as_ref().filter(|promise| promise.is_open(today));
        let mut promise = Promise {
            id: Id::new(&*self.ids, now),
            invoice: id,
            promised_on: new.date,
            made_by: new.made_by,
            message,
            is_replacement: open.is_some(),
            made_at: now,
            superseded_at: None,
            withdrawn_at: None,
        };
        if let Some(open) = open {
            match open.followed_by(&promise) {
                Followed::Unchanged => return Ok(open.clone()),
                Followed::Final => return Err(PromiseError::Final(Box::new(open.clone()))),
                Followed::Confirmed => {
                    promise.is_replacement = open.is_replacement;
                    promise.superseded_at = Some(now);
                    tx.promises().insert(&promise).await?;
                    return Ok(open.clone());
                }
                Followed::TakenOver => promise.is_replacement = open.is_replacement,
                Followed::Replaced => {}
            }
        }
        put(tx, latest, &promise, now).await?;
        Ok(promise)
    }

    /// Withdraws the promise to pay an invoice that was read from a message, in the caller's transaction,
    /// which the caller commits. Reminders no longer wait for it, but again for the one that it replaced,
    /// unless that was withdrawn.
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing was changed.
    pub async fn withdraw_promise_in(
        &self,
        tx: &mut dyn InvoicingTx,
        id: InvoiceId,
        message: Uuid,
    ) -> StoreResult<()> {
        tx.invoices().lock(id).await?;
        let withdrawn = tx.promises().withdraw(id, message, self.clock.now()).await?;
        if withdrawn && tx.promises().latest(id).await?.is_none() {
            tx.promises().restore(id).await?;
        }
        Ok(())
    }
}

async fn put(
    tx: &mut dyn InvoicingTx,
    latest: Option<Promise>,
    promise: &Promise,
    now: OffsetDateTime,
) -> StoreResult<()> {
    if let Some(latest) = latest {
        tx.promises().supersede(latest.id, now).await?;
    }
    tx.promises().insert(promise).await
}
