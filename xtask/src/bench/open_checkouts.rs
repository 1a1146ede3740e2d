//! The processor time that open checkouts cost the worker, which queries the gateway for each in every round.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use app::wiring::Dependencies;
use invoices::InvoiceId;
use kernel::{AccountId, PublicUrls, SystemClock};
use payments::{CheckoutRequest, GatewayKind, GatewaySecret, GatewaySecrets, OnlinePayments};
use tokio::time::Instant;

use super::environment::Environment;
use super::figure::{Figure, Goal, Spread};
use super::tenants::turn;
use crate::fixtures::service_process::{Service, free_address};
use crate::fixtures::stripe::{KEY, StandIn};

pub(super) const NAME: &str = "processor time of a round with 1000 open checkouts";
const CHECKOUTS: usize = 1_000;
/// How many accounts the checkouts belong to.
const ACCOUNTS: u64 = 100;
/// The interval of rounds: shorter than the default of a minute, since every round does the same.
const INTERVAL: Duration = Duration::from_secs(10);
/// A round that takes longer fails the measurement.
const ROUND_WITHIN: Duration = Duration::from_secs(60);
/// How long to wait for the work after the last response of a round.
const REST: Duration = Duration::from_secs(1);
const LOOK_EACH: Duration = Duration::from_millis(50);

/// Measures the processor time of a round. By default there is one in each minute.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Figure> {
    let stripe = StandIn::start(Arc::new(SystemClock)).await;
    environment.say("opening checkouts");
    open(environment, &stripe).await?;
    let mut command = environment.database.command();
    command
        .env("COUNTINGHOUSE_STRIPE_URL", stripe.url())
        .env("COUNTINGHOUSE_WORKER_INTERVAL", format!("{}s", INTERVAL.as_secs()));
    let mut asked = asked(&stripe).saturating_add(CHECKOUTS);
    let service = environment.database.serve(command, free_address()?).await?;
    // The first round is during the start of the service.
    let mut before = after_round(&service, &stripe, asked).await?;
    let mut seconds = Vec::new();
    for round in environment.options.rounds() {
        environment.say(&format!("{NAME}, round {round}"));
        asked = asked.saturating_add(CHECKOUTS);
        let after = after_round(&service, &stripe, asked).await?;
        seconds.push(after - before);
        before = after;
    }
    service.stop()?;
    if let Some(fault) = stripe.faults().first() {
        bail!("the gateway was asked wrongly: {fault}");
    }
    environment.sql("DELETE FROM payment_intents; DELETE FROM gateway_accounts; DELETE FROM jobs;")?;
    let value = Spread::of(seconds).unwrap_or_default();
    let figure = Figure::plain(environment.database.kind, NAME, "s", value);
    Ok(Figure { goal: Some(Goal::Below(1.0)), ..figure })
}

/// The processor time that the service has used when it has queried this number of checkouts.
async fn after_round(service: &Service, stripe: &StandIn, count: usize) -> anyhow::Result<f64> {
    let begun = Instant::now();
    while asked(stripe) < count {
        if begun.elapsed() > ROUND_WITHIN {
            bail!("{} of {count} checkouts were asked for", asked(stripe));
        }
        tokio::time::sleep(LOOK_EACH).await;
    }
    tokio::time::sleep(REST).await;
    service.cpu_seconds()
}

/// How often a checkout was queried.
fn asked(stripe: &StandIn) -> usize {
    stripe.calls().iter().filter(|call| call.starts_with("GET /v1/checkout/sessions/")).count()
}

/// Opens checkouts as payers do.
async fn open(environment: &Environment, stripe: &StandIn) -> anyhow::Result<()> {
    let mut settings = environment.database.own_settings()?;
    settings.stripe_url = Some(stripe.url());
    let deps = Dependencies { settings: Arc::new(settings), ..environment.database.deps.clone() };
    let keys = deps.master_key().await?.sealing_keys();
    let urls = PublicUrls::new("http://127.0.0.1");
    let payments = deps.online_payments(&urls, Arc::new(keys))?;
    let spread = &environment.tenants.spread;
    let mut accounts = Vec::new();
    for n in 0..ACCOUNTS {
        let account = AccountId::from_uuid(turn(spread, n)?.id);
        let key = Some(GatewaySecret::parse(KEY)?);
        let secrets = GatewaySecrets { key, webhook_secret: None };
        payments.connect(account, GatewayKind::Stripe, &secrets).await?;
        accounts.push(account);
    }
    let open = &environment.tenants.open;
    let invoices: Vec<_> =
        open.iter().filter(|(account, _)| accounts.contains(account)).take(CHECKOUTS).collect();
    if invoices.len() < CHECKOUTS {
        bail!("there are {} open invoices", invoices.len());
    }
    for (account, invoice) in invoices {
        check_out(environment, &payments, *account, *invoice).await?;
    }
    Ok(())
}

async fn check_out(
    environment: &Environment,
    payments: &OnlinePayments,
    account: AccountId,
    id: InvoiceId,
) -> anyhow::Result<()> {
    let invoice = environment.database.deps.store.invoice_reads.get(account, id).await?;
    let token = invoice.context("an invoice is gone")?.pay_token.clone();
    let request = CheckoutRequest { invoice: id, token, amount: None, most: None };
    payments.check_out(account, &request).await?;
    Ok(())
}
