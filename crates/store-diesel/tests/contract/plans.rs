//! How the databases find rows among twenty thousand invoices: along an index, and a page without sorting.
//!
//! The statements are the store's own, captured as they are sent.

use std::collections::BTreeSet;
use std::sync::Mutex;

use contacts::{Contact, ContactReference, SearchText};
use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use invoices::{
    Ageing, Invoice, InvoiceData, InvoiceFilter, InvoiceSearch, InvoiceStatus, Payment, PaymentMethod,
    RecordedBy,
};
use kernel::{AccountScope, Cursor, Field, Money, PageSize};
use store_diesel::Store;

use crate::database::{TestDatabase, on_postgres, on_sqlite};
use crate::fixtures::{NOW, contact, email, id, input, invoice, line, tenant};

static CAPTURED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

struct Listener;

impl Instrumentation for Listener {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let text = query.to_string().replace('`', "\"");
            let sql = text.split(" -- binds").next().unwrap_or_default();
            CAPTURED.lock().unwrap().insert(sql.trim().to_owned());
        }
    }
}

/// Captures the statements of connections opened from now on.
pub(crate) fn capture_statements() {
    set_default_instrumentation(|| Some(Box::new(Listener))).unwrap();
}

/// A captured statement that begins like this.
pub(crate) fn captured(beginning: &str) -> String {
    captured_with(beginning, &[])
}

/// A captured statement that begins like this and contains all of these parts.
pub(crate) fn captured_with(beginning: &str, parts: &[&str]) -> String {
    let statements = CAPTURED.lock().unwrap();
    let has_all = |sql: &&String| sql.starts_with(beginning) && parts.iter().all(|part| sql.contains(part));
    let found = statements.iter().find(has_all);
    found.unwrap_or_else(|| panic!("{beginning} {parts:?} in {statements:#?}")).clone()
}

/// The captured statement on a table with exactly these conditions; `mark` is the database's parameter
/// prefix.
fn captured_query(mark: char, table: &str, conditions: &[&str]) -> String {
    let fits = |sql: &&String| {
        let Some((_, rest)) = sql.split_once(&format!(" FROM \"{table}\" WHERE ")) else {
            return false;
        };
        let found = rest.split(" ORDER BY ").next().unwrap_or_default();
        sql.starts_with("SELECT")
            && sql.contains(mark)
            && found.matches(&format!("\"{table}\".")).count() == conditions.len()
            && conditions.iter().all(|condition| found.contains(condition))
            && !found.contains(" UNION ALL ")
    };
    let statements = CAPTURED.lock().unwrap();
    let found = statements.iter().find(fits);
    found.unwrap_or_else(|| panic!("{table} {conditions:?} in {statements:#?}")).clone()
}

const ACCOUNT: &str = "\"account_id\" = ";
const BEFORE: &str = "\"id\" < ";
const STATUS: &str = "\"status\" = ";
const CONTACT: &str = "\"contact_id\" = ";
const DATE: &str = "\"invoice_date\" >= ";
/// A contact by any of three values, each arm with its account.
const REFERENCE: [&str; 6] =
    [ACCOUNT, "\"id\" = ", ACCOUNT, "\"external_id\" = ", ACCOUNT, "\"email_key\" = "];

/// The captured search of invoices that few contacts match.
fn captured_search(mark: char) -> String {
    captured_with("SELECT \"invoices\"", &[&format!("\"reference\" = {mark}"), " UNION ALL "])
}

struct Loaded {
    scope: AccountScope,
    contact: Contact,
}

/// Stores ten thousand invoices of one account among as many of another, and sends every statement once.
async fn load_and_ask(db: &TestDatabase) -> Loaded {
    capture_statements();
    let store = db.another_process().await;
    let (scope, other) = (tenant(&store).await, tenant(&store).await);
    let mut contact = None;
    for account in [&other, &scope] {
        contact = Some(load(&store, account).await);
    }
    db.execute("ANALYZE").await;
    let contact = contact.unwrap();
    let all = InvoiceFilter::default;
    let after = Some(Cursor { after: id::<kernel::scope::AccountEntity>().uuid() });
    for filter in [
        all(),
        InvoiceFilter { statuses: vec![InvoiceStatus::Draft], ..all() },
        InvoiceFilter { contact: Some(contact.id), ..all() },
        InvoiceFilter { date_from: Some(NOW.date()), ..all() },
    ] {
        let size = PageSize::DEFAULT;
        let page = store.invoice_reads.list(scope.id, &filter, size, after).await.unwrap();
        assert_eq!((page.items.len(), page.next.is_some()), (25, true));
    }
    let reference = ContactReference {
        id: Some(contact.id),
        email: Some(email("a@example.com")),
        external_id: Some(line("x")),
        ..ContactReference::default()
    };
    let mut tx = store.invoicing.begin(scope.id).await.unwrap();
    assert_eq!(tx.contacts().matching(&reference).await.unwrap().len(), 1);
    assert_eq!(tx.numbers().count_created_since(NOW).await.unwrap(), 10_000);
    search_and_sum_up(&store, &scope, &contact).await;
    Loaded { scope, contact }
}

/// Sends the statements of the dashboard's lists and figures.
async fn search_and_sum_up(store: &Store, scope: &AccountScope, contact: &Contact) {
    let first_word = SearchText::parse(contact.email.as_ref().unwrap().as_str());
    let found =
        store.contact_reads.list(scope.id, first_word.as_ref(), PageSize::DEFAULT, None).await.unwrap();
    assert_eq!(found.items.len(), 1);
    let search = InvoiceSearch::parse(contact.email.as_ref().unwrap().as_str(), scope);
    let filter = InvoiceFilter { search, ..InvoiceFilter::default() };
    let found = store.invoice_reads.summaries(scope.id, &filter, PageSize::DEFAULT, None).await.unwrap();
    assert_eq!(found.items.len(), 25);
    let due_dates = Ageing::first_due_dates(NOW.date());
    let owed = store.overview.owed(scope.id, due_dates, NOW).await.unwrap();
    assert_eq!(owed.len(), 1);
    assert_eq!(store.overview.latest_payments(scope.id, 5).await.unwrap().len(), 5);
    assert!(store.timelines.timeline(scope.id, id()).await.unwrap().is_empty());
}

async fn load(store: &Store, scope: &AccountScope) -> Contact {
    let contacts: Vec<Contact> = (0..1_000).map(|_| contact(scope.id)).collect();
    store.bulk.contacts(&contacts).await.unwrap();
    let invoices: Vec<Invoice> = (0..10_000)
        .map(|n| {
            // Spreads the invoices of each contact over time.
            let contact = contacts[(n * 7) % 250].clone();
            let mut input = input(2);
            input.is_draft = Field::Value(n % 10 == 0);
            let raised = invoice(scope, &format!("N{n}"), Some(contact), input);
            if n % 3 == 0 { paid_in_part(&raised) } else { raised }
        })
        .collect();
    for batch in invoices.chunks(5_000) {
        store.bulk.invoices(batch).await.unwrap();
    }
    contacts[0].clone()
}

fn paid_in_part(invoice: &Invoice) -> Invoice {
    let payment = Payment {
        id: id(),
        amount: Money::new(1, invoice.currency),
        received_at: NOW,
        method: PaymentMethod::Cash,
        reference: None,
        recorded_by: RecordedBy::Operator,
    };
    Invoice::from_stored(InvoiceData {
        amount_paid: payment.amount,
        payments: vec![payment],
        ..(**invoice).clone()
    })
}

#[derive(QueryableByName)]
struct Plan {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

pub(crate) async fn explain_on_postgres(url: &str, sql: &str, values: &str) -> String {
    let mut connection = AsyncPgConnection::establish(url).await.unwrap();
    let prepare = format!("PREPARE it AS {sql}");
    connection.batch_execute(&prepare).await.unwrap();
    let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE it({values})");
    let plan = diesel_async::RunQueryDsl::load::<Plan>(diesel::sql_query(explain), &mut connection);
    let lines: Vec<String> = plan.await.unwrap().into_iter().map(|plan| plan.line).collect();
    lines.join("\n")
}

#[test]
fn postgres_walks_along_an_index() {
    on_postgres(async |db| {
        let Loaded { scope, contact } = load_and_ask(db).await;
        let account = format!("'{}'", scope.id);
        let last = "'ffffffff-ffff-ffff-ffff-ffffffffffff'";
        let contact = contact.id;
        for (table, conditions, values) in [
            ("invoices", vec![ACCOUNT, BEFORE], format!("{account}, {last}, 26")),
            ("invoices", vec![ACCOUNT, STATUS, BEFORE], format!("{account}, 'DRAFT', {last}, 26")),
            ("invoices", vec![ACCOUNT, CONTACT, BEFORE], format!("{account}, '{contact}', {last}, 26")),
            ("invoices", vec![ACCOUNT, DATE, BEFORE], format!("{account}, '2000-01-01', {last}, 26")),
            (
                "contacts",
                REFERENCE.to_vec(),
                format!("{account}, '{contact}', {account}, 'x', {account}, 'a@example.com'"),
            ),
        ] {
            let sql = captured_query('$', table, &conditions);
            let plan = explain_on_postgres(&db.url, &sql, &values).await;
            println!("{table} by {conditions:?}:\n{plan}\n");
            assert!(plan.contains("Index"), "{plan}");
            assert!(!plan.contains("Seq Scan"), "{plan}");
            // Sorting the few lines and payments of one invoice is allowed.
            let (page, rest) = plan.split_once("SubPlan").unwrap_or((&plan, ""));
            assert!(!page.contains("Sort"), "{plan}");
            let whole = rest.contains("on line_items") && rest.contains("on payments");
            assert!(whole || table != "invoices", "{plan}");
        }
    });
}

#[test]
fn postgres_reads_searches_and_figures_along_indexes() {
    on_postgres(async |db| {
        let Loaded { scope, contact } = load_and_ask(db).await;
        let (account, due) = (format!("'{}'", scope.id), "'2026-01-01'");
        let address = contact.email.as_ref().unwrap().as_str().to_lowercase();
        let id = contact.id;
        for (beginning, index, values) in [
            (
                "SELECT currency, age",
                "invoices_open",
                format!("{due}, {due}, {due}, {due}, {account}, 'now'"),
            ),
            ("SELECT p.id AS payment_id", "payments_by_time", format!("{account}, 5")),
        ] {
            let plan = explain_on_postgres(&db.url, &captured(beginning), &values).await;
            println!("{beginning}:\n{plan}\n");
            assert!(plan.contains(index), "{plan}");
            assert!(!plan.contains("Seq Scan on invoices"), "{plan}");
        }
        let words = captured_with_mark('$', &["\"contact_words\"", "\"contacts\".\"name\""]);
        let values = format!("{account}, {account}, '{address}', '{address}~', 26");
        let plan = explain_on_postgres(&db.url, &words, &values).await;
        assert!(plan.contains("contact_words_by_word") && !plan.contains("Seq Scan"), "{plan}");
        let search = captured_search('$');
        let values =
            format!("{account}, {account}, ARRAY['x'], {account}, 'x', {account}, ARRAY['{id}']::uuid[], 26");
        let plan = explain_on_postgres(&db.url, &search, &values).await;
        println!("search:\n{plan}\n");
        assert!(plan.contains("invoices_by_contact") && !plan.contains("Seq Scan"), "{plan}");
    });
}

/// A captured statement that contains all of these parts.
fn captured_with_mark(mark: char, parts: &[&str]) -> String {
    let statements = CAPTURED.lock().unwrap();
    let fits = |sql: &&String| sql.contains(mark) && parts.iter().all(|part| sql.contains(part));
    statements.iter().find(fits).unwrap_or_else(|| panic!("{parts:?} in {statements:#?}")).clone()
}

#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = Text)]
    detail: String,
}

pub(crate) fn explain_on_sqlite(db: &TestDatabase, sql: &str) -> String {
    let path = db.url.strip_prefix("sqlite://").unwrap();
    let mut connection = SqliteConnection::establish(path).unwrap();
    let explain = format!("EXPLAIN QUERY PLAN {sql}");
    let steps = diesel::sql_query(explain).load::<Step>(&mut connection);
    let steps: Vec<String> = steps.unwrap().into_iter().map(|step| step.detail).collect();
    steps.join("\n")
}

#[test]
fn sqlite_walks_along_an_index() {
    on_sqlite(async |db| {
        load_and_ask(db).await;
        for (table, conditions) in [
            ("invoices", vec![ACCOUNT, BEFORE]),
            ("invoices", vec![ACCOUNT, STATUS, BEFORE]),
            ("invoices", vec![ACCOUNT, CONTACT, BEFORE]),
            ("invoices", vec![ACCOUNT, DATE, BEFORE]),
            ("line_items", vec![ACCOUNT, "\"invoice_id\" IN"]),
            ("payments", vec![ACCOUNT, "\"invoice_id\" IN"]),
            ("contacts", REFERENCE.to_vec()),
        ] {
            let plan = explain_on_sqlite(db, &captured_query('?', table, &conditions));
            println!("{table} by {conditions:?}:\n{plan}\n");
            assert!(plan.contains("USING INDEX") || plan.contains("USING PRIMARY KEY"), "{plan}");
            assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{plan}");
        }
    });
}

#[test]
fn sqlite_reads_searches_and_figures_along_indexes() {
    on_sqlite(async |db| {
        load_and_ask(db).await;
        let path = db.url.strip_prefix("sqlite://").unwrap();
        let mut connection = SqliteConnection::establish(path).unwrap();
        for (sql, index) in [
            (captured("SELECT currency, age"), "COVERING INDEX invoices_open"),
            (captured("SELECT p.id AS payment_id"), "payments_by_time"),
            (captured("SELECT happened_at"), "jobs_by_resource"),
            (
                captured_with_mark('?', &["\"contact_words\"", "\"contacts\".\"name\""]),
                "contact_words_by_word",
            ),
            (captured_search('?'), "invoices_by_contact"),
        ] {
            let steps = diesel::sql_query(format!("EXPLAIN QUERY PLAN {sql}")).load::<Step>(&mut connection);
            let steps: Vec<String> = steps.unwrap().into_iter().map(|step| step.detail).collect();
            let plan = steps.join("\n");
            println!("{sql}:\n{plan}\n");
            assert!(plan.contains(index), "{plan}");
            assert!(!plan.contains("SCAN invoices") && !plan.contains("SCAN contacts"), "{plan}");
        }
    });
}

/// The service gathers no statistics.
#[test]
fn sqlite_searches_invoices_along_indexes_without_statistics() {
    on_sqlite(async |db| {
        load_and_ask(db).await;
        db.execute("DELETE FROM sqlite_stat1").await;
        let plan = explain_on_sqlite(db, &captured_search('?'));
        println!("{plan}\n");
        for part in [
            "(account_id=? AND id=?)",
            "(account_id=? AND number=?)",
            "invoices_by_reference (account_id=? AND reference=?)",
            "invoices_by_contact (account_id=? AND contact_id=?)",
        ] {
            assert!(plan.contains(part), "{part}: {plan}");
        }
        assert!(!plan.contains("(account_id=?)") && !plan.contains("TEMP B-TREE"), "{plan}");
    });
}

#[test]
fn sqlite_reads_the_online_payments_of_an_invoice_along_indexes_without_statistics() {
    on_sqlite(async |db| {
        capture_statements();
        let store = db.another_process().await;
        let scope = tenant(&store).await;
        store.online_reads.of_invoice(scope.id, id()).await.unwrap();
        for (table, part) in [
            ("charges", "LEFT OUTER JOIN \"charge_reversals\""),
            ("payment_intents", "\"payment_intents\".\"state\" = ?"),
        ] {
            let of_invoice = format!("\"{table}\".\"invoice_id\" = ?");
            let plan = explain_on_sqlite(db, &captured_with("SELECT", &[part, &of_invoice]));
            assert!(plan.contains(&format!("{table}_of_invoice")), "{plan}");
        }
    });
}
