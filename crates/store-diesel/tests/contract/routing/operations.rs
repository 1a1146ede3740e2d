//! The operations of the two APIs, of the payment page and of the dashboard, as the store executes them.

mod endpoints;
mod logins;
mod messages;
mod owners;
mod payers;

use access::{ApiKey, Authenticator};
use contacts::{ContactInput, ContactReference};
use escalations::{Channel, Escalation, EscalationType, NewEscalation, ResolutionOutcome, Statement};
use invoices::{Invoice, InvoiceFilter, InvoiceInput, InvoiceSearch, PageView};
use kernel::{AccountScope, AccountToken, Field, FieldErrors, PageSize, PartnerScope};
use partner_accounts::{AmendmentInput, ProfileInput, Provisioned};
use store_diesel::Store;
use testkit::FixedClock;
use time::Duration;
use webhooks::DeliveryFilter;

use super::logs::{Logs, Sent};
use crate::database::TestDatabase;
use crate::fixtures::{
    NOW, Requests, audit_entry, email, fresh, fresh_ticket, input, invoice, line, new_account, partner,
    partner_accounts, store_invoices, stored, stored_contact,
};
use crate::online_payments::Paying;

/// Which rows an operation reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// Rows of one account, which are on one server.
    OfAccount,
    /// The same, in a transaction that may also lock or change rows that are on every server. It begins at
    /// the coordinator, which decides about such changes.
    OfAccountByCoordinator,
    /// The same, with a lock on a row that is on every server. Citus takes the lock on one server for all.
    OfAccountAndLock,
    /// Rows of tables that are on every server: the server that gets the query reads its own copy.
    EverywhereRead,
    /// Changes to tables that are on every server: on all servers, in a two-phase commit.
    EverywhereChanged,
}

/// An account with the records that the operations need.
pub(super) struct Prepared {
    partner: PartnerScope,
    key: ApiKey,
    pub(super) scope: AccountScope,
    pub(super) invoice: Invoice,
    /// Another invoice, which can be amended and cancelled.
    unpaid: Invoice,
    pub(super) contact: contacts::Contact,
    escalation: Escalation,
    session: AccountToken,
    email: kernel::EmailAddress,
    slug: partner_accounts::PaymentSlug,
    paying: Paying,
    /// An inbound message.
    message: communications::Message,
    /// An abandoned delivery.
    delivery: webhooks::DeliveryId,
}

impl Prepared {
    pub(super) async fn of(db: &TestDatabase) -> Self {
        let partner = partner(&db.store).await;
        let account = new_account(partner);
        let key = stored(&db.store, partner, &account).await;
        let authenticator = Authenticator::new(db.store.credentials.clone());
        let caller = authenticator.account(key.reveal()).await.unwrap();
        let scope = caller.scope().clone();
        let contact = stored_contact(&db.store, account.id).await;
        let [raised, unpaid] =
            ["N", "UNPAID"].map(|number| invoice(&scope, number, Some(contact.clone()), input(3)));
        store_invoices(&db.store, account.id, &[raised.clone(), unpaid.clone()]).await;
        crate::webhook_deliveries::register(&db.store, account.id).await;
        let escalation = crate::escalations::raised(&db.store, account.id).await;
        let (_, session) = crate::sessions::begin(&db.store, account.id).await;
        let paying = Paying::new(&db.store).await;
        let (email, slug) = (account.email, account.payment_slug);
        let message = crate::messages::received(&db.store, account.id).await;
        let delivery = crate::webhook_deliveries::given_up(&db.store, account.id).await;
        Self {
            partner,
            key,
            scope,
            invoice: raised,
            unpaid,
            contact,
            escalation,
            session,
            email,
            slug,
            paying,
            message,
            delivery,
        }
    }

    pub(super) fn requests_to(&self, store: Store) -> Requests {
        Requests { store, key: self.key.clone(), scope: self.scope.clone() }
    }

    /// The contact, as the input of a new invoice names it.
    pub(super) fn known_contact(&self) -> ContactInput {
        ContactInput { id: Field::Value(self.contact.id), ..ContactInput::default() }
    }
}

/// Runs operations, and passes to `look` what each of them made servers send.
pub(super) struct Operations<'a, F> {
    pub(super) requests: &'a Requests,
    pub(super) prepared: &'a Prepared,
    pub(super) logs: Logs<'a>,
    pub(super) look: F,
}

impl<F: Fn(&str, Rows, &Sent)> Operations<'_, F> {
    pub(super) async fn each(&mut self) {
        // Opens connections and looks up types first.
        self.requests.create_invoice(&fresh_ticket(), self.prepared.known_contact(), false).await;
        self.invoices().await;
        self.contacts_and_escalations().await;
        self.partner_api().await;
        self.payment_page().await;
        self.dashboard().await;
        self.messages_and_deliveries().await;
        self.logins().await;
        self.sessions().await;
        self.payers().await;
        self.payments_online().await;
        self.owners().await;
        self.reminders().await;
        self.messages().await;
        self.endpoints().await;
        self.inbound().await;
    }

    async fn during<T>(&mut self, operation: &str, rows: Rows, work: impl Future<Output = T>) -> T {
        self.logs.sent();
        let done = work.await;
        (self.look)(operation, rows, &self.logs.sent());
        done
    }

    async fn invoices(&mut self) {
        let (requests, prepared) = (self.requests, self.prepared);
        let (store, id) = (&requests.store, requests.scope.id);
        let (any, size) = (InvoiceFilter::default(), PageSize::of(25).unwrap());
        let amended = || InvoiceInput {
            line_items: input(2).line_items,
            contact: Field::Value(prepared.known_contact()),
            ..InvoiceInput::default()
        };
        let rows = Rows::OfAccount;
        self.during("authentication", Rows::EverywhereRead, requests.authenticate()).await;
        let known = || prepared.known_contact();
        self.during("POST /invoices", rows, requests.create_invoice(&fresh_ticket(), known(), false)).await;
        self.during("POST /invoices, sent", rows, requests.create_invoice(&fresh_ticket(), known(), true))
            .await;
        let reads = &store.invoice_reads;
        self.during("GET /invoices/{id}", rows, reads.get(id, prepared.invoice.id)).await.unwrap().unwrap();
        let ids = [prepared.invoice.id];
        self.during("the numbers of invoices", rows, reads.numbers(id, &ids)).await.unwrap();
        self.during("GET /invoices", rows, reads.list(id, &any, size, None)).await.unwrap();
        let letterhead = reads.letterhead(id);
        self.during("the letterhead of a PDF", Rows::EverywhereRead, letterhead).await.unwrap();
        let details = store.bank_details_reads.in_force(id, prepared.scope.currency, NOW);
        self.during("the bank details of a PDF", rows, details).await.unwrap();
        let invoicing = requests.invoicing();
        let amend =
            invoicing.amend(&prepared.scope, prepared.unpaid.id, None, amended(), FieldErrors::default());
        self.during("PUT /invoices/{id}", rows, amend).await.unwrap();
        let cancel = invoicing.cancel(&prepared.scope, prepared.unpaid.id, None);
        self.during("cancelling", rows, cancel).await.unwrap();
        self.during("recording a payment", rows, requests.record_payment(prepared.invoice.id)).await;
    }

    async fn contacts_and_escalations(&mut self) {
        let (requests, contact) = (self.requests, &self.prepared.contact);
        let (store, id) = (&requests.store, requests.scope.id);
        let existing = ContactReference { id: Some(contact.id), ..ContactReference::default() };
        let new = ContactReference {
            name: Some(line("New")),
            email: Some(email(&format!("new{}@example.com", fresh()))),
            ..ContactReference::default()
        };
        let rows = Rows::OfAccount;
        self.during("POST /contacts, new", rows, requests.find_or_create_contact(&new)).await;
        self.during("POST /contacts, existing", rows, requests.find_or_create_contact(&existing)).await;
        let reads = &store.contact_reads;
        self.during("GET /contacts/{id}", rows, reads.get(id, contact.id)).await.unwrap().unwrap();
        let ids = [contact.id];
        self.during("the names of contacts", rows, reads.names(id, &ids)).await.unwrap();
        let look_up = reads.look_up(id, contact.email.as_ref(), None);
        self.during("GET /contacts?email", rows, look_up).await.unwrap().unwrap();
        let size = PageSize::of(25).unwrap();
        self.during("the list of contacts", rows, reads.list(id, None, size, None)).await.unwrap();
        self.raise_and_resolve().await;
        let reads = &store.escalation_reads;
        let escalation = reads.get(id, self.prepared.escalation.id);
        self.during("GET /escalations/{id}", rows, escalation).await.unwrap().unwrap();
        self.during("the list of escalations", rows, reads.list(id, None, 25)).await.unwrap();
    }

    async fn raise_and_resolve(&mut self) {
        let (store, account) = (&self.requests.store, self.prepared.scope.id);
        let about = NewEscalation {
            escalation_type: EscalationType::Dispute,
            channel: Channel::Email,
            statement: Statement::parse("It is not mine.").unwrap(),
            invoice: None,
            contact: Some(self.prepared.contact.id),
        };
        let service = crate::escalations::service(store, FixedClock::default());
        let raise = service.raise(account, about);
        let raised = self.during("raising an escalation", Rows::OfAccount, raise).await.unwrap();
        // As the dashboard does it: with an audit entry.
        let entry = audit_entry(account, "escalation.resolved");
        let service = crate::escalations::service(&store.audited(entry), FixedClock::default());
        let resolve = service.resolve(account, raised.id, ResolutionOutcome::Paid, None);
        self.during("resolving an escalation", Rows::OfAccount, resolve).await.unwrap();
    }

    async fn partner_api(&mut self) {
        let (partner, id) = (self.prepared.partner, self.prepared.scope.id);
        let accounts = partner_accounts(&self.requests.store);
        let n = fresh();
        let new = || ProfileInput {
            company_name: Field::Value(line(&format!("New {n}"))),
            email: Field::Value(email(&format!("new-owner{n}@example.com"))),
            external_id: Field::Value(line(&format!("new-{n}"))),
            ..ProfileInput::default()
        };
        let (read, changed) = (Rows::EverywhereRead, Rows::EverywhereChanged);
        let size = PageSize::of(25).unwrap();
        self.during("GET /partner/accounts/{id}", read, accounts.get(partner, id)).await.unwrap();
        self.during("GET /partner/accounts", read, accounts.list(partner, size, 0)).await.unwrap();
        let provision = accounts.provision(partner, new(), FieldErrors::default());
        let made = self.during("POST /partner/accounts", changed, provision).await.unwrap();
        let Provisioned::New(made) = made else { panic!("the account was there") };
        let again = accounts.provision(partner, new(), FieldErrors::default());
        self.during("POST /partner/accounts, existing", read, again).await.unwrap();
        let profile = ProfileInput { phone: Field::Value(line("1")), ..ProfileInput::default() };
        let amendment = AmendmentInput { profile, ..AmendmentInput::default() };
        let amend = accounts.amend(partner, made.account.id, amendment, FieldErrors::default());
        self.during("PUT /partner/accounts/{id}", changed, amend).await.unwrap();
        let rotate = accounts.rotate_key(partner, made.account.id);
        self.during("rotating a key", changed, rotate).await.unwrap();
        let deactivate = accounts.deactivate(partner, made.account.id);
        self.during("DELETE /partner/accounts/{id}", changed, deactivate).await.unwrap();
    }

    async fn payment_page(&mut self) {
        let (store, raised, rows) = (&self.requests.store, &self.prepared.invoice, Rows::OfAccount);
        let page = store.payer_reads.by_pay_token(&raised.pay_token, NOW);
        self.during("GET /pay/{token}", rows, page).await.unwrap().unwrap();
        let (account, invoice) = (raised.account, raised.id);
        let view = PageView { account, invoice, day: NOW.date(), first_at: NOW };
        self.during("recording a view", rows, store.payment_page_history.record_view(&view)).await.unwrap();
        let intent = store.online_reads.latest_intent(&raised.pay_token);
        self.during("the latest payment online of a page", rows, intent).await.unwrap();
    }

    async fn dashboard(&mut self) {
        let (store, scope) = (&self.requests.store, &self.prepared.scope);
        let (id, invoice, rows) = (scope.id, self.prepared.invoice.id, Rows::OfAccount);
        self.during("a session", rows, store.sessions.session_record(&self.prepared.session))
            .await
            .unwrap()
            .unwrap();
        let days = [0, 30, 60, 90].map(|days| NOW.date() - Duration::days(days));
        let owed = store.overview.owed(id, days, NOW - Duration::days(30));
        self.during("what is owed", rows, owed).await.unwrap();
        self.during("the latest payments", rows, store.overview.latest_payments(id, 5)).await.unwrap();
        let account = store.own_accounts.get(id);
        self.during("the account of an owner", Rows::EverywhereRead, account).await.unwrap().unwrap();
        let search =
            InvoiceFilter { search: InvoiceSearch::parse("Some", scope), ..InvoiceFilter::default() };
        let found = store.invoice_reads.summaries(id, &search, PageSize::of(25).unwrap(), None);
        self.during("a search of invoices", rows, found).await.unwrap();
        self.during("a timeline", rows, store.timelines.timeline(id, invoice)).await.unwrap();
        self.during("views of a page", rows, store.payment_page_history.views(id, invoice)).await.unwrap();
        self.during("promises", rows, store.payment_page_history.promises(id, invoice)).await.unwrap();
        self.during("payments online", rows, store.online_reads.of_invoice(id, invoice)).await.unwrap();
        let figures = store.online_reads.figures(id, NOW - Duration::days(30));
        self.during("figures of payments online", rows, figures).await.unwrap();
    }

    async fn messages_and_deliveries(&mut self) {
        let (store, id) = (&self.requests.store, self.prepared.scope.id);
        let (contact, rows) = (self.prepared.contact.id, Rows::OfAccount);
        let reads = &store.communications_reads;
        self.during("messages", rows, reads.messages(id, Some(contact), None, 25)).await.unwrap();
        self.during("unread messages", rows, reads.unread(id, None, 25)).await.unwrap();
        self.during("preferences of a contact", rows, reads.preferences(id, contact)).await.unwrap();
        let deliveries = store.delivery_store.list(id, DeliveryFilter::newest(25));
        let deliveries = self.during("deliveries", rows, deliveries).await.unwrap();
        let delivery = store.delivery_store.get(id, deliveries[0].id);
        self.during("a delivery", rows, delivery).await.unwrap().unwrap();
    }
}
