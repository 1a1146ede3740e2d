//! The kinds of requests that are measured.

use std::sync::Arc;

use access::{ApiKey, KeySpace};
use anyhow::Context as _;

use super::case::{Case, in_turns, quotient_in_turns};
use super::environment::Environment;
use super::figure::{Figure, Goal, Spread};
use super::open_checkouts;
use super::payments;
use super::script::{
    CREATE_INVOICE, CREATE_INVOICE_NEW_CONTACT, GET_INVOICE, LIST_INVOICES, LOOK_UP_ACCOUNT, REUSE_CONTACT,
    Script, UNKNOWN_KEY,
};
use super::settle;
use super::tenants::{CONTACT, Tenant, scattered, turn};
use crate::fixtures::client::{get, get_page, write};
use crate::fixtures::database::DatabaseKind;
use crate::fixtures::mail_server::MailServer;

pub(super) const CREATED: &str = "POST /invoices";
const SENT: &str = "POST /invoices, sent";
pub(super) const READ: &str = "GET /invoices/{id}";
const PAYMENT_PAGE: &str = "GET /pay/{token}";

/// Measures every kind of request, with each number of connections.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let (options, kind) = (&environment.options, environment.database.kind);
    // This server accepts all mail.
    let mail = MailServer::start().await?;
    let service = environment.serve_with(&mail).await?;
    let mut figures = Vec::new();
    let cases = cases(environment)?;
    for case in cases.iter().filter(|case| options.wants_case(&case.name)) {
        for connections in &options.connections {
            figures.push(in_turns(environment, &service, case, *connections).await?);
            remove_waiting_mail(environment)?;
        }
    }
    figures.extend(growth(kind, &figures, "a list's time"));
    let named = |name| cases.iter().find(|case| case.name == name).context(name);
    for (one, other, goal) in [(SENT, CREATED, 0.75), (PAYMENT_PAGE, READ, 0.5)] {
        if options.wants_case(one) && options.connections.contains(&8) {
            let pair = (named(one)?, named(other)?);
            let ratio =
                quotient_in_turns(environment, &service, pair, || remove_waiting_mail(environment)).await?;
            let figure = Figure::plain(kind, format!("{one}, to {other}"), "x", ratio);
            figures.push(Figure { goal: Some(Goal::AtLeast(goal)), ..figure });
        }
    }
    if options.wants_case(payments::NAME) {
        for connections in &options.connections {
            figures.push(payments::measure(environment, *connections).await?);
        }
    }
    service.stop()?;
    if options.wants_case(open_checkouts::NAME) {
        figures.push(open_checkouts::measure(environment).await?);
    }
    // The service would send its mails meanwhile.
    if options.wants_case(settle::NAME) {
        figures.extend(settle::measure(environment).await?);
    }
    Ok(figures)
}

/// Mails that still wait would be rendered during the next measurement.
fn remove_waiting_mail(environment: &Environment) -> anyhow::Result<()> {
    environment.sql("DELETE FROM jobs;")
}

/// Every kind of request, with its goal for the ratio to the floor.
pub(super) fn cases(environment: &Environment) -> anyhow::Result<Vec<Arc<Case>>> {
    let spread = &environment.tenants.spread;
    let tenants = (0..).zip(spread).map(|(n, _)| turn(spread, scattered(n)).cloned());
    let tenants = tenants.collect::<anyhow::Result<Vec<Tenant>>>()?;
    let mut cases = reads(environment, &tenants);
    cases.extend(creations(environment.database.kind, &tenants));
    let reuse =
        Case::new("POST /contacts, one that is there", 200, REUSE_CONTACT, None, &tenants, |tenant, _| {
            let body = format!(r#"{{"name":"Grace Hopper","email":"{CONTACT}"}}"#);
            write("POST", "/contacts", &tenant.key, None, &body)
        });
    let key = environment.tenants.partner_key.clone();
    let name = "GET /partner/accounts, one by external_id";
    let look_up = Case::new(name, 200, LOOK_UP_ACCOUNT, None, &tenants, move |tenant, _| {
        get(&format!("/partner/accounts?external_id={}", tenant.external_id), &key)
    });
    // A key with valid form and checksum, so that it costs a look-up.
    let key = ApiKey::generate(KeySpace::Account, &*environment.database.deps.random);
    let unknown = Case::new("an unknown API key", 401, UNKNOWN_KEY, None, &tenants, move |_, _| {
        get("/invoices", key.reveal())
    });
    // The service renders mails while it is measured. The floor is that of creations without mail.
    let sent = creation(SENT, CREATE_INVOICE, None, &tenants, |tenant, n| {
        let fields = format!(r#""contact":{{"email":"{CONTACT}"}},"send_invoice":true"#);
        (format!("sent-{}-{n}", tenant.n), fields)
    });
    cases.extend([reuse, look_up, unknown, sent]);
    Ok(cases.into_iter().map(Arc::new).collect())
}

fn reads(environment: &Environment, tenants: &[Tenant]) -> Vec<Case> {
    // The floor of the embedded database is a loop without HTTP, and HTTP costs more than a read.
    let goal = |postgres, sqlite| match environment.database.kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => Some(postgres),
        DatabaseKind::Sqlite => Some(sqlite),
    };
    let get_invoice = Case::new(READ, 200, GET_INVOICE, goal(0.7, 0.4), tenants, |tenant, _| {
        get(&format!("/invoices/{}", tenant.invoice), &tenant.key)
    });
    let lists = environment.tenants.sized.iter().map(|(size, tenant)| {
        let (name, script) = (format!("GET /invoices, 25 of {size}"), LIST_INVOICES.over(tenant.n, tenant.n));
        Case::new(name, 200, script, goal(0.5, 0.3), std::slice::from_ref(tenant), |tenant, _| {
            get("/invoices?limit=25", &tenant.key)
        })
    });
    std::iter::once(get_invoice).chain([payment_page(tenants)]).chain(lists).collect()
}

/// Payment pages as a browser requests them. The floor is that of reading the same invoice by its id.
fn payment_page(tenants: &[Tenant]) -> Case {
    let with_page: Vec<Tenant> =
        tenants.iter().filter(|tenant| tenant.pay_token.is_some()).cloned().collect();
    Case::new(PAYMENT_PAGE, 200, GET_INVOICE, None, &with_page, |tenant, _| {
        get_page(&format!("/pay/{}", tenant.pay_token.as_deref().unwrap_or_default()))
    })
}

fn creations(kind: DatabaseKind, tenants: &[Tenant]) -> [Case; 3] {
    let is_postgres = kind == DatabaseKind::Postgres;
    let goal = Some(if is_postgres { 0.75 } else { 0.6 });
    let known =
        |tenant: &Tenant, n| (format!("{}-{n}", tenant.n), format!(r#""contact":{{"email":"{CONTACT}"}}"#));
    let new = |_: &Tenant, n| {
        let contact = format!(r#""contact":{{"name":"Grace Hopper","email":"grace-{n}@example.com"}}"#);
        (format!("new-{n}"), contact)
    };
    let (one, one_script) = (tenants.get(..1).unwrap_or_default(), CREATE_INVOICE.over(1, 1));
    [
        creation(CREATED, CREATE_INVOICE, goal, tenants, known),
        creation("POST /invoices, all on one account", one_script, is_postgres.then_some(0.8), one, known),
        creation("POST /invoices, new contact", CREATE_INVOICE_NEW_CONTACT, None, tenants, new),
    ]
}

const LINES: &str = r#""line_items":[{"description":"Analytical engine, rent","quantity":3,"unit_amount":25.06,"tax_rate":15},{"description":"Punched cards","quantity":100,"unit_amount":0.25,"tax_rate":15},{"description":"Discount","unit_amount":-5,"tax_rate":15}]"#;

/// Creations of invoices; the function makes the idempotency key and all fields except the line items.
fn creation(
    name: &str,
    script: Script,
    goal: Option<f64>,
    tenants: &[Tenant],
    parts: impl Fn(&Tenant, u64) -> (String, String) + Send + Sync + 'static,
) -> Case {
    Case::new(name, 201, script, goal, tenants, move |tenant, n| {
        let (key, fields) = parts(tenant, n);
        write("POST", "/invoices", &tenant.key, Some(&key), &format!("{{{fields},{LINES}}}"))
    })
}

/// The ratio of the time of a list in the largest account to that in the smallest, with eight connections.
pub(super) fn growth(kind: DatabaseKind, figures: &[Figure], name: &str) -> Option<Figure> {
    let mut lists = with_eight(figures).filter(|figure| figure.name.contains(" of "));
    let (small, large) = (lists.next()?, lists.next_back()?);
    let size = |figure: &Figure| figure.name.rsplit(' ').next().unwrap_or_default().to_owned();
    let name = format!("{name}, of {} to of {}", size(large), size(small));
    let figure = Figure::plain(kind, name, "x", Spread::quotient(small.value, large.value));
    Some(Figure { goal: Some(Goal::Below(1.15)), ..figure })
}

fn with_eight(figures: &[Figure]) -> impl DoubleEndedIterator<Item = &Figure> {
    figures.iter().filter(|figure| figure.connections == Some(8))
}
