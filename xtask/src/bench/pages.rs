//! The dashboard: its list for accounts of different sizes, its export of all invoices, and the API during
//! sign-ins.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use access::Password;
use anyhow::{Context, bail};
use app::wiring::Dependencies;
use kernel::{AccountId, AccountToken, Id};
use sessions::{Origin, Session};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::case::{Case, in_turns, run_load, run_paced_load};
use super::environment::Environment;
use super::figure::{Figure, Goal, Spread};
use super::process::mebibytes;
use super::requests::growth;
use super::script::{GET_INVOICE, LIST_INVOICES};
use super::tenants::Tenant;
use crate::fixtures::client::{Connection, get, get_signed_in, send_form};
use crate::fixtures::load::{LoadResult, repeat};
use crate::fixtures::service_process::{Service, free_address};

/// How many owners sign in at once.
const SIGN_INS: usize = 50;
const PASSWORD: &str = "a benchmark signs in with this";
/// The pause between two requests of one client during sign-ins, so that processors are partly idle without
/// sign-ins.
const PAUSE: Duration = Duration::from_millis(10);

/// Measures the pages that need a session.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let service = environment.serve().await?;
    let mut figures = Vec::new();
    for (size, tenant) in &environment.tenants.sized {
        let case = Arc::new(list(environment, *size, tenant).await?);
        figures.push(in_turns(environment, &service, &case, 8).await?);
    }
    let kind = environment.database.kind;
    figures.extend(growth(kind, &figures, "the dashboard's list's time"));
    service.stop()?;
    figures.push(beside_sign_ins(environment).await?);
    figures.extend(exports(environment).await?);
    Ok(figures)
}

/// The first page of the dashboard's list of invoices, for an account with `size` invoices.
async fn list(environment: &Environment, size: u32, tenant: &Tenant) -> anyhow::Result<Case> {
    let cookie = session(&environment.database.deps, tenant).await?;
    let (name, script) =
        (format!("GET /dashboard/invoices, of {size}"), LIST_INVOICES.over(tenant.n, tenant.n));
    let tenants = std::slice::from_ref(tenant);
    Ok(Case::new(name, 200, script, None, tenants, move |_, _| get_signed_in("/dashboard/invoices", &cookie)))
}

/// Begins a session of an account's owner; returns its cookie.
async fn session(deps: &Dependencies, tenant: &Tenant) -> anyhow::Result<String> {
    let (account, now) = (AccountId::from_uuid(tenant.id), deps.clock.now());
    let token = AccountToken::generate(account, &*deps.random);
    let session = Session::begin(Id::new(&*deps.ids, now), &token, Origin::unknown(), false, now);
    let mut tx = deps.store.sessions.begin(account).await?;
    tx.logins().insert_session(&session).await?;
    tx.commit().await?;
    Ok(format!("session={}", token.reveal()))
}

/// The ratio of the API's p99 during sign-ins to that without sign-ins.
async fn beside_sign_ins(environment: &Environment) -> anyhow::Result<Figure> {
    // Owners come from different network addresses, which a proxy header names: more than twenty concurrent
    // attempts from one address would have to wait.
    let mut command = environment.database.command();
    command.env("COUNTINGHOUSE_BEHIND_TLS_PROXY", "true");
    let service = environment.database.serve(command, free_address()?).await?;
    let figure = beside(environment, &service).await;
    service.stop()?;
    figure
}

async fn beside(environment: &Environment, service: &Service) -> anyhow::Result<Figure> {
    let owners = Arc::new(choose_passwords(environment).await?);
    let tenants = &environment.tenants.spread;
    let case = Arc::new(Case::new("GET /invoices/{id}", 200, GET_INVOICE, None, tenants, |tenant, _| {
        by_proxy(get(&format!("/invoices/{}", tenant.invoice), &tenant.key), 0)
    }));
    let span = environment.options.span().max(Duration::from_secs(2));
    run_load(service.address, 8, span, &case).await?;
    let paced = async |case| run_paced_load(service.address, 8, (span, PAUSE), case).await;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    let mut signed_in = Vec::new();
    for round in environment.options.rounds() {
        environment.say(&format!("the API beside {SIGN_INS} sign-ins, round {round}"));
        alone.push(paced(&case).await?.percentile(99));
        let both = tokio::try_join!(paced(&case), sign_in(service.address, span, &owners))?;
        beside.push(both.0.percentile(99));
        signed_in.push(both.1.per_second());
    }
    let value = Spread::of_ratios(&beside, &alone).context("there is a round")?;
    let rate = Spread::of(signed_in).unwrap_or_default().median;
    let name = format!("p99 of GET /invoices/{{id}} beside {SIGN_INS} sign-ins at once ({rate:.0} a second)");
    let figure = Figure::plain(environment.database.kind, name, "x", value);
    let latency =
        Spread::of(alone).zip(Spread::of(beside)).map(|(alone, beside)| (alone.median, beside.median));
    Ok(Figure { goal: Some(Goal::Below(2.0)), latency, ..figure })
}

/// Makes owners sign in repeatedly and concurrently.
async fn sign_in(
    address: SocketAddr,
    span: Duration,
    owners: &Arc<Vec<String>>,
) -> anyhow::Result<LoadResult> {
    let next = Arc::new(AtomicU64::new(0));
    let mut clients = Vec::new();
    for _ in 0..SIGN_INS {
        clients.push((Connection::open(address).await?, owners.clone(), next.clone()));
    }
    repeat(clients, span, Duration::ZERO, |(mut connection, owners, next)| async move {
        let n = next.fetch_add(1, Ordering::Relaxed);
        let owner = super::tenants::turn(&owners, n)?;
        let fields = [("email", &**owner), ("password", PASSWORD), ("next", "/dashboard")];
        connection.expect(&by_proxy(send_form("/login", &fields), n), 303).await?;
        Ok((connection, owners, next))
    })
    .await
}

/// The request as a proxy that terminates TLS forwards it, from one of a thousand addresses.
fn by_proxy(request: Vec<u8>, n: u64) -> Vec<u8> {
    let text = String::from_utf8_lossy(&request);
    let (first, rest) = text.split_once("\r\n").unwrap_or((&text, ""));
    let address = format!("10.0.{}.{}", n / 250 % 4, n % 250 + 1);
    format!("{first}\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: {address}\r\n{rest}").into_bytes()
}

/// Gives some owners a password; returns their e-mail addresses.
async fn choose_passwords(environment: &Environment) -> anyhow::Result<Vec<String>> {
    let deps = &environment.database.deps;
    let hash = Password::presented(PASSWORD).hash(&*deps.random)?;
    let mut owners = Vec::new();
    for tenant in environment.tenants.spread.iter().take(SIGN_INS) {
        let mut tx = deps.store.sessions.begin(AccountId::from_uuid(tenant.id)).await?;
        let mut login_record = tx.logins().lock().await?.context("every account has a login")?;
        login_record.login.password = Some(hash.clone());
        tx.logins().update(&login_record.login).await?;
        tx.commit().await?;
        owners.push(login_record.login.email.as_str().to_owned());
    }
    Ok(owners)
}

/// The growth of the service's peak memory by the export of all invoices, for each account but the smallest,
/// in order of size.
async fn exports(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let deps = &environment.database.deps;
    let service = environment.serve().await?;
    let (mut figures, mut before) = (Vec::new(), None);
    for (size, tenant) in &environment.tenants.sized {
        environment.say(&format!("the file of {size} invoices"));
        let bytes = fetch_file(service.address, &session(deps, tenant).await?).await?;
        let (_, most) = service.memory()?;
        if let Some(before) = before.replace(most) {
            let name = format!("memory more, for export.csv of {size} ({} MiB)", bytes >> 20);
            figures.push(mebibytes(environment, &name, most - before, Some(8.0)));
        }
    }
    service.stop()?;
    Ok(figures)
}

/// Downloads the export without keeping it; returns its size in bytes.
async fn fetch_file(address: SocketAddr, cookie: &str) -> anyhow::Result<u64> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&get_signed_in("/dashboard/invoices/export.csv", cookie)).await?;
    let (mut bytes, mut last, mut chunk) = (0_u64, Vec::new(), vec![0; 64 * 1024]);
    // The last chunk of a streamed response is the empty one (RFC 9112, section 7.1).
    while !last.ends_with(b"\r\n0\r\n\r\n") {
        let read = stream.read(&mut chunk).await?;
        if read == 0 {
            bail!("the file broke off after {bytes} bytes");
        }
        let read_now = chunk.get(..read).unwrap_or_default();
        if bytes == 0 && !read_now.starts_with(b"HTTP/1.1 200") {
            bail!("unexpected answer: {}", String::from_utf8_lossy(read_now));
        }
        bytes = bytes.saturating_add(u64::try_from(read)?);
        last.extend_from_slice(read_now);
        last.drain(..last.len().saturating_sub(7));
    }
    Ok(bytes)
}
