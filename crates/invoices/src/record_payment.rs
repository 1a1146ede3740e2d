//! Recording a payment.

use idempotency::{
    Claim, Fingerprint, IdempotencyKey, IdempotentOperation, IdempotentOutcome, StoredResponse, Ticket,
};
use kernel::{
    AccountId, AuditDetails, Currency, Decimal, DecimalFault, Id, Money, Named as _, SingleLine, StoreError,
    retry_contended,
};
use time::OffsetDateTime;
use webhooks::{Event, Occurrence};

use crate::audited;
use crate::invoice::transitions::PaymentRefused;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoicing::Invoicing;
use crate::payment::{Payment, PaymentMethod, RecordedBy};
use crate::ports::InvoicingTx;

/// A payment to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPayment {
    /// The amount paid, in major units, as a person entered it ([`Money::entered`]).
    pub amount: String,
    /// The currency that the caller saw; `None` for a caller that takes the invoice's for granted. If the
    /// invoice's has become another, the payment is refused.
    pub currency: Option<Currency>,
    /// How it was paid.
    pub method: PaymentMethod,
    /// The reference that the payer or the bank gave.
    pub reference: Option<SingleLine<255>>,
    /// When it was received, UTC; now when left out.
    pub received_at: Option<OffsetDateTime>,
    /// Who records it.
    pub recorded_by: RecordedBy,
}

/// Why a payment was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordPaymentError {
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// The amount is not valid in the invoice's currency.
    #[error("the amount {0}")]
    Amount(DecimalFault),
    /// The date of receipt is in the future.
    #[error("the payment cannot have been received in the future")]
    InTheFuture,
    /// The invoice does not accept the payment.
    #[error(transparent)]
    Refused(#[from] PaymentRefused),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl NewPayment {
    /// The ticket under which the payment is recorded once on an invoice. Amounts of equal value, such as
    /// `50` and `50.00`, are the same content.
    fn ticket(&self, invoice: InvoiceId, key: IdempotencyKey) -> Result<Ticket, DecimalFault> {
        let content = format!(
            "{invoice}\n{}\n{:?}\n{}\n{:?}\n{}\n{:?}",
            Decimal::parse(&self.amount)?,
            self.currency.map(Currency::code),
            self.method.as_str(),
            self.received_at.map(OffsetDateTime::unix_timestamp_nanos),
            self.recorded_by.as_str(),
            self.reference.as_ref().map(SingleLine::as_str),
        );
        Ok(Ticket {
            operation: IdempotentOperation::RECORD_PAYMENT,
            key,
            fingerprint: Fingerprint::of(content.as_bytes()),
        })
    }
}

impl Invoicing {
    /// Records a payment on an open invoice and publishes `invoice.payment_recorded` in the same transaction.
    /// The invoice is locked, so that the sum of its payments never exceeds its total.
    ///
    /// # Errors
    /// A [`RecordPaymentError`]; then nothing was changed.
    pub async fn record_payment(
        &self,
        account: AccountId,
        id: InvoiceId,
        new: &NewPayment,
    ) -> Result<Invoice, RecordPaymentError> {
        retry_contended(|| self.try_to_record(account, id, new)).await
    }

    /// Records a payment as [`Invoicing::record_payment`] does, once for each idempotency key of the account.
    /// The key of a refused payment can be used again.
    ///
    /// # Errors
    /// A [`RecordPaymentError`]; then nothing was changed.
    pub async fn record_payment_once(
        &self,
        account: AccountId,
        id: InvoiceId,
        new: &NewPayment,
        key: IdempotencyKey,
        present: &(dyn Fn(&Invoice) -> StoredResponse + Send + Sync),
    ) -> Result<IdempotentOutcome, RecordPaymentError> {
        let ticket = new.ticket(id, key).map_err(RecordPaymentError::Amount)?;
        retry_contended(|| self.try_to_record_once(account, id, new, &ticket, present)).await
    }

    async fn try_to_record(
        &self,
        account: AccountId,
        id: InvoiceId,
        new: &NewPayment,
    ) -> Result<Invoice, RecordPaymentError> {
        let mut tx = self.store.begin(account).await?;
        let invoice = self.add_payment(&mut *tx, id, new).await?;
        tx.commit().await?;
        Ok(invoice)
    }

    async fn try_to_record_once(
        &self,
        account: AccountId,
        id: InvoiceId,
        new: &NewPayment,
        ticket: &Ticket,
        present: &(dyn Fn(&Invoice) -> StoredResponse + Send + Sync),
    ) -> Result<IdempotentOutcome, RecordPaymentError> {
        let mut tx = self.store.begin(account).await?;
        if let Claim::Taken(outcome) = tx.stored_responses().claim(ticket).await? {
            return Ok(outcome);
        }
        let invoice = self.add_payment(&mut *tx, id, new).await?;
        let response = present(&invoice);
        tx.stored_responses().store(ticket, &response).await?;
        tx.commit().await?;
        Ok(IdempotentOutcome::Fresh(response))
    }

    async fn add_payment(
        &self,
        tx: &mut dyn InvoicingTx,
        id: InvoiceId,
        new: &NewPayment,
    ) -> Result<Invoice, RecordPaymentError> {
        let invoice = tx.invoices().lock(id).await?;
        let mut invoice = invoice.ok_or(RecordPaymentError::NotFound)?;
        if new.currency.is_some_and(|seen| seen != invoice.currency) {
            return Err(PaymentRefused::OtherCurrency(invoice.currency).into());
        }
        let now = self.clock.now();
        let received_at = new.received_at.unwrap_or(now);
        if received_at > now {
            return Err(RecordPaymentError::InTheFuture);
        }
        let payment = Payment {
            id: Id::new(&*self.ids, now),
            amount: Money::entered(&new.amount, invoice.currency).map_err(RecordPaymentError::Amount)?,
            received_at,
            method: new.method,
            reference: new.reference.clone(),
            recorded_by: new.recorded_by,
        };
        if tx.is_audited() {
            let after = Some(audited::payment(&invoice, &payment));
            tx.complete_audit(AuditDetails { before: None, after });
        }
        self.store_payment(tx, &mut invoice, &payment, now).await?;
        tx.checkouts().expire(id, &*self.ids, now).await?;
        Ok(invoice)
    }

    /// Records a payment for a locked invoice, in the caller's transaction, and publishes
    /// `invoice.payment_recorded`.
    ///
    /// # Errors
    /// A [`RecordPaymentError`]; then the transaction must not be committed.
    pub async fn store_payment(
        &self,
        tx: &mut dyn InvoicingTx,
        invoice: &mut Invoice,
        payment: &Payment,
        now: OffsetDateTime,
    ) -> Result<(), RecordPaymentError> {
        let (id, account) = (invoice.id, invoice.account);
        invoice.record_payment(payment.clone(), now)?;
        tx.invoices().put_paid(invoice, payment).await?;
        let of = Occurrence { id: Id::new(&*self.ids, now), account, at: now, urls: self.urls.clone() };
        let event = Event::payment_recorded(of, id.uuid());
        webhooks::publish(tx.events(), &*self.ids, &event).await?;
        Ok(())
    }
}
