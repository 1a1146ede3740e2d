//! Webhooks: throughput of deliveries, latency from commit to receipt, and the effect of hanging receivers.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use app::master_key::MasterKey;
use app::settings::{MasterKeyBytes, Secret};
use app::wiring::Dependencies;
use indicatif::ProgressBar;
use invoices::Invoicing;
use kernel::PublicUrls;
use store_diesel::Announce;
use uuid::Uuid;

use super::environment::Environment;
use super::figure::{Figure, Goal, Spread};
use super::load::LoadResult;
use super::options::Options;
use super::receiver::Receiver;
use super::{payments, pending_deliveries, process, webhook_floor};
use crate::fixtures::authority::Authority;
use crate::fixtures::database_kind::Kind;
use crate::fixtures::service_process::{MASTER_KEY, Service};

const DRAINED: u32 = 20_000;
/// Endpoints that are drained to at once, and connections that the floor posts over.
const RECEIVERS: usize = 20;
const HANGING: u32 = 700;
const HANGING_ENDPOINTS: usize = 70;
const HEALTHY: usize = 100;
const PENDING: u32 = 100_000;
const SINGLE: usize = 60;
/// Longer than anything here takes when all is well.
const PATIENCE: Duration = Duration::from_secs(120);

/// What all cases share.
struct WebhookBench<'a> {
    environment: &'a Environment,
    authority: Authority,
    receiver: Receiver,
    progress: &'a ProgressBar,
}

/// Measures every case.
pub(super) async fn measure(
    environment: &Environment,
    options: &Options,
    progress: &ProgressBar,
) -> anyhow::Result<Vec<Figure>> {
    let authority = Authority::new(environment.folder())?;
    let receiver = Receiver::start(&authority).await?;
    let bench = WebhookBench { environment, authority, receiver, progress };
    pending_deliveries::clear_endpoints(environment)?;
    let mut figures = vec![bench.drain(options).await?];
    pending_deliveries::clear_endpoints(environment)?;
    figures.extend(bench.idle().await?);
    figures.push(bench.behind_hanging_ones().await?);
    figures.push(bench.memory().await?);
    pending_deliveries::clear_endpoints(environment)?;
    Ok(figures)
}

impl WebhookBench<'_> {
    fn say(&self, what: &str) {
        self.progress.set_message(format!("{}: {what}", self.environment.kind.name()));
    }

    /// The service, which trusts the receiver and may call loopback.
    async fn serve(&self) -> anyhow::Result<Service> {
        let mut command = self.environment.command();
        command
            .env("COUNTINGHOUSE_EXTRA_CA_FILE", &self.authority.file)
            .env("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "true");
        Service::start(command, self.environment.folder()).await
    }

    /// Registers an endpoint by the operator's command.
    fn add_endpoint(&self, account: Uuid, path: &str) -> anyhow::Result<()> {
        let output = self
            .environment
            .command()
            .env("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "true")
            .args(["webhook", "add", "--events", "invoice.payment_recorded"])
            .args(["--account", &account.to_string(), "--url", &self.receiver.url(path)])
            .stdin(Stdio::null())
            .output()?;
        if !output.status.success() {
            bail!("webhook add: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    fn add_endpoints(&self, count: usize, path: &str) -> anyhow::Result<()> {
        self.say("registering endpoints");
        let accounts = self.environment.tenants.spread.iter().take(count);
        accounts.into_iter().try_for_each(|tenant| self.add_endpoint(tenant.id, path))
    }

    /// From the start of the service to the last receipt, less the time to ready; in turns with the same
    /// posts from memory.
    async fn drain(&self, options: &Options) -> anyhow::Result<Figure> {
        self.add_endpoints(RECEIVERS, "ok")?;
        let (mut rates, mut floor) = (Vec::new(), Vec::new());
        for round in 0..options.rounds.max(1) {
            self.say(&format!("draining {DRAINED} deliveries, round {}", round.saturating_add(1)));
            pending_deliveries::clear(self.environment)?;
            pending_deliveries::fill(self.environment, DRAINED, "ok")?;
            self.receiver.clear();
            let begun = Instant::now();
            let service = self.serve().await?;
            let last = self.receiver.wait_for(usize::try_from(DRAINED)?, PATIENCE).await?;
            let took = last.duration_since(begun).saturating_sub(service.took);
            service.stop()?;
            rates.push(f64::from(DRAINED) / took.as_secs_f64());
            floor.push(
                webhook_floor::measure(&self.receiver, &self.authority, RECEIVERS, options.span()).await?,
            );
        }
        let value = Spread::of(rates.clone()).unwrap_or_default();
        let mut figure =
            Figure::plain(self.environment.kind, format!("webhooks, draining {DRAINED}"), "/s", value);
        figure.http = super::figure::FloorRatio::of(&rates, &floor);
        Ok(figure.with_goal(Goal::AtLeast(match self.environment.kind {
            Kind::Postgres => 3_000.0,
            Kind::Sqlite => 1_000.0,
        })))
    }

    /// One payment at a time, with nothing else to do: committed by the process that delivers, and by another
    /// one.
    async fn idle(&self) -> anyhow::Result<Vec<Figure>> {
        let (account, _) = self.environment.tenants.payer()?;
        self.add_endpoint(account, "ok")?;
        let mut settings = app::settings::Settings::read()?;
        settings.database_url = Some(Secret::new(self.environment.url()));
        settings.data_dir = self.environment.folder().to_path_buf();
        settings.master_key = MasterKeyBytes::parse(MASTER_KEY);
        settings.extra_ca_file = Some(self.authority.file.clone());
        settings.allow_private_targets = true;

        self.say("one webhook at a time, same process");
        let deps = Dependencies::open(&settings, Announce::Here).await?;
        let key = MasterKey::find(&settings, deps.store.upkeep.kind(), &*deps.random)?;
        let worker = deps.delivery_worker(&settings, Arc::new(key.sealing_keys()))?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let delivering = tokio::spawn(async move {
            let stopped = async move { drop(stopped.await) };
            outbox::run(Arc::new(worker), Arc::new(()), stopped).await;
        });
        let here = self.one_at_a_time(&deps).await;
        drop(stop);
        delivering.await?;

        self.say("one webhook at a time, another process");
        let service = self.serve().await?;
        let deps = Dependencies::open(&settings, Announce::Everywhere).await?;
        let elsewhere = self.one_at_a_time(&deps).await;
        service.stop()?;
        Ok(vec![
            self.latency("commit to receipt, idle, same process", &here?).with_goal(Goal::Below(10.0)),
            self.latency("commit to receipt, idle, from another process", &elsewhere?),
        ])
    }

    fn latency(&self, name: &str, pressed: &LoadResult) -> Figure {
        let median = pressed.percentile(50);
        let value = Spread { median, least: pressed.percentile(0), most: pressed.percentile(99) };
        let mut figure = Figure::plain(self.environment.kind, name, "ms", value);
        figure.latency = Some((median, pressed.percentile(99)));
        figure
    }

    async fn one_at_a_time(&self, deps: &Dependencies) -> anyhow::Result<LoadResult> {
        let invoicing = deps.invoicing(&self.environment.settings, &PublicUrls::new("http://127.0.0.1"));
        let mut micros = Vec::new();
        for turn in 0..SINGLE {
            // Out of step with every interval that somebody may look at.
            let pause = u64::try_from(turn.wrapping_mul(37) % 130)?;
            tokio::time::sleep(Duration::from_millis(pause.saturating_add(20))).await;
            self.receiver.clear();
            let committed = self.pay(&invoicing, turn).await?.0;
            let received = self.receiver.wait_for(1, PATIENCE).await?;
            micros.push(u32::try_from(received.saturating_duration_since(committed).as_micros())?);
        }
        // The first ones make connections.
        Ok(LoadResult::new(micros.split_off(5), Duration::from_secs(1)))
    }

    /// Pays; when it was committed, and on which invoice.
    async fn pay(&self, invoicing: &Invoicing, turn: usize) -> anyhow::Result<(Instant, String)> {
        let (_, open) = self.environment.tenants.payer()?;
        let invoice = payments::pay(invoicing, open, turn).await?;
        Ok((Instant::now(), invoice.to_string()))
    }

    /// A hundred payments, each told to a healthy endpoint, while seven hundred deliveries to others hang.
    async fn behind_hanging_ones(&self) -> anyhow::Result<Figure> {
        pending_deliveries::clear(self.environment)?;
        self.add_endpoints(HANGING_ENDPOINTS, "hang")?;
        pending_deliveries::fill(self.environment, HANGING, "hang")?;
        self.say(&format!("{HEALTHY} deliveries while {HANGING} hang"));
        let service = self.serve().await?;
        self.receiver.wait_for_hanging(HANGING, PATIENCE).await?;
        self.receiver.clear();
        let deps = Dependencies::open(&self.environment.settings, Announce::Everywhere).await?;
        let invoicing = deps.invoicing(&self.environment.settings, &PublicUrls::new("http://127.0.0.1"));
        let mut committed = Vec::new();
        for turn in 0..HEALTHY {
            committed.push(self.pay(&invoicing, turn).await?);
        }
        self.receiver.wait_for(HEALTHY, PATIENCE).await?;
        drop(service);
        let receipts = self.receiver.receipts();
        let micros = committed.iter().map(|(at, invoice)| {
            let receipt = receipts.iter().find(|receipt| receipt.resource == *invoice);
            let receipt = receipt.context("a payment was not told")?;
            Ok(u32::try_from(receipt.at.saturating_duration_since(*at).as_micros())?)
        });
        let micros = micros.collect::<anyhow::Result<Vec<u32>>>()?;
        let pressed = LoadResult::new(micros, Duration::from_secs(1));
        let name = format!("commit to receipt of {HEALTHY} while {HANGING} others hang, p99");
        let mut figure = self.latency(&name, &pressed);
        let p99 = pressed.percentile(99);
        figure.value.median = p99;
        Ok(figure.with_goal(Goal::Below(match self.environment.kind {
            Kind::Postgres => 1_000.0,
            Kind::Sqlite => 50.0,
        })))
    }

    /// Memory while a great many wait for endpoints that hang.
    async fn memory(&self) -> anyhow::Result<Figure> {
        pending_deliveries::clear(self.environment)?;
        pending_deliveries::fill(self.environment, PENDING, "hang")?;
        self.say(&format!("memory with {PENDING} deliveries pending"));
        let service = self.serve().await?;
        tokio::time::sleep(Duration::from_secs(20)).await;
        let (_, highest) = service.memory()?;
        drop(service);
        let name = format!("memory, at its highest with {PENDING} deliveries pending");
        Ok(process::mebibytes(self.environment, &name, highest, 80.0))
    }
}
