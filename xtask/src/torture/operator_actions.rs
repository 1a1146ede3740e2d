//! The actions of a second process on the same database: payments and escalations.
//!
//! Each action is `None` if there is nothing to act on.

use escalations::{
    Channel, EscalationId, EscalationType, NewEscalation, RaiseError, ResolutionOutcome, ResolveError,
};
use invoices::{InvoiceId, NewPayment, PaymentMethod, RecordPaymentError, RecordedBy};
use kernel::{MultiLine, SingleLine};

use super::load::Worker;
use super::response_log::{Outcome, SentEscalation, SentPayment};

impl Worker {
    /// Records a payment of a part or all of one of its own invoices.
    pub(super) async fn pay(&mut self) -> Option<()> {
        let (account, id, total) = self.some_invoice()?;
        let reference = self.fresh("p");
        let some = i64::try_from(self.generator.below(500)).ok()? + 1;
        let cents = if self.generator.below(6) == 0 { total } else { some };
        let payment = NewPayment {
            amount: format!("{}.{:02}", cents / 100, cents % 100),
            currency: None,
            method: PaymentMethod::BankTransfer,
            reference: Some(SingleLine::parse(&reference).ok()?),
            received_at: None,
            recorded_by: RecordedBy::Operator,
        };
        let invoice = InvoiceId::parse(&id.to_string())?;
        let recorded = self.environment.invoicing.record_payment(account.id, invoice, &payment).await;
        let mut responses = self.response_log.lock();
        let outcome = match recorded {
            Ok(_) => Outcome::Done,
            Err(RecordPaymentError::Store(_)) => Outcome::Unknown,
            Err(RecordPaymentError::Refused(_)) => Outcome::Refused,
            Err(error) => {
                responses.wrong.push(format!("payment {reference} on invoice {id}: {error}"));
                Outcome::Refused
            }
        };
        responses.payments.insert(reference, SentPayment { invoice: id, cents, outcome });
        Some(())
    }

    /// Raises an escalation, sometimes about an invoice.
    pub(super) async fn escalate(&mut self) -> Option<()> {
        let account = self.some_account()?;
        let statement = self.fresh("e");
        let about = self.some_invoice().filter(|(of, _, _)| of.id == account.id);
        let kinds = [EscalationType::Hardship, EscalationType::Dispute, EscalationType::HumanRequest];
        let new = NewEscalation {
            escalation_type: *self.generator.pick(&kinds)?,
            channel: Channel::Email,
            statement: MultiLine::parse(&statement).ok()?,
            invoice: about.and_then(|(_, id, _)| InvoiceId::parse(&id.to_string())),
            contact: None,
        };
        let raised = self.environment.escalations.raise(account.id, new).await;
        let mut responses = self.response_log.lock();
        let id = match raised {
            Ok(escalation) => Some(escalation.id.uuid()),
            Err(RaiseError::Store(_)) => None,
            Err(error) => {
                responses.wrong.push(format!("escalation {statement}: {error}"));
                return None;
            }
        };
        responses.escalations.insert(statement.clone(), SentEscalation { id, resolved: None });
        self.open.extend(id.map(|id| (account, id, statement)));
        Some(())
    }

    /// Resolves one of its own escalations, once.
    pub(super) async fn resolve(&mut self) -> Option<()> {
        let (account, id, statement) = self.open.pop()?;
        let (escalation, outcome) =
            (EscalationId::parse(&id.to_string())?, ResolutionOutcome::PaymentArranged);
        let resolved = self.environment.escalations.resolve(account.id, escalation, outcome, None).await;
        let mut responses = self.response_log.lock();
        let outcome = match resolved {
            Ok(_) => Outcome::Done,
            Err(ResolveError::Store(_)) => Outcome::Unknown,
            Err(error) => {
                responses.wrong.push(format!("resolving escalation {id}: {error}"));
                Outcome::Refused
            }
        };
        responses.escalations.get_mut(&statement)?.resolved = Some(outcome);
        Some(())
    }
}
