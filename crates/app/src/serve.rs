//! Serving: from settings to requests, and back down in good order.

use std::net::TcpListener;
use std::sync::Arc;

use anyhow::Context as _;
use store_diesel::Kind;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::first_run;
use crate::logging;
use crate::master_key::MasterKey;
use crate::metrics::Figures;
use crate::output::Output;
use crate::settings::Settings;
use crate::tls;
use crate::wiring::House;
use crate::workers;

/// Serves until SIGTERM or SIGINT, then finishes what is in flight.
///
/// # Errors
/// One line that says why the start was refused.
pub async fn serve(settings: Settings, output: Output) -> anyhow::Result<()> {
    logging::begin(settings.json_logs)?;
    for name in &settings.not_followed {
        tracing::warn!("{name} is set, but this version of Countinghouse does nothing with it yet");
    }
    let house = House::open(&settings)
        .await?
        .with_schema(settings.migrate_on_start)
        .await?;
    let upkeep = house.store.upkeep.clone();
    let key = MasterKey::find(&settings, upkeep.kind(), &*house.chance)?;
    key.must_fit(&*upkeep).await?;
    let certificates = settings.tls.as_ref();
    let certificates = certificates
        .map(|(chain, key)| tls::server_config(chain, key))
        .transpose()?;
    let listener = TcpListener::bind(settings.listen)
        .with_context(|| format!("COUNTINGHOUSE_LISTEN: cannot listen on {}", settings.listen))?;
    let listening = listener.local_addr()?;
    let public_url = settings.public_url(listening);

    let first_keys = match upkeep.kind() {
        Kind::Sqlite => first_run::prepare(&house, &settings).await?,
        Kind::Postgres => None,
    };
    let figures = Figures::begin()?;
    let figures_of_requests = Arc::new(figures.clone());
    let front = house
        .front(&settings, public_url.clone(), &key, figures_of_requests)
        .await?;
    let (stop, stopped) = watch::channel(false);
    let keys = Arc::new(key.sealing_keys());
    let workers = workers::start(&house, &settings, keys, figures, &stopped)?;
    let server = http_actix::serve(front, listener, certificates, workers_for_this_machine())?;
    if let Some(keys) = first_keys {
        output.line(&keys.welcome(&public_url))?;
    }
    tracing::info!(%listening, %public_url, database = ?upkeep.kind(), version = env!("CARGO_PKG_VERSION"), "serving");

    let handle = server.handle();
    tokio::spawn(async move {
        wait_for_a_signal().await;
        tracing::info!("stopping: finishing what is in flight");
        handle.stop(true).await;
    });
    server.await?;
    stop.send_replace(true);
    workers.join_all().await;
    tracing::info!("stopped");
    Ok(())
}

fn workers_for_this_machine() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Waits for SIGTERM, which supervisors send, or SIGINT, which the keyboard sends.
async fn wait_for_a_signal() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        // Without handlers the system's own behaviour stands: the process ends at the signal.
        tracing::error!("cannot wait for signals; SIGTERM will end the process at once");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
