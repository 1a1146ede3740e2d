//! The latency of correct clients beside hostile ones.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::bail;
use tokio::task::JoinSet;

use crate::fixtures::client::Connection;

const CLIENTS: usize = 6;
/// Between two requests of one client.
const PAUSE: Duration = Duration::from_millis(3);

/// What 99 of 100 requests took at the most, in milliseconds, when they are sent for so long.
pub(super) async fn p99(address: SocketAddr, request: &[u8], span: Duration) -> anyhow::Result<f64> {
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let request = request.to_vec();
        clients.spawn(async move {
            let mut connection = Connection::open(address).await?;
            let (begun, mut micros) = (Instant::now(), Vec::new());
            while begun.elapsed() < span {
                let before = Instant::now();
                let status = connection.exchange(&request).await?;
                micros.push(u32::try_from(before.elapsed().as_micros())?);
                if status != 200 {
                    bail!("another client was answered {status}");
                }
                tokio::time::sleep(PAUSE).await;
            }
            anyhow::Ok(micros)
        });
    }
    let mut micros = Vec::new();
    while let Some(client) = clients.join_next().await {
        micros.extend(client??);
    }
    micros.sort_unstable();
    let place = micros.len().saturating_mul(99) / 100;
    Ok(micros.get(place).map_or(0.0, |micros| f64::from(*micros) / 1_000.0))
}

/// The middle one of several measurements.
pub(super) fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_measurement_that_strays_changes_nothing() {
        assert_eq!(median(vec![1.0, 90.0, 2.0]), 2.0);
        assert_eq!(median(Vec::new()), 0.0);
    }
}
