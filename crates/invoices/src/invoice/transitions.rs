//! The transitions of an invoice: amended, sent, paid, cancelled, changed by date (contract, "States and
//! transitions").

use kernel::{Ids, Money, Named as _};
use time::{Date, OffsetDateTime};

use super::{Invoice, number_line};
use crate::amendment::{ContactChange, InvoiceAmendment, LinesChange};
use crate::invoiced_contact::InvoicedContact;
use crate::ledger_invoice_id::LedgerInvoiceId;
use crate::line_item::NewLine;
use crate::pay_token::PayToken;
use crate::payment::Payment;
use crate::status::InvoiceStatus;

/// A paid or cancelled invoice cannot be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an invoice that is {} cannot be cancelled", .0.as_str())]
pub struct NotCancellable(pub InvoiceStatus);

/// Why a payment was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PaymentRefused {
    /// An invoice in this state takes no payments.
    #[error("an invoice that is {} takes no payments", .0.as_str())]
    NotPayable(InvoiceStatus),
    /// The amount is zero or below.
    #[error("the amount must be above 0")]
    NotAboveZero,
    /// The amount exceeds the amount due, which is given here.
    #[error("the amount is above what is due, {0}")]
    AboveDue(Money),
    /// The payment's currency is not the invoice's.
    #[error("the payment must be in the currency of the invoice, {0}")]
    OtherCurrency(kernel::Currency),
}

/// Why an amendment does not fit the invoice's present state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AmendRefused {
    /// The invoice is paid or cancelled.
    #[error("an invoice that is {} cannot be amended", .0.as_str())]
    Locked(InvoiceStatus),
    /// The invoice was issued and cannot become a draft again.
    #[error("an issued invoice cannot become a draft again")]
    CannotUnissue,
    /// The invoice would stay a draft, and drafts are not sent.
    #[error("a draft cannot be sent; issue it with is_draft false")]
    DraftNotSent,
    /// The currency cannot change once a payment is recorded.
    #[error("the currency cannot change once a payment is recorded")]
    CurrencyFixed,
    /// The new total is below the amount already paid.
    #[error("the total cannot be below what is paid already, {0}")]
    BelowPaid(Money),
}

/// What an amendment did besides changing fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmendmentEffect {
    /// Whether its lines changed.
    pub lines_replaced: bool,
    /// Whether the invoice is sent.
    pub send: bool,
}

impl Invoice {
    /// Cancels the invoice. Nothing is due then; its payments stay.
    ///
    /// # Errors
    /// [`NotCancellable`] when the invoice is paid or cancelled; then nothing changed.
    pub fn cancel(&mut self, now: OffsetDateTime) -> Result<(), NotCancellable> {
        if !self.status.is_editable() {
            return Err(NotCancellable(self.status));
        }
        self.0.status = InvoiceStatus::Cancelled;
        self.0.updated_at = now;
        Ok(())
    }

    /// Records a partial or full payment.
    ///
    /// # Errors
    /// [`PaymentRefused`]; then nothing changed.
    pub fn record_payment(&mut self, payment: Payment, now: OffsetDateTime) -> Result<(), PaymentRefused> {
        let (left, paid) = self.after_payment(payment.amount)?;
        self.0.amount_paid = paid;
        self.0.status = if left.is_zero() { InvoiceStatus::Paid } else { InvoiceStatus::PartiallyPaid };
        self.0.payments.push(payment);
        self.0.updated_at = now;
        Ok(())
    }

    /// Whether the invoice accepts a payment of this amount now.
    pub fn check_payment(&self, amount: Money) -> Result<(), PaymentRefused> {
        self.after_payment(amount).map(drop)
    }

    /// What is due and what is paid after a payment.
    fn after_payment(&self, amount: Money) -> Result<(Money, Money), PaymentRefused> {
        let due = self.amount_due();
        if amount.currency() != self.currency {
            return Err(PaymentRefused::OtherCurrency(self.currency));
        }
        if !self.status.is_payable() {
            return Err(PaymentRefused::NotPayable(self.status));
        }
        if amount.minor() <= 0 {
            return Err(PaymentRefused::NotAboveZero);
        }
        let left = due.checked_sub(amount).filter(|left| !left.is_negative());
        let paid = self.amount_paid.checked_add(amount);
        left.zip(paid).ok_or(PaymentRefused::AboveDue(due))
    }

    /// Gives the payment page a new token and returns the old one.
    pub fn replace_pay_token(&mut self, token: PayToken, now: OffsetDateTime) -> PayToken {
        self.0.updated_at = now;
        std::mem::replace(&mut self.0.pay_token, token)
    }

    /// Sets the ledger's id of the invoice. `false` when the invoice has one already, which stays.
    pub fn enter_in_ledger(&mut self, id: LedgerInvoiceId, now: OffsetDateTime) -> bool {
        if self.ledger_invoice_id.is_some() {
            return false;
        }
        self.0.ledger_invoice_id = Some(id);
        self.0.updated_at = now;
        true
    }

    /// The day on which the date changes the status ([`InvoiceStatus::changes_on`]).
    #[must_use]
    pub fn status_changes_on(&self) -> Option<Date> {
        self.status.changes_on(self.invoice_date, self.due_date)
    }

    /// Amends the invoice. `contact` is the contact that the amendment's reference found, or the present
    /// contact of a draft.
    ///
    /// # Errors
    /// [`AmendRefused`]; then nothing changed.
    pub fn amend(
        &mut self,
        amendment: InvoiceAmendment,
        contact: Option<InvoicedContact>,
        ids: &dyn Ids,
        today: Date,
        now: OffsetDateTime,
    ) -> Result<AmendmentEffect, AmendRefused> {
        self.check_amendment(&amendment)?;
        let issues = self.is_draft() && !amendment.stays_draft;
        let dates = (amendment.invoice_date, amendment.due_date);
        let works_status_out = issues || amendment.send || dates != (self.invoice_date, self.due_date);
        let lines_replaced = self.take_lines(&amendment, ids, now);
        let data = &mut self.0;
        match (&amendment.contact, contact) {
            (ContactChange::Clear, _) => data.contact = None,
            (_, Some(contact)) => data.contact = Some(contact),
            (ContactChange::Keep | ContactChange::Take(_), None) => {}
        }
        if let Some(number) = amendment.number {
            data.number = number;
        }
        (data.invoice_date, data.due_date) = dates;
        data.currency = amendment.currency;
        data.line_amount_types = amendment.line_amount_types;
        data.totals = amendment.totals;
        if data.payments.is_empty() {
            data.amount_paid = Money::zero(amendment.currency);
        }
        data.texts = amendment.texts;
        if amendment.send {
            data.last_sent_at = Some(now);
            data.send_count = data.send_count.saturating_add(1);
        }
        data.updated_at = now;
        self.0.status = self.status_after(issues, works_status_out, amendment.send, today);
        Ok(AmendmentEffect { lines_replaced, send: amendment.send })
    }

    fn check_amendment(&self, amendment: &InvoiceAmendment) -> Result<(), AmendRefused> {
        if !self.status.is_editable() {
            return Err(AmendRefused::Locked(self.status));
        }
        if amendment.stays_draft && !self.is_draft() {
            return Err(AmendRefused::CannotUnissue);
        }
        if amendment.stays_draft && amendment.send {
            return Err(AmendRefused::DraftNotSent);
        }
        if self.payments.is_empty() {
            return Ok(());
        }
        if amendment.currency != self.currency {
            return Err(AmendRefused::CurrencyFixed);
        }
        let left = amendment.totals.total.checked_sub(self.amount_paid);
        match left {
            Some(left) if !left.is_negative() => Ok(()),
            _ => Err(AmendRefused::BelowPaid(self.amount_paid)),
        }
    }

    /// Replaces the lines, or recalculates the amounts of the present ones. Returns whether they changed.
    fn take_lines(&mut self, amendment: &InvoiceAmendment, ids: &dyn Ids, now: OffsetDateTime) -> bool {
        let (types, currency) = (amendment.line_amount_types, amendment.currency);
        match &amendment.lines {
            LinesChange::Replace(lines) => {
                let line = |line: &NewLine| number_line(line.clone(), types, currency, ids, now);
                self.0.lines = lines.iter().filter_map(line).collect();
                true
            }
            LinesChange::Keep if types == self.line_amount_types && currency == self.currency => false,
            LinesChange::Keep => {
                for line in &mut self.0.lines {
                    // `InvoiceAmendment::check` has ensured that every line has amounts.
                    if let Some(amounts) = line.to_new().amounts(types, currency) {
                        (line.line_amount, line.tax_amount) = (amounts.line_amount, amounts.tax_amount);
                    }
                }
                true
            }
        }
    }

    fn status_after(&self, issues: bool, works_status_out: bool, sent: bool, today: Date) -> InvoiceStatus {
        if self.is_draft() && !issues {
            InvoiceStatus::Draft
        } else if self.totals.total == self.amount_paid {
            InvoiceStatus::Paid
        } else if !self.payments.is_empty() {
            InvoiceStatus::PartiallyPaid
        } else if works_status_out {
            InvoiceStatus::on_issue(self.invoice_date, self.due_date, today, sent)
        } else {
            self.status
        }
    }
}
