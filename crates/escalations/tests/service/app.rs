//! The service, and an account with invoices and contacts.

use std::sync::Arc;

use contacts::{Contact, ContactId, ContactInput};
use escalations::EscalationService;
use invoices::{
    CreationContext, Invoice, InvoiceId, InvoiceInput, InvoiceNumber, InvoicingPolicy, LineInput, NewInvoice,
    PayToken,
};
use kernel::{
    AccountId, AccountScope, Clock, Currency, Decimal, Field, FieldErrors, Id, MultiLine, SingleLine,
    TimeZone,
};
use testkit::{CountingIds, FixedClock, FixedRandom};

use crate::memory::Memory;

/// The service with its store and clock.
pub(crate) struct TestApp {
    pub(crate) service: EscalationService,
    pub(crate) memory: Arc<Memory>,
    pub(crate) clock: FixedClock,
    pub(crate) scope: AccountScope,
    ids: Arc<CountingIds>,
}

impl TestApp {
    pub(crate) fn new() -> Self {
        let (clock, ids) = (FixedClock::default(), Arc::new(CountingIds::default()));
        let scope = AccountScope {
            id: Id::new(&*ids, clock.now()),
            time_zone: TimeZone::utc(),
            currency: Currency::parse("AUD").unwrap(),
            invoice_prefix: None,
            communications_enabled: true,
            monthly_invoice_limit: None,
        };
        let memory = Arc::new(Memory::of_account(scope.id));
        let service = EscalationService {
            store: memory.clone(),
            invoices: memory.clone(),
            contacts: memory.clone(),
            clock: Arc::new(clock.clone()),
            ids: ids.clone(),
            urls: kernel::PublicUrls::new("https://books.example.com"),
        };
        Self { service, memory, clock, scope, ids }
    }

    /// The id of an account that does not exist in the store.
    pub(crate) fn another_account(&self) -> AccountId {
        // Fixed ids count from one, and these tests generate fewer than this.
        let ids = CountingIds::default();
        let made = (0..1_000).map(|_| Id::new(&ids, self.clock.now()));
        made.last().unwrap()
    }

    /// A contact of the account.
    pub(crate) fn contact(&self) -> ContactId {
        let contact = self.new_contact();
        let id = contact.id;
        self.memory.kept().contacts.push(contact);
        id
    }

    /// An issued invoice of the account, and its contact.
    pub(crate) fn invoice(&self) -> (InvoiceId, ContactId) {
        let contact = self.new_contact();
        let contact_id = contact.id;
        self.memory.kept().contacts.push(contact.clone());
        (self.put(Some(contact)), contact_id)
    }

    /// A draft of the account, without a contact.
    pub(crate) fn draft(&self) -> InvoiceId {
        self.put(None)
    }

    fn new_contact(&self) -> Contact {
        let now = self.clock.now();
        Contact {
            id: Id::new(&*self.ids, now),
            account: self.scope.id,
            name: SingleLine::parse("Ada").unwrap(),
            email: None,
            phone: None,
            external_id: None,
            address: None,
            created_at: now,
            updated_at: now,
        }
    }

    fn put(&self, contact: Option<Contact>) -> InvoiceId {
        let (now, today) = (self.clock.now(), self.clock.now().date());
        let tea = LineInput {
            description: Field::Value(MultiLine::parse("Tea").unwrap()),
            unit_amount: Field::Value(Decimal::parse("20").unwrap()),
            ..LineInput::default()
        };
        let input = InvoiceInput {
            is_draft: Field::Value(contact.is_none()),
            contact: Field::Value(ContactInput {
                id: Field::Value(Id::new(&*self.ids, now)),
                ..ContactInput::default()
            }),
            line_items: Field::Value(vec![tea]),
            ..InvoiceInput::default()
        };
        let policy = InvoicingPolicy::default();
        let faults = FieldErrors::default();
        let new = NewInvoice::check(input, faults, &self.scope, policy, today).unwrap();
        let context = CreationContext {
            account: self.scope.id,
            number: InvoiceNumber::generated("INV-", 1),
            contact,
            pay_token: PayToken::generate(self.scope.id, &FixedRandom::default()).unwrap(),
            ids: &*self.ids,
            now,
            today,
        };
        let invoice = Invoice::create(new, context);
        let id = invoice.id;
        self.memory.kept().invoices.push(invoice);
        id
    }
}
