//! Recording a payment.

use kernel::{AccountId, Contends, Id, Money, SingleLine, StoreError, while_contended};
use time::OffsetDateTime;
use webhooks::{Event, Occurrence};

use crate::Invoicing;
use crate::invoice::{Invoice, InvoiceId, PaymentRefused};
use crate::payment::{Payment, PaymentMethod, RecordedBy};

/// A payment to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPayment {
    /// What was paid, in major units as it was written; the invoice's currency says how many decimals it may have.
    pub amount: String,
    /// How it was paid.
    pub method: PaymentMethod,
    /// What the payer or the bank wrote with it.
    pub reference: Option<SingleLine<255>>,
    /// When it was received, UTC; now when left out.
    pub received_at: Option<OffsetDateTime>,
    /// Who records it.
    pub recorded_by: RecordedBy,
}

/// Why a payment is not recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordPaymentError {
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// The amount is no amount of the invoice's currency.
    #[error("the amount {0}")]
    Amount(kernel::DecimalFault),
    /// It was received in the future.
    #[error("the payment cannot have been received in the future")]
    InTheFuture,
    /// The invoice does not take it.
    #[error(transparent)]
    Refused(#[from] PaymentRefused),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Contends for RecordPaymentError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
}

impl Invoicing {
    /// Records a payment on an open invoice and publishes `invoice.payment_recorded` with it. The invoice is held meanwhile, so that
    /// its payments never sum up to more than its total, however many come at once.
    ///
    /// # Errors
    /// A [`RecordPaymentError`]; then nothing was changed.
    pub async fn record_payment(
        &self,
        account: AccountId,
        id: InvoiceId,
        new: &NewPayment,
    ) -> Result<Invoice, RecordPaymentError> {
        while_contended(|| self.try_to_record(account, id, new)).await
    }

    async fn try_to_record(
        &self,
        account: AccountId,
        id: InvoiceId,
        new: &NewPayment,
    ) -> Result<Invoice, RecordPaymentError> {
        let mut tx = self.store.begin(account).await?;
        let mut invoice = tx
            .invoices()
            .lock(id)
            .await?
            .ok_or(RecordPaymentError::NotFound)?;
        let now = self.clock.now();
        let received_at = new.received_at.unwrap_or(now);
        if received_at > now {
            return Err(RecordPaymentError::InTheFuture);
        }
        let payment = Payment {
            id: Id::new(&*self.ids, now),
            amount: Money::parse(&new.amount, invoice.currency)
                .map_err(RecordPaymentError::Amount)?,
            received_at,
            method: new.method,
            reference: new.reference.clone(),
            recorded_by: new.recorded_by,
        };
        invoice.record_payment(payment.clone(), now)?;
        tx.invoices().add_payment(id, &payment).await?;
        tx.invoices().update(&invoice, false).await?;
        let of = Occurrence {
            id: Id::new(&*self.ids, now),
            account,
            at: now,
            urls: self.mailer.urls.clone(),
        };
        let event = Event::payment_recorded(of, id.uuid());
        webhooks::publish(tx.events(), &*self.ids, &event).await?;
        tx.commit().await?;
        Ok(invoice)
    }
}
