//! Webhooks: throughput of deliveries, latency from commit to receipt, and the effect of hanging receivers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use app::wiring::Dependencies;
use kernel::PublicUrls;
use store_diesel::Announce;
use uuid::Uuid;

use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::receiver::Receiver;
use super::{payments, pending_deliveries, process};
use crate::fixtures::database::{self, DatabaseKind};
use crate::fixtures::load::LoadResult;
use crate::fixtures::service_process::{Service, free_address};

const DRAINED: u32 = 20_000;
/// The number of endpoints that receive deliveries at once, and of connections for the floor.
const RECEIVERS: usize = 20;
const HANGING: u32 = 700;
/// As many as deliveries that hang: of a receiver that has not responded yet, few attempts are under way.
const HANGING_ENDPOINTS: usize = 700;
const HEALTHY: u32 = 100;
const PENDING: u32 = 100_000;
const SINGLE: u32 = 60;

/// The state that all cases share.
struct WebhookBench<'a> {
    environment: &'a Environment,
    receiver: Receiver,
}

/// Measures every case.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let receiver = Receiver::start(&environment.database.authority).await?;
    let bench = WebhookBench { environment, receiver };
    pending_deliveries::clear_endpoints(environment)?;
    let mut figures = vec![bench.drain().await?];
    pending_deliveries::clear_endpoints(environment)?;
    figures.extend(bench.idle().await?);
    figures.push(bench.behind_hanging_ones().await?);
    figures.push(bench.memory().await?);
    pending_deliveries::clear_endpoints(environment)?;
    Ok(figures)
}

impl WebhookBench<'_> {
    async fn serve(&self) -> anyhow::Result<Service> {
        let database = &self.environment.database;
        database.serve(database.delivering_command(), free_address()?).await
    }

    /// Registers an endpoint by the operator's command.
    fn add_endpoint(&self, account: Uuid, path: &str) -> anyhow::Result<()> {
        let (account, url) = (account.to_string(), self.receiver.url(path));
        let mut command = self.environment.database.delivering_command();
        let events = ["--events", "invoice.payment_recorded"];
        let arguments = [&["webhook", "add", "--account", &account, "--url", &url], &events[..]].concat();
        database::run(&mut command, &arguments).map(drop)
    }

    fn add_endpoints(&self, count: usize, path: &str) -> anyhow::Result<()> {
        self.environment.say("registering endpoints");
        let mut accounts = self.environment.tenants.spread.iter().take(count);
        accounts.try_for_each(|tenant| self.add_endpoint(tenant.id, path))
    }

    /// The time from the start of the service to the last receipt, minus the time to readiness; in turns with
    /// the same POST requests from memory.
    async fn drain(&self) -> anyhow::Result<Figure> {
        let (environment, authority) = (self.environment, &self.environment.database.authority);
        self.add_endpoints(RECEIVERS, "ok")?;
        let (mut rates, mut floor) = (Vec::new(), Vec::new());
        for round in environment.options.rounds() {
            environment.say(&format!("draining {DRAINED} deliveries, round {round}"));
            pending_deliveries::clear(environment)?;
            pending_deliveries::fill(environment, DRAINED, "ok")?;
            self.receiver.clear();
            let begun = Instant::now();
            let service = self.serve().await?;
            let receipts = self.receiver.wait_for(usize::try_from(DRAINED)?).await?;
            let (last, _) = receipts.last().context("there is a receipt")?;
            let took = last.duration_since(begun).saturating_sub(service.took);
            service.stop()?;
            rates.push(f64::from(DRAINED) / took.as_secs_f64());
            let span = environment.options.span();
            floor.push(self.receiver.floor(authority, RECEIVERS, span).await?);
        }
        let (value, kind) = (Spread::of(rates.clone()).unwrap_or_default(), environment.database.kind);
        let goal = if kind == DatabaseKind::Postgres { 3_000.0 } else { 1_000.0 };
        Ok(Figure {
            http: FloorRatio::of(&rates, &floor),
            goal: Some(Goal::AtLeast(goal)),
            ..Figure::plain(kind, format!("webhooks, draining {DRAINED}"), "/s", value)
        })
    }

    /// One payment at a time on an idle service, committed by the process that delivers or by another
    /// process.
    async fn idle(&self) -> anyhow::Result<Vec<Figure>> {
        let (account, _) = self.environment.tenants.open_of_one.first().context("no open invoices")?;
        self.add_endpoint(account.uuid(), "ok")?;

        self.environment.say("one webhook at a time, same process");
        let deps =
            Dependencies::open(self.environment.database.deps.settings.clone(), Announce::Here).await?;
        let key = deps.master_key().await?;
        let worker = deps.delivery_worker(Arc::new(key.sealing_keys()))?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let delivering = tokio::spawn(async move {
            let stopped = async move { drop(stopped.await) };
            outbox::run(Arc::new(worker), Arc::new(()), stopped).await;
        });
        let here = self.one_at_a_time(&deps).await;
        drop(stop);
        delivering.await?;

        self.environment.say("one webhook at a time, another process");
        let service = self.serve().await?;
        let elsewhere = self.one_at_a_time(&self.environment.database.deps).await;
        service.stop()?;
        let here = self.latency("commit to receipt, idle, same process", &here?);
        Ok(vec![
            Figure { goal: Some(Goal::Below(10.0)), ..here },
            self.latency("commit to receipt, idle, from another process", &elsewhere?),
        ])
    }

    fn latency(&self, name: &str, measured: &LoadResult) -> Figure {
        let (median, p99) = (measured.percentile(50), measured.percentile(99));
        let value = Spread { median, least: measured.percentile(0), most: p99 };
        let figure = Figure::plain(self.environment.database.kind, name, "ms", value);
        Figure { latency: Some((median, p99)), ..figure }
    }

    async fn one_at_a_time(&self, deps: &Dependencies) -> anyhow::Result<LoadResult> {
        let mut micros = Vec::new();
        for n in 0..SINGLE {
            // The pauses vary, so that they do not coincide with the polls of a worker.
            let pause = n.wrapping_mul(37) % 130 + 20;
            tokio::time::sleep(Duration::from_millis(pause.into())).await;
            self.receiver.clear();
            let (committed, _) = self.pay(deps, n).await?;
            let receipts = self.receiver.wait_for(1).await?;
            let (received, _) = receipts.first().context("there is a receipt")?;
            micros.push(u32::try_from(received.saturating_duration_since(committed).as_micros())?);
        }
        // The first ones also open connections.
        Ok(LoadResult::new(micros.split_off(5), Duration::from_secs(1)))
    }

    /// Records a payment; returns when it was committed, and the invoice.
    async fn pay(&self, deps: &Dependencies, n: u32) -> anyhow::Result<(Instant, String)> {
        let invoicing = deps.invoicing(&PublicUrls::new("http://127.0.0.1"));
        let open = &self.environment.tenants.open_of_one;
        let invoice = payments::pay(&invoicing, open, n.into()).await?;
        Ok((Instant::now(), invoice.to_string()))
    }

    /// A hundred payments, each with a healthy endpoint, while seven hundred deliveries to others hang.
    async fn behind_hanging_ones(&self) -> anyhow::Result<Figure> {
        pending_deliveries::clear(self.environment)?;
        self.add_endpoints(HANGING_ENDPOINTS, "hang")?;
        pending_deliveries::fill(self.environment, HANGING, "hang")?;
        self.environment.say(&format!("{HEALTHY} deliveries while {HANGING} hang"));
        let service = self.serve().await?;
        self.receiver.wait_for_hanging(HANGING).await?;
        self.receiver.clear();
        let mut committed = Vec::new();
        for n in 0..HEALTHY {
            committed.push(self.pay(&self.environment.database.deps, n).await?);
        }
        let receipts = self.receiver.wait_for(committed.len()).await?;
        drop(service);
        let micros = committed.iter().map(|(at, invoice)| {
            let receipt = receipts.iter().find(|(_, resource)| resource == invoice);
            let (received, _) = receipt.context("a payment had no delivery")?;
            Ok(u32::try_from(received.saturating_duration_since(*at).as_micros())?)
        });
        let micros = micros.collect::<anyhow::Result<Vec<u32>>>()?;
        let name = format!("commit to receipt of {HEALTHY} while {HANGING} others hang, p99");
        let mut figure = self.latency(&name, &LoadResult::new(micros, Duration::from_secs(1)));
        figure.value.median = figure.value.most;
        let goal = if figure.database == Some(DatabaseKind::Postgres) { 1_000.0 } else { 50.0 };
        Ok(Figure { goal: Some(Goal::Below(goal)), ..figure })
    }

    /// Memory while very many deliveries wait for endpoints that hang.
    async fn memory(&self) -> anyhow::Result<Figure> {
        pending_deliveries::clear(self.environment)?;
        pending_deliveries::fill(self.environment, PENDING, "hang")?;
        self.environment.say(&format!("memory with {PENDING} deliveries pending"));
        let service = self.serve().await?;
        tokio::time::sleep(Duration::from_secs(20)).await;
        let (_, highest) = service.memory()?;
        drop(service);
        let name = format!("memory, at its highest with {PENDING} deliveries pending");
        Ok(process::mebibytes(self.environment, &name, highest, Some(80.0)))
    }
}
