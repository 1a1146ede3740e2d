//! What a second process does on the same database: payments and escalations.

use escalations::{Channel, EscalationType, NewEscalation, RaiseError, ResolutionOutcome, ResolveError};
use invoices::{InvoiceId, NewPayment, PaymentMethod, RecordPaymentError, RecordedBy};
use kernel::{Block, SingleLine};
use uuid::Uuid;

use super::ledger::{Outcome, Paid, Raised};
use super::load::Worker;

impl Worker {
    /// Pays some of one of its own invoices, or all of it.
    pub(super) async fn pay(&mut self) {
        let Some((account, id, total)) = self.some_invoice() else {
            return;
        };
        let reference = self.fresh("p");
        let (Some(invoice), Ok(line)) = (InvoiceId::parse(&id.to_string()), SingleLine::parse(&reference))
        else {
            return;
        };
        let some = i64::try_from(self.generator.below(500)).unwrap_or_default().saturating_add(1);
        let cents = if self.generator.below(6) == 0 { total } else { some };
        let payment = NewPayment {
            amount: format!("{}.{:02}", cents / 100, cents % 100),
            method: PaymentMethod::BankTransfer,
            reference: Some(line),
            received_at: None,
            recorded_by: RecordedBy::Operator,
        };
        let recorded = self.environment.invoicing.record_payment(account.id, invoice, &payment).await;
        let outcome = match recorded {
            Ok(_) => Outcome::Done,
            Err(RecordPaymentError::Store(_)) => Outcome::Nothing,
            Err(RecordPaymentError::Refused(_)) => Outcome::Refused,
            Err(error) => {
                let wrong = format!("payment {reference} on invoice {id}: {error}");
                self.ledger.open().wrong.push(wrong);
                Outcome::Refused
            }
        };
        let paid = Paid { invoice: id, cents, outcome };
        self.ledger.open().payments.insert(reference, paid);
    }

    /// Raises an escalation, at times about an invoice.
    pub(super) async fn escalate(&mut self) {
        let Some(account) = self.some_account() else {
            return;
        };
        let statement = self.fresh("e");
        let Ok(block) = Block::parse(&statement) else {
            return;
        };
        let about = self.some_invoice().filter(|(of, _, _)| of.id == account.id);
        let kinds = [EscalationType::Hardship, EscalationType::Dispute, EscalationType::HumanRequest];
        let new = NewEscalation {
            escalation_type: self.generator.pick(&kinds).copied().unwrap_or(EscalationType::Refused),
            channel: Channel::Email,
            statement: block,
            invoice: about.and_then(|(_, id, _)| InvoiceId::parse(&id.to_string())),
            contact: None,
        };
        let raised = self.environment.desk.raise(account.id, new).await;
        let id = match raised {
            Ok(escalation) => Some(escalation.id.uuid()),
            Err(RaiseError::Store(_)) => None,
            Err(error) => {
                let wrong = format!("escalation {statement}: {error}");
                return self.ledger.open().wrong.push(wrong);
            }
        };
        let resolved = None;
        self.ledger.open().escalations.insert(statement.clone(), Raised { id, resolved });
        self.open.extend(id.map(|id| (account, id, statement)));
    }

    /// Resolves one of its own escalations, once.
    pub(super) async fn resolve(&mut self) {
        let Some((account, id, statement)) = self.open.pop() else {
            return;
        };
        let outcome = ResolutionOutcome::PaymentArranged;
        let Some(escalation) = escalations::EscalationId::parse(&id.to_string()) else {
            return;
        };
        let resolved = self.environment.desk.resolve(account.id, escalation, outcome, None).await;
        let outcome = match resolved {
            Ok(_) => Outcome::Done,
            Err(ResolveError::Store(_)) => Outcome::Nothing,
            Err(error) => {
                self.lost_escalation(id, &error.to_string());
                Outcome::Refused
            }
        };
        if let Some(raised) = self.ledger.open().escalations.get_mut(&statement) {
            raised.resolved = Some(outcome);
        }
    }

    fn lost_escalation(&self, id: Uuid, error: &str) {
        let wrong = format!("resolving escalation {id}: {error}");
        self.ledger.open().wrong.push(wrong);
    }
}
