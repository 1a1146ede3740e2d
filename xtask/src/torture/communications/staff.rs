//! The actions of owners and operators: they record payments, cancel, raise and resolve escalations, pause
//! invoices, handle unread messages, and switch communications off and on.

use std::sync::Arc;
use std::time::Duration;

use communications::{MessageId, PausedUntil, PolicyChange};
use escalations::{Channel as RaisedBy, EscalationId, EscalationType, NewEscalation, ResolutionOutcome};
use invoices::{InvoiceId, NewPayment, PaymentMethod, RecordedBy};
use kernel::{AccountId, Clock as _, MultiLine};
use serde_json::json;
use tokio::sync::watch;

use super::super::caller::{Caller, Request};
use super::super::environment::{Account, Shared};
use super::super::leading_clock::LeadingClock;
use super::super::load::up_to;
use super::super::response_log::ResponseLog;
use super::super::stored_records::rows;
use super::accounts::{Accounts, Owed};
use crate::seed::random::SeededGenerator;

/// The pause between two actions, in milliseconds.
const MAX_PAUSE: u64 = 500;
/// For how long something is switched off, in milliseconds.
const MAX_OFF: u64 = 1_500;
/// The number of the first of these callers; the number distinguishes callers.
const FIRST_CALLER: u64 = 2_000;

pub(super) struct Staff {
    environment: Shared,
    accounts: Arc<Accounts>,
    clock: LeadingClock,
    generator: SeededGenerator,
    caller: Caller,
}

impl Staff {
    pub(super) fn new(
        environment: &Shared,
        accounts: &Arc<Accounts>,
        clock: &LeadingClock,
        response_log: &Arc<ResponseLog>,
        n: u64,
    ) -> Self {
        let n = FIRST_CALLER + n;
        let targets = accounts.addresses.clone().into();
        let caller =
            Caller::new(targets, n, SeededGenerator::new(environment.seed, 1, n), response_log.clone());
        let (environment, accounts) = (environment.clone(), accounts.clone());
        let generator = environment.generator(n);
        Self { environment, accounts, clock: clock.clone(), generator, caller }
    }

    /// Acts until it is stopped. An action that the database refuses or loses is not repeated: the journal
    /// has the committed ones.
    pub(super) async fn work(mut self, stopped: watch::Receiver<bool>) {
        while !*stopped.borrow() {
            let _done: Option<()> = match self.generator.below(100) {
                0..12 => self.pay().await,
                12..15 => self.cancel().await,
                15..21 => self.raise().await,
                21..60 => self.resolve().await,
                60..68 => self.pause().await,
                68..90 => self.read().await,
                90..97 => self.switch_off().await,
                _ => self.stop_reminders().await,
            };
            tokio::time::sleep(up_to(&self.generator, MAX_PAUSE)).await;
        }
    }

    fn some_owed(&self) -> Option<(Owed, InvoiceId)> {
        let owed = self.generator.pick(&self.accounts.owed)?.clone();
        let invoice = InvoiceId::parse(&owed.invoice.to_string())?;
        Some((owed, invoice))
    }

    /// Records a payment: mostly the whole amount, otherwise a small part.
    async fn pay(&self) -> Option<()> {
        let (owed, invoice) = self.some_owed()?;
        let is_part = self.generator.below(3) == 0;
        let payment = NewPayment {
            amount: if is_part { "1.00".to_owned() } else { owed.total },
            currency: None,
            method: PaymentMethod::BankTransfer,
            reference: None,
            received_at: None,
            recorded_by: RecordedBy::Operator,
        };
        self.accounts.invoicing.record_payment(owed.account.id, invoice, &payment).await.ok().map(drop)
    }

    async fn cancel(&mut self) -> Option<()> {
        let (owed, _) = self.some_owed()?;
        let path = format!("/invoices/{}/cancel", owed.invoice);
        let request = Request::write("POST", &path, &owed.account.key, None, &serde_json::Value::Null);
        self.caller.send(&request).await.map(drop)
    }

    async fn raise(&self) -> Option<()> {
        let (owed, invoice) = self.some_owed()?;
        let kinds = [EscalationType::Hardship, EscalationType::Dispute, EscalationType::Refused];
        let new = NewEscalation {
            escalation_type: *self.generator.pick(&kinds)?,
            channel: RaisedBy::Voice,
            statement: MultiLine::parse("Said on the telephone.").ok()?,
            invoice: Some(invoice),
            contact: None,
        };
        self.accounts.escalations.raise(owed.account.id, new).await.ok().map(drop)
    }

    /// Resolves a random open escalation.
    async fn resolve(&self) -> Option<()> {
        let open = self.some_row("escalations WHERE resolved_at IS NULL")?;
        let (account, id) = (AccountId::parse(&open[0])?, EscalationId::parse(&open[1])?);
        let outcome = ResolutionOutcome::PaymentArranged;
        self.accounts.escalations.resolve(account, id, outcome, None).await.ok().map(drop)
    }

    /// Pauses an invoice for some days or for ever, or ends its pause.
    async fn pause(&self) -> Option<()> {
        let (owed, invoice) = self.some_owed()?;
        let days = i64::try_from(self.generator.below(8)).ok()?;
        let until = match self.generator.below(5) {
            0 => Some(PausedUntil::Never),
            1 | 2 => {
                Some(PausedUntil::Date(self.clock.now().date().saturating_add(time::Duration::days(days))))
            }
            _ => None,
        };
        self.accounts.reminders.pause(owed.account.id, invoice, until).await.ok()
    }

    /// Marks an unread message as read.
    async fn read(&self) -> Option<()> {
        let unread = self.some_row("messages WHERE is_unread")?;
        let (account, id) = (AccountId::parse(&unread[0])?, MessageId::parse(&unread[1])?);
        self.accounts.conversations.mark_read(account, id).await.ok()
    }

    /// Switches an account's communications off, and on again after a while.
    async fn switch_off(&mut self) -> Option<()> {
        let account = self.generator.pick(&self.environment.accounts)?.clone();
        self.switch(&account, false).await?;
        tokio::time::sleep(up_to(&self.generator, MAX_OFF)).await;
        self.switch(&account, true).await
    }

    async fn switch(&mut self, account: &Account, to: bool) -> Option<()> {
        let path = format!("/partner/accounts/{}", account.id);
        let body = json!({"communications_enabled": to});
        let request = Request::write("PATCH", &path, &self.environment.partner_key, None, &body);
        self.caller.send(&request).await.map(drop)
    }

    /// Stops the reminders of an account, and starts them again after a while.
    async fn stop_reminders(&self) -> Option<()> {
        let account = self.generator.pick(&self.environment.accounts)?.id;
        let change = |to| PolicyChange { started: Some(to), ..PolicyChange::default() }.into();
        self.accounts.reminders.change_settings(account, &change(false), None).await.ok()?;
        tokio::time::sleep(up_to(&self.generator, MAX_OFF)).await;
        while self.accounts.reminders.change_settings(account, &change(true), None).await.is_err() {
            tokio::time::sleep(Duration::from_millis(MAX_PAUSE)).await;
        }
        Some(())
    }

    /// The account and the id of a random row.
    fn some_row(&self, from: &str) -> Option<[String; 2]> {
        let found = rows(&self.environment.database, ["account_id", "id"], from).ok()?;
        let found = self.generator.pick(&found)?;
        let uuid = |text: &str| text.parse::<uuid::Uuid>().map(|id| id.to_string());
        Some([uuid(&found[0]).ok()?, uuid(&found[1]).ok()?])
    }
}
