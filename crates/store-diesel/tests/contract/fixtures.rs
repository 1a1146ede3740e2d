//! Records for tests.

mod inbound;
mod requests;
pub(crate) mod sign_in;
mod wired;

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use access::{ApiKey, KeySpace, NewKey};
use contacts::{Contact, ContactInput};
use idempotency::{Fingerprint, IdempotencyKey, IdempotentOperation, StoredResponse, Ticket};
use invoices::{
    CreationContext, CreationNeeds, Invoice, InvoiceInput, InvoiceNumber, InvoicingPolicy, InvoicingTx,
    LineInput, NewInvoice, PayToken, Stored,
};
use kernel::{
    AccountId, AccountScope, Currency, Decimal, EmailAddress, Field, FieldErrors, Id, MultiLine, Operator,
    PartnerScope, SingleLine, StoreResult,
};
use partner_accounts::{Account, InsertedAccount, NewAccount, Partner, PaymentSlug, Profile, ProfileInput};
use serde_json::Value;
use sessions::AuditEntry;
use store_diesel::Store;
use testkit::{CountingIds, FixedClock, FixedRandom};
use time::OffsetDateTime;

pub(crate) use inbound::inbound;
pub(crate) use requests::Requests;
pub(crate) use wired::{
    AllowAllTargets, bank_details, conversations, invoicing, job_context, partner_accounts, pay_link_worker,
    reminders, unused_mailer,
};

pub(crate) const OPERATOR: Operator = Operator::at_the_command_line();
pub(crate) const NOW: OffsetDateTime = FixedClock::START;

pub(crate) static IDS: LazyLock<CountingIds> = LazyLock::new(CountingIds::default);
pub(crate) static RANDOM: LazyLock<FixedRandom> = LazyLock::new(FixedRandom::default);

/// A number that no record of this process had before.
pub(crate) fn fresh() -> u32 {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    COUNT.fetch_add(1, Ordering::SeqCst)
}

pub(crate) fn id<E>() -> Id<E> {
    Id::new(&*IDS, NOW)
}

pub(crate) fn line<const MAX: usize>(text: &str) -> SingleLine<MAX> {
    SingleLine::parse(text).unwrap()
}

pub(crate) fn email(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

pub(crate) fn key(space: KeySpace) -> (ApiKey, NewKey) {
    let key = ApiKey::generate(space, &*RANDOM);
    let record = key.record(id(), NOW);
    (key, record)
}

pub(crate) async fn partner(store: &Store) -> PartnerScope {
    let partner = Partner { id: id(), name: line("Partner"), disabled: false, created_at: NOW };
    let (_, record) = key(KeySpace::Partner);
    let inserted = store.operator.insert_partner(OPERATOR, &partner, &record);
    inserted.await.unwrap();
    PartnerScope { id: partner.id }
}

/// An account that is not stored, with unused unique values.
pub(crate) fn new_account(partner: PartnerScope) -> Account {
    let n = fresh();
    let input = ProfileInput {
        company_name: Field::Value(line(&format!("Company {n}"))),
        email: Field::Value(email(&format!("Owner{n}@example.com"))),
        external_id: Field::Value(line(&format!("customer-{n}"))),
        ..ProfileInput::default()
    };
    let new = NewAccount::check(input, FieldErrors::default()).unwrap();
    let aud = Currency::parse("AUD").unwrap();
    let (_, record) = key(KeySpace::Account);
    let mut account = Account::open(new, id(), partner.id, aud, &record, NOW);
    account.key = None;
    account
}

/// Stores an account and gives it an API key.
pub(crate) async fn stored(store: &Store, partner: PartnerScope, account: &Account) -> ApiKey {
    let (secret, record) = key(KeySpace::Account);
    let mut tx = store.provisioning.begin(partner).await.unwrap();
    let inserted = tx.accounts().insert_new(account).await.unwrap();
    assert_eq!(inserted, InsertedAccount::Done);
    assert!(tx.accounts().put_key(account.id, &record).await.unwrap());
    tx.commit().await.unwrap();
    secret
}

/// A stored account under a partner of its own.
pub(crate) async fn tenant(store: &Store) -> AccountScope {
    let partner = partner(store).await;
    let account = new_account(partner);
    stored(store, partner, &account).await;
    AccountScope {
        id: account.id,
        time_zone: account.profile.time_zone,
        currency: account.currency,
        invoice_prefix: None,
        communications_enabled: true,
        monthly_invoice_limit: None,
    }
}

pub(crate) fn slug(text: &str) -> PaymentSlug {
    PaymentSlug::suggest(text)
}

/// Fills every optional field.
pub(crate) fn with_everything(profile: Profile) -> Profile {
    let some = |what: &str| Some(line(&format!("{what} {}", "ü".repeat(150))));
    Profile {
        first_name: some("Ada"),
        last_name: some("Lovelace"),
        phone: some("+61"),
        abn: some("11"),
        time_zone: kernel::TimeZone::parse("Australia/Sydney").unwrap(),
        address_line1: some("1 Street"),
        address_city: some("Sydney"),
        address_state: some("NSW"),
        address_postal_code: some("2000"),
        address_country: some("Australia"),
        invoice_prefix: Some(line("ACME-")),
        brand_color: Some(partner_accounts::BrandColor::parse("#1a2B3c").unwrap()),
        communications_enabled: false,
        ..profile
    }
}

/// A contact that is not stored.
pub(crate) fn contact(account: AccountId) -> Contact {
    let n = fresh();
    Contact {
        id: id(),
        account,
        name: line(&format!("Contact {n}")),
        email: Some(email(&format!("Contact{n}@example.com"))),
        phone: None,
        external_id: Some(line(&format!("c-{n}"))),
        address: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

pub(crate) async fn stored_contact(store: &Store, account: AccountId) -> Contact {
    let contact = contact(account);
    let mut tx = store.contacts.begin(account).await.unwrap();
    assert!(tx.contacts().insert_new(&contact).await.unwrap());
    tx.commit().await.unwrap();
    contact
}

/// An invoice's input with this many lines.
pub(crate) fn input(lines: u32) -> InvoiceInput {
    let line = |n: u32| LineInput {
        description: Field::Value(MultiLine::parse(&format!("Work {n}\nand more")).unwrap()),
        unit_amount: Field::Value(Decimal::parse("110").unwrap()),
        tax_rate: Field::Value(Decimal::parse("10").unwrap()),
        ..LineInput::default()
    };
    InvoiceInput {
        contact: Field::Value(ContactInput {
            name: Field::Value(SingleLine::parse("Somebody").unwrap()),
            phone: Field::Value(SingleLine::parse("1").unwrap()),
            ..ContactInput::default()
        }),
        line_items: Field::Value((1..=lines).map(line).collect()),
        ..InvoiceInput::default()
    }
}

/// Takes the next position of the sequence.
pub(crate) async fn next_position(tx: &mut dyn InvoicingTx) -> StoreResult<u64> {
    let needs = CreationNeeds { takes_position: true, ..CreationNeeds::default() };
    let start = tx.invoices().begin_creation(&needs).await?;
    Ok(start.position.unwrap())
}

pub(crate) fn invoice(
    scope: &AccountScope,
    number: &str,
    contact: Option<Contact>,
    input: InvoiceInput,
) -> Invoice {
    invoice_at(NOW, scope, number, contact, input)
}

pub(crate) fn invoice_at(
    now: OffsetDateTime,
    scope: &AccountScope,
    number: &str,
    contact: Option<Contact>,
    input: InvoiceInput,
) -> Invoice {
    let today = now.date();
    let policy = InvoicingPolicy::default();
    let new = NewInvoice::check(input, FieldErrors::default(), scope, policy, today).unwrap();
    let context = CreationContext {
        account: scope.id,
        number: InvoiceNumber::parse(number).unwrap(),
        contact,
        pay_token: PayToken::generate(scope.id, &*RANDOM),
        ids: &*IDS,
        now,
        today,
    };
    Invoice::create(new, context)
}

/// Stores invoices in one transaction.
pub(crate) async fn store_invoices(store: &Store, account: AccountId, invoices: &[Invoice]) {
    let mut tx = store.invoicing.begin(account).await.unwrap();
    for invoice in invoices {
        let inserted = tx.invoices().insert(invoice).await.unwrap();
        assert_eq!(inserted, Stored::Done);
    }
    tx.commit().await.unwrap();
}

/// An invoice that is stored.
pub(crate) async fn stored_invoice(
    store: &Store,
    scope: &AccountScope,
    number: &str,
    contact: Option<Contact>,
    input: InvoiceInput,
) -> Invoice {
    let made = invoice(scope, number, contact, input);
    store_invoices(store, scope.id, std::slice::from_ref(&made)).await;
    made
}

pub(crate) fn ticket(key: &str, body: &str) -> Ticket {
    Ticket {
        operation: IdempotentOperation::CREATE_INVOICE,
        key: IdempotencyKey::parse(key).unwrap(),
        fingerprint: Fingerprint::of(body.as_bytes()),
    }
}

/// A ticket with a key of its own.
pub(crate) fn fresh_ticket() -> Ticket {
    ticket(&format!("k{}", fresh()), "{}")
}

pub(crate) fn stored_response(body: &str) -> StoredResponse {
    StoredResponse { status: 201, body: body.as_bytes().to_vec() }
}

/// An audit entry of an action in an account.
pub(crate) fn audit_entry(account: AccountId, action: &str) -> AuditEntry {
    AuditEntry {
        id: id(),
        account,
        at: NOW,
        actor: "ada@example.com".to_owned(),
        address: None,
        action: action.to_owned(),
        before: None,
        after: None,
    }
}

/// Asserts that of the account's audit entries of an action, which concurrent changes wrote, each begins with
/// what the one before it ended with. They are listed by when they were asked for, not by when they were
/// made.
pub(crate) async fn assert_unbroken(
    store: &Store,
    account: AccountId,
    action: &str,
    count: usize,
    first: Option<Value>,
) {
    let mut entries = store.audit.list(account, None, 100).await.unwrap();
    entries.retain(|entry| entry.action == action);
    assert_eq!(entries.len(), count, "{entries:?}");
    let (mut present, all) = (first, format!("{entries:?}"));
    while !entries.is_empty() {
        let next = entries.iter().position(|entry| entry.before == present);
        let next = next.unwrap_or_else(|| panic!("none begins with {present:?}: {all}"));
        present = entries.swap_remove(next).after;
    }
}
