//! A kind of request, and the load of such requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;

use super::floor::Script;
use super::tenants::{Tenant, turn};
use crate::fixtures::client::Connection;
use crate::fixtures::load::{LoadResult, repeat};

/// Makes the request of an account with this number, which no other request of the case has.
type Write = dyn Fn(&Tenant, u64) -> Vec<u8> + Send + Sync;

/// A kind of request that is measured.
pub(super) struct Case {
    pub(super) name: String,
    /// The status of the answer.
    pub(super) status: u16,
    /// What the database does for such a request.
    pub(super) script: Script,
    /// The least ratio to the database's floor with eight connections.
    pub(super) goal: Option<f64>,
    /// The accounts, which take turns.
    tenants: Vec<Tenant>,
    write: Box<Write>,
    written: AtomicU64,
}

impl Case {
    pub(super) fn new(
        name: impl Into<String>,
        status: u16,
        script: Script,
        goal: Option<f64>,
        tenants: &[Tenant],
        write: impl Fn(&Tenant, u64) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let (tenants, write) = (tenants.to_vec(), Box::new(write));
        Self { name: name.into(), status, script, goal, tenants, write, written: AtomicU64::new(0) }
    }

    /// Sends a request that was not sent before, and fails when the answer has another status.
    pub(super) async fn exchange(&self, connection: &mut Connection) -> anyhow::Result<()> {
        let n = self.written.fetch_add(1, Ordering::Relaxed);
        let request = (self.write)(turn(&self.tenants, n)?, n);
        connection.expect(&request, self.status).await.with_context(|| self.name.clone())
    }
}

/// Presses an address with the requests of a case.
pub(super) async fn run_load(
    address: SocketAddr,
    connections: u32,
    span: Duration,
    case: &Arc<Case>,
) -> anyhow::Result<LoadResult> {
    let mut clients = Vec::new();
    for _ in 0..connections {
        clients.push((Connection::open(address).await?, case.clone()));
    }
    repeat(clients, span, Duration::ZERO, |(mut connection, case)| async move {
        case.exchange(&mut connection).await?;
        Ok((connection, case))
    })
    .await
}
