//! `serve`: starts the service from its settings, and stops it in an orderly way.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use anyhow::Context as _;
use http_server::ServerState;
use kernel::PublicUrls;
use rustls::ServerConfig;
use store_diesel::{Announce, DatabaseKind, MetadataKey};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::first_run::{self, FirstKeys};
use crate::logging;
use crate::master_key::MasterKey;
use crate::message_language;
use crate::metrics::PrometheusMetrics;
use crate::metrics::rounds::WorkerHealth;
use crate::output::Output;
use crate::settings::{LogFormat, Settings};
use crate::tls;
use crate::traces::Tracing;
use crate::wiring::Dependencies;
use crate::wiring::server::Observers;
use crate::workers;

/// How long requests and workers may take together to finish when the service stops.
const FINISHING: Duration = Duration::from_secs(25);

/// How long the last uses of keys may take to be stored after that.
const STORING_KEY_USES: Duration = Duration::from_secs(2);

/// Serves until SIGTERM or SIGINT, then finishes what is in flight.
///
/// # Errors
/// One line that says why the start was refused.
pub async fn serve(settings: Settings, output: Output) -> anyhow::Result<()> {
    // The first process of a container ignores signals that it does not handle.
    let mut signals = Signals::begin()?;
    let settings = Arc::new(settings);
    let traces = start_logging(&settings)?;
    let certificates = certificates(&settings)?;
    let Some((deps, key)) = open_unless_stopped(settings.clone(), &mut signals).await? else {
        traces.end().await;
        return Ok(());
    };
    let upkeep = deps.store.upkeep.clone();
    let (listener, admin) = listeners(&settings)?;
    let listening = listener.local_addr()?;
    let urls = settings.public_urls(listening);
    let base = urls.base().as_bytes();
    upkeep.set_metadata(MetadataKey::PublicUrl, base).await?;

    let metrics = PrometheusMetrics::begin(upkeep.clone(), deps.clock.now())?;
    let health = WorkerHealth::default();
    let observers = Observers {
        metrics: Arc::new(metrics.clone()),
        traces: traces.requests.clone(),
        workers: health.clone(),
    };
    let server_state = deps.server_state(&urls, observers);
    let states = deps.http_states(urls.clone(), &key).await?;
    let (stop, stopped) = watch::channel(false);
    let workers = workers::start(&deps, &urls, states.logins(), metrics, health, &stopped)?;
    let admin = admin.map(|listener| Admin::start(server_state.clone(), listener));
    let admin = admin.transpose()?;
    let (shutdown, listener_clone) = (server_state.shutdown.clone(), listener.try_clone()?);
    // Called once in each serving thread, so that each has its own database connections.
    let routes = move |config: &mut _| states.configure_thread(config);
    let server = http_server::serve(server_state, listener, certificates, serving_threads(), routes)?;
    // Last, after all that can fail: the keys are created once, and shown only here.
    let first_keys = first_keys(&deps, &key).await?;
    greet(output, first_keys.as_ref(), &urls);
    tracing::info!(%listening, public_url = %urls, database = ?upkeep.kind(), version = env!("CARGO_PKG_VERSION"), "serving");

    let handle = server.handle();
    let stopping = tokio::spawn(async move {
        let finish_requests = async {
            shutdown.prepare(listener_clone).await;
            handle.stop(true).await;
        };
        stop_in_order(signals, finish_requests, workers, stop).await
    });
    server.await?;
    let in_order = stopping.await?;
    store_key_uses(&deps).await;
    if let Some(admin) = admin {
        admin.stop().await;
    }
    tracing::info!("stopped");
    traces.end().await;
    anyhow::ensure!(in_order, "stopped because a worker had ended by itself");
    Ok(())
}

/// The keys of the first run on an embedded database.
async fn first_keys(deps: &Dependencies, key: &MasterKey) -> anyhow::Result<Option<FirstKeys>> {
    match deps.store.upkeep.kind() {
        DatabaseKind::Sqlite => first_run::prepare(deps, Arc::new(key.sealing_keys())).await,
        DatabaseKind::Postgres => Ok(None),
    }
}

/// Prints the first keys, or the address of the dashboard. The service also serves if they cannot be printed:
/// ending it would not bring back the keys, and others can be made.
fn greet(output: Output, first_keys: Option<&FirstKeys>, urls: &PublicUrls) {
    let text = match first_keys {
        Some(keys) => keys.welcome(urls),
        None => format!("Dashboard: {}", urls.page("/dashboard")),
    };
    match (output.line(&text), first_keys) {
        (Ok(()), _) => {}
        (Err(error), Some(_)) => tracing::error!(
            %error,
            "the keys of the first partner and account could not be printed, and are shown nowhere else: make others with \
             `countinghouse partner rotate-key` and `countinghouse account rotate-key`; `partner list` and `account list` \
             show the ids"
        ),
        (Err(error), None) => tracing::warn!(%error, "the address of the dashboard could not be printed"),
    }
}

/// Waits for a signal, then finishes requests and workers concurrently. False when a worker had ended by
/// itself.
async fn stop_in_order(
    mut signals: Signals,
    finish_requests: impl Future<Output = ()>,
    mut workers: JoinSet<()>,
    stop: watch::Sender<bool>,
) -> bool {
    let in_order = tokio::select! {
        () = signals.next() => true,
        // A worker ends only when it is stopped. One that ends by itself has failed unexpectedly: a restart
        // by the supervisor is better than a service that seems healthy and delivers nothing.
        Some(ended) = workers.join_next() => {
            tracing::error!(?ended, "a worker has ended by itself");
            false
        }
    };
    tracing::info!("stopping: finishing what is in flight");
    stop.send_replace(true);
    let finished = async {
        finish_requests.await;
        while workers.join_next().await.is_some() {}
    };
    if tokio::time::timeout(FINISHING, finished).await.is_err() {
        // A mail server may be silent for longer than that. An interrupted job is run again after its lease.
        tracing::warn!("a worker has not finished in time, and is stopped");
        workers.abort_all();
    }
    in_order
}

/// Stores when keys were last used, which a worker does only once a minute.
async fn store_key_uses(deps: &Dependencies) {
    let stored = deps.key_uses.store(&*deps.store.key_uses);
    match tokio::time::timeout(STORING_KEY_USES, stored).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "when keys were last used could not be stored"),
        Err(_elapsed) => tracing::warn!("when keys were last used could not be stored in time"),
    }
}

/// Starts the log and the traces, and warns of settings that have no effect or a wrong one.
fn start_logging(settings: &Settings) -> anyhow::Result<Tracing> {
    let mut traces = Tracing::begin(settings)?;
    let is_json = settings.log_format == LogFormat::Json;
    logging::begin(settings.rust_log.filter(), is_json, traces.log_layer.take())?;
    if let Some(missing) = Tracing::missing(settings) {
        tracing::warn!("{missing}");
    }
    if let Some(fault) = settings.fault_of_unnamed_proxy() {
        tracing::warn!("{fault}");
    }
    Ok(traces)
}

/// The certificate to serve HTTPS with, if one is set.
fn certificates(settings: &Settings) -> anyhow::Result<Option<ServerConfig>> {
    let files = settings.tls()?;
    files.map(|(chain, key)| tls::server_config(chain, key)).transpose()
}

/// What [`open`] returns; `None` if a signal came first. Opening may take long: another process may be
/// migrating the database. The rest of the start is short, and a signal that comes meanwhile is kept.
async fn open_unless_stopped(
    settings: Arc<Settings>,
    signals: &mut Signals,
) -> anyhow::Result<Option<(Dependencies, MasterKey)>> {
    tokio::select! {
        opened = open(settings) => opened.map(Some),
        () = signals.next() => {
            tracing::info!("stopped before serving");
            Ok(None)
        }
    }
}

/// Opens the store, migrates it if that is allowed, checks that the master key fits, and creates the folder
/// of logos.
async fn open(settings: Arc<Settings>) -> anyhow::Result<(Dependencies, MasterKey)> {
    let deps = Dependencies::open(settings, Announce::Here).await?;
    message_language::warn(&*deps.store.checkup).await;
    let deps = deps.with_schema().await?;
    let key = deps.master_key().await?;
    key.warn_before_rekey(&*deps.store.upkeep).await?;
    deps.create_logo_folder()?;
    Ok((deps, key))
}

/// The public listener, and the admin listener if it is set.
fn listeners(settings: &Settings) -> anyhow::Result<(TcpListener, Option<TcpListener>)> {
    let public = listen("COUNTINGHOUSE_LISTEN", settings.listen)?;
    let admin = settings.admin_listen;
    let admin = admin.map(|address| listen("COUNTINGHOUSE_ADMIN_LISTEN", address));
    Ok((public, admin.transpose()?))
}

fn listen(setting: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).with_context(|| format!("{setting}: cannot listen on {address}"))
}

fn serving_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// SIGTERM, which supervisors send, and SIGINT, which the keyboard sends. Those that come before
/// [`Signals::next`] are kept.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn begin() -> anyhow::Result<Self> {
        let begin = |kind| signal(kind).context("cannot wait for signals");
        Ok(Self { terminate: begin(SignalKind::terminate())?, interrupt: begin(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// The running admin listener, which serves only `/metrics` and `/health`.
struct Admin {
    handle: ServerHandle,
    serving: JoinHandle<io::Result<()>>,
}

impl Admin {
    /// Starts serving, and logs the address.
    fn start(state: ServerState, listener: TcpListener) -> io::Result<Self> {
        let admin_listening = listener.local_addr()?;
        let server = http_server::serve_admin(state, listener)?;
        tracing::info!(%admin_listening, "serving /metrics and /health apart");
        Ok(Self { handle: server.handle(), serving: tokio::spawn(server) })
    }

    /// Stops at once, without waiting for the idle connections of monitoring systems. It is called last, so
    /// that monitoring sees the service finish what is in flight.
    async fn stop(self) {
        self.handle.stop(false).await;
        match self.serving.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the listener for /metrics failed"),
            Err(error) => tracing::warn!(%error, "the listener for /metrics failed"),
        }
    }
}
