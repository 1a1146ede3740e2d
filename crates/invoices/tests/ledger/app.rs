//! Invoicing, an in-memory store and a ledger, wired together with a fixed clock.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use contacts::{ContactInput, ContactName};
use idempotency::{IdempotentResponse, StoredResponse};
use invoices::ledger::LedgerWorker;
use invoices::{Invoice, InvoiceId, InvoiceInput, Invoicing, InvoicingPolicy, LineInput};
use kernel::{
    AccountScope, Clock, Currency, Decimal, EmailAddress, Field, FieldErrors, Id, MultiLine, SingleLine,
    TimeZone,
};
use outbox::JobContext;
use testkit::{CountingIds, FixedClock, FixedRandom};
use time::Duration;

use crate::memory::Memory;
use crate::scripted::{Script, ScriptedLedger};

/// The wired parts.
pub(crate) struct TestApp {
    pub(crate) invoicing: Invoicing,
    pub(crate) memory: Memory,
    pub(crate) ledger: Arc<ScriptedLedger>,
    pub(crate) clock: FixedClock,
    pub(crate) ledger_worker: LedgerWorker,
    pub(crate) scope: AccountScope,
}

impl TestApp {
    pub(crate) fn new(script: impl IntoIterator<Item = Script>) -> Self {
        Self::with_ledger(true, script)
    }

    pub(crate) fn with_ledger(ledger: bool, script: impl IntoIterator<Item = Script>) -> Self {
        let (clock, ids) = (FixedClock::default(), Arc::new(CountingIds::default()));
        let memory = Memory::default();
        let store = Arc::new(memory.clone());
        let scope = AccountScope {
            id: Id::new(&*ids, clock.now()),
            time_zone: TimeZone::utc(),
            currency: Currency::parse("AUD").unwrap(),
            invoice_prefix: None,
            communications_enabled: true,
            monthly_invoice_limit: None,
        };
        let invoicing = Invoicing {
            store: store.clone(),
            reads: store.clone(),
            clock: Arc::new(clock.clone()),
            ids: ids.clone(),
            random: Arc::new(FixedRandom::default()),
            policy: InvoicingPolicy::default(),
            urls: kernel::PublicUrls::new("https://example.com"),
            ledger,
        };
        let scripted = Arc::new(ScriptedLedger {
            script: Mutex::new(script.into_iter().collect()),
            canceller: Mutex::new(Some((invoicing.clone(), scope.clone()))),
            ..ScriptedLedger::default()
        });
        let ledger_worker = LedgerWorker {
            jobs: JobContext {
                queue: memory.jobs.clone(),
                clock: Arc::new(clock.clone()),
                max_concurrent: NonZeroU32::new(3).unwrap(),
            },
            ledger: scripted.clone(),
            store: store.clone(),
            reads: store,
            ids,
        };
        Self { invoicing, memory, ledger: scripted, clock, ledger_worker, scope }
    }

    /// Creates an invoice and returns its id.
    pub(crate) async fn create(&self, is_draft: bool) -> InvoiceId {
        let contact = ContactInput {
            name: Field::Value(ContactName::parse("Ada").unwrap()),
            email: Field::Value(EmailAddress::parse("ada@example.com").unwrap()),
            ..ContactInput::default()
        };
        let line = LineInput {
            description: Field::Value(MultiLine::parse("Consulting").unwrap()),
            unit_amount: Field::Value(Decimal::parse("100").unwrap()),
            ..LineInput::default()
        };
        let input = InvoiceInput {
            contact: Field::Value(contact),
            line_items: Field::Value(vec![line]),
            is_draft: Field::Value(is_draft),
            ..InvoiceInput::default()
        };
        let id = Mutex::new(None);
        let present = |invoice: &Invoice| {
            *id.lock().unwrap() = Some(invoice.id);
            StoredResponse { status: 201, body: Vec::new() }
        };
        let idempotent_response = IdempotentResponse { ticket: None, present: &present };
        let create = self.invoicing.create(&self.scope, input, FieldErrors::default(), &idempotent_response);
        create.await.unwrap();
        let id = *id.lock().unwrap();
        id.unwrap()
    }

    pub(crate) async fn amend(&self, id: InvoiceId, sent: InvoiceInput) {
        let amend = self.invoicing.amend(&self.scope, id, None, sent, FieldErrors::default());
        amend.await.unwrap();
    }

    pub(crate) async fn cancel(&self, id: InvoiceId) {
        self.invoicing.cancel(&self.scope, id, None).await.unwrap();
    }

    /// Carries out the due tasks and returns the number of attempts.
    pub(crate) async fn round(&self) -> usize {
        outbox::run_until_idle(Arc::new(self.ledger_worker.clone())).await
    }

    pub(crate) async fn round_after(&self, wait: Duration) -> usize {
        self.clock.advance(wait);
        self.round().await
    }

    pub(crate) fn invoice(&self, id: InvoiceId) -> Invoice {
        let rows = self.memory.rows();
        rows.invoices.iter().find(|invoice| invoice.id == id).unwrap().clone()
    }

    pub(crate) fn ledger_id(&self, id: InvoiceId) -> Option<String> {
        let id = self.invoice(id).ledger_invoice_id.clone();
        id.map(SingleLine::into_string)
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.ledger.asked.lock().unwrap().clone()
    }
}
