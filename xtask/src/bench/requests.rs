//! The kinds of requests that are measured.

use std::sync::Arc;

use access::{ApiKey, KeySpace};
use indicatif::ProgressBar;

use super::case::Case;
use super::environment::Environment;
use super::figure::{Figure, Goal};
use super::floor::{
    CREATE_INVOICE, CREATE_INVOICE_NEW_CONTACT, GET_INVOICE, LIST_INVOICES, LOOK_UP_ACCOUNT, REUSE_CONTACT,
    UNKNOWN_KEY,
};
use super::options::Options;
use super::payments;
use super::tenants::Tenant;
use crate::fixtures::database_kind::Kind;
use crate::fixtures::request::{get, post};

const CREATED: &str = "POST /invoices";
const SENT: &str = "POST /invoices, sent";

/// Measures every kind, with each number of connections.
pub(super) async fn measure(
    environment: &Environment,
    options: &Options,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Figure>> {
    let service = environment.serve().await?;
    let mut figures = Vec::new();
    for case in cases(environment)? {
        if !options.wants_case(&case.name) {
            continue;
        }
        for connections in &options.connections {
            let figure =
                super::measure::in_turns(environment, &service, &case, *connections, options, progress)
                    .await?;
            figures.push(figure);
            if case.name == SENT {
                // What still waits would be rendered beside the next measurement.
                environment.sql("DELETE FROM jobs;")?;
            }
        }
    }
    figures.extend(growth(environment.kind, &figures));
    figures.extend(sent_ratio(environment.kind, &figures));
    if options.wants_case(payments::NAME) {
        for connections in &options.connections {
            figures.push(payments::measure(environment, *connections, options, progress).await?);
        }
    }
    service.stop()?;
    Ok(figures)
}

pub(super) fn cases(environment: &Environment) -> anyhow::Result<Vec<Arc<Case>>> {
    // The floor of the embedded database is a loop without HTTP, which costs more than a read.
    let aims = |case: Case, postgres: f64, sqlite: Option<f64>| {
        let ratio = match environment.kind {
            Kind::Postgres => Some(postgres),
            Kind::Sqlite => sqlite,
        };
        match ratio {
            Some(ratio) => case.with_goal(8, Goal::Ratio(ratio)),
            None => case,
        }
    };
    let mut cases = vec![aims(get_invoice(environment), 0.7, Some(0.4))];
    for (size, tenant) in &environment.tenants.sized {
        cases.push(aims(list(*size, tenant), 0.5, Some(0.3)));
    }
    let mut hot = create(environment, "POST /invoices, all on one account", false);
    hot.script = hot.script.over(1, 1);
    cases.extend([
        aims(create(environment, CREATED, true), 0.75, Some(0.6)),
        aims(hot, 0.8, None),
        create_with_new_contact(environment),
        reuse_contact(environment),
        look_up_account(environment),
        unknown_key(environment)?,
        create_and_send(environment),
    ]);
    Ok(cases.into_iter().map(Arc::new).collect())
}

fn get_invoice(environment: &Environment) -> Case {
    let requests: Vec<Vec<u8>> = (0..environment.tenants.spread.len())
        .filter_map(|n| environment.tenants.of_request(u64::try_from(n).ok()?))
        .map(|tenant| get(&format!("/invoices/{}", tenant.invoice), &tenant.key))
        .collect();
    Case::new("GET /invoices/{id}", 200, GET_INVOICE, in_rotation(requests))
}

fn list(size: u32, tenant: &Tenant) -> Case {
    let name = format!("GET /invoices, 25 of {size}");
    let requests = vec![get("/invoices?limit=25", &tenant.key)];
    Case::new(name, 200, LIST_INVOICES.over(tenant.n, tenant.n), in_rotation(requests))
}

const LINES: &str = r#""line_items":[{"description":"Analytical engine, rent","quantity":3,"unit_amount":25.06,"tax_rate":15},{"description":"Punched cards","quantity":100,"unit_amount":0.25,"tax_rate":15},{"description":"Discount","unit_amount":-5,"tax_rate":15}]"#;

fn create(environment: &Environment, name: &str, spread: bool) -> Case {
    let tenants: Vec<Tenant> = in_order(environment, spread);
    let write = move |n: u64, request: &mut Vec<u8>| {
        let Some(tenant) = turn(&tenants, n) else {
            return;
        };
        let body = format!(r#"{{"contact":{{"email":"{}"}},{LINES}}}"#, tenant.contact);
        post(request, "/invoices", &tenant.key, Some(&format!("{}-{n}", tenant.n)), &body);
    };
    Case::new(name, 201, CREATE_INVOICE, Box::new(write))
}

/// The mails of these are rendered by the service while it is measured. The floor is that of creations
/// without mail.
fn create_and_send(environment: &Environment) -> Case {
    let tenants = in_order(environment, true);
    let write = move |n: u64, request: &mut Vec<u8>| {
        let Some(tenant) = turn(&tenants, n) else {
            return;
        };
        let contact = &tenant.contact;
        let body = format!(r#"{{"contact":{{"email":"{contact}"}},"send_invoice":true,{LINES}}}"#);
        let key = format!("sent-{}-{n}", tenant.n);
        post(request, "/invoices", &tenant.key, Some(&key), &body);
    };
    Case::new(SENT, 201, CREATE_INVOICE, Box::new(write))
}

fn create_with_new_contact(environment: &Environment) -> Case {
    let tenants = in_order(environment, true);
    let write = move |n: u64, request: &mut Vec<u8>| {
        let Some(tenant) = turn(&tenants, n) else {
            return;
        };
        let body =
            format!(r#"{{"contact":{{"name":"Grace Hopper","email":"grace-{n}@example.com"}},{LINES}}}"#);
        post(request, "/invoices", &tenant.key, Some(&format!("new-{n}")), &body);
    };
    Case::new("POST /invoices, new contact", 201, CREATE_INVOICE_NEW_CONTACT, Box::new(write))
}

fn reuse_contact(environment: &Environment) -> Case {
    let tenants = in_order(environment, true);
    let write = move |n: u64, request: &mut Vec<u8>| {
        let Some(tenant) = turn(&tenants, n) else {
            return;
        };
        let body = format!(r#"{{"name":"Grace Hopper","email":"{}"}}"#, tenant.contact);
        post(request, "/contacts", &tenant.key, None, &body);
    };
    Case::new("POST /contacts, one that is there", 200, REUSE_CONTACT, Box::new(write))
}

fn look_up_account(environment: &Environment) -> Case {
    let key = &environment.tenants.partner_key;
    let tenants = in_order(environment, true);
    let requests = tenants
        .iter()
        .map(|tenant| get(&format!("/partner/accounts?external_id={}", tenant.external_id), key));
    Case::new(
        "GET /partner/accounts, one by external_id",
        200,
        LOOK_UP_ACCOUNT,
        in_rotation(requests.collect()),
    )
}

fn unknown_key(environment: &Environment) -> anyhow::Result<Case> {
    // Right in form and checksum: such a key costs a look-up.
    let key = ApiKey::generate(KeySpace::Account, &*environment.deps.random)?;
    let requests = vec![get("/invoices", key.reveal())];
    Ok(Case::new("a key that nobody has", 401, UNKNOWN_KEY, in_rotation(requests)))
}

/// The accounts in the order in which requests take turns, or the first alone.
fn in_order(environment: &Environment, spread: bool) -> Vec<Tenant> {
    let count = if spread { environment.tenants.spread.len() } else { 1 };
    let numbers = (0..count).filter_map(|n| u64::try_from(n).ok());
    numbers.filter_map(|n| environment.tenants.of_request(n)).cloned().collect()
}

fn turn<T>(of: &[T], n: u64) -> Option<&T> {
    let count = u64::try_from(of.len()).ok()?;
    of.get(usize::try_from(n.checked_rem(count)?).ok()?)
}

fn in_rotation(requests: Vec<Vec<u8>>) -> super::case::Write {
    Box::new(move |n, request| {
        if let Some(next) = turn(&requests, n) {
            request.extend_from_slice(next);
        }
    })
}

/// Creations with `send_invoice` for each one without, with eight connections.
fn sent_ratio(kind: Kind, figures: &[Figure]) -> Option<Figure> {
    let of = |name: &str| {
        let mut named = figures.iter().filter(|figure| figure.name == name);
        named.find(|figure| figure.connections == Some(8))
    };
    let (sent, created) = (of(SENT)?.value, of(CREATED)?.value);
    let ratio = super::figure::Spread {
        median: sent.median / created.median,
        least: sent.least / created.most,
        most: sent.most / created.least,
    };
    let figure = Figure::plain(kind, format!("{SENT}, to {CREATED}"), "x", ratio);
    Some(figure.with_goal(Goal::AtLeast(0.75)))
}

/// How much longer a list takes in the largest account than in the smallest, with eight connections.
fn growth(kind: Kind, figures: &[Figure]) -> Option<Figure> {
    let mut lists =
        figures.iter().filter(|figure| figure.connections == Some(8) && figure.name.contains(", 25 of "));
    let (small, large) = (lists.next()?, lists.next_back()?);
    let ratio = super::figure::Spread {
        median: small.value.median / large.value.median,
        least: small.value.least / large.value.most,
        most: small.value.most / large.value.least,
    };
    let of = |figure: &Figure| figure.name.rsplit(' ').next().unwrap_or_default().to_owned();
    let name = format!("a list's time, of {} to of {}", of(large), of(small));
    let figure = Figure::plain(kind, name, "x", ratio);
    Some(figure.with_goal(Goal::Below(1.15)))
}
