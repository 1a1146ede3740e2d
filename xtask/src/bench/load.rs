//! The load: connections that each send one request after the other for some time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::case::Case;
use crate::fixtures::client::Connection;

/// What came of it.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadResult {
    /// How long each request took, in microseconds, shortest first.
    pub(super) micros: Vec<u32>,
    pub(super) seconds: f64,
}

impl LoadResult {
    pub(super) fn new(mut micros: Vec<u32>, took: Duration) -> Self {
        micros.sort_unstable();
        Self { micros, seconds: took.as_secs_f64() }
    }

    /// How many requests were answered.
    pub(super) fn count(&self) -> f64 {
        u32::try_from(self.micros.len()).map_or(f64::INFINITY, f64::from)
    }

    pub(super) fn per_second(&self) -> f64 {
        self.count() / self.seconds
    }

    /// What so many of a hundred requests took at the most, in milliseconds.
    pub(super) fn percentile(&self, percent: usize) -> f64 {
        let place = self.micros.len().saturating_sub(1).saturating_mul(percent) / 100;
        self.micros.get(place).map_or(0.0, |micros| f64::from(*micros) / 1_000.0)
    }
}

/// Presses an address with the requests of a case. An answer with another status than the expected one is an
/// error.
pub(super) async fn run_load(
    address: SocketAddr,
    connections: u32,
    span: Duration,
    case: &Arc<Case>,
) -> anyhow::Result<LoadResult> {
    let ready = Arc::new(Barrier::new(usize::try_from(connections)?.saturating_add(1)));
    let mut pressing = JoinSet::new();
    for _ in 0..connections {
        let mut connection = Connection::open(address).await?;
        let (ready, case) = (ready.clone(), case.clone());
        pressing.spawn(async move {
            ready.wait().await;
            one_after_the_other(&mut connection, span, &case).await
        });
    }
    ready.wait().await;
    let begun = Instant::now();
    let mut micros = Vec::new();
    while let Some(pressed) = pressing.join_next().await {
        micros.extend(pressed??);
    }
    Ok(LoadResult::new(micros, begun.elapsed()))
}

async fn one_after_the_other(
    connection: &mut Connection,
    span: Duration,
    case: &Case,
) -> anyhow::Result<Vec<u32>> {
    let (mut micros, mut request) = (Vec::with_capacity(65_536), Vec::with_capacity(2_048));
    let begun = Instant::now();
    let mut before = Duration::ZERO;
    while before < span {
        request.clear();
        case.write_next(&mut request);
        let status = connection.exchange(&request).await?;
        if status != case.expected {
            let (head, body) = connection.last()?;
            bail!("{}: {head}{}", case.name, String::from_utf8_lossy(&body));
        }
        let now = begun.elapsed();
        micros.push(u32::try_from(now.saturating_sub(before).as_micros())?);
        before = now;
    }
    Ok(micros)
}
