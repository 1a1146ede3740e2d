//! One connection that several short queries use at the same time.
//!
//! Each query is sent without waiting for the responses to those before it, so the server and the thread are
//! woken once for several queries. The server responds in order: a slow query delays the later ones, so only
//! short queries may be sent here. When the connection has too many queries in flight, does not respond or
//! cannot be opened, callers take a pooled connection instead.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use diesel_async::AsyncPgConnection;

use crate::connect::Connection;

/// The maximum number of queries in flight on one connection.
const MAX_IN_FLIGHT: u32 = 16;

/// When queries are in flight and no response arrives for this long, the connection takes no more queries.
const STALLED_AFTER: Duration = Duration::from_millis(250);

/// When a caller gives up a query after this long, the connection is replaced.
const REPLACED_AFTER: Duration = Duration::from_secs(1);

/// How long opening may take, and how long to wait after a failed attempt before the next.
const OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// A query's share of a [`PipelinedConnection`].
pub struct PipelinedQuery {
    open: Arc<OpenConnection>,
    since: Instant,
    has_response: bool,
}

impl PipelinedQuery {
    /// The connection, to run the query on. Call [`PipelinedQuery::end`] when the result is there.
    #[must_use]
    pub fn connection(&self) -> &AsyncPgConnection {
        &self.open.connection
    }

    /// Records that the query has its response, be it an error.
    pub fn end(&mut self) {
        self.open.traffic().last_response = Instant::now();
        self.has_response = true;
    }
}

impl Drop for PipelinedQuery {
    fn drop(&mut self) {
        let mut traffic = self.open.traffic();
        traffic.in_flight = traffic.in_flight.saturating_sub(1);
        if !self.has_response && self.since.elapsed() >= REPLACED_AFTER {
            traffic.is_abandoned = true;
        }
    }
}

struct OpenConnection {
    connection: Connection,
    traffic: Mutex<Traffic>,
}

struct Traffic {
    in_flight: u32,
    last_response: Instant,
    is_abandoned: bool,
}

impl OpenConnection {
    fn traffic(&self) -> MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_usable(&self) -> bool {
        !self.connection.has_ended() && !self.traffic().is_abandoned
    }

    fn start_query(self: Arc<Self>) -> Option<PipelinedQuery> {
        let now = Instant::now();
        {
            let mut traffic = self.traffic();
            if traffic.in_flight == 0 {
                traffic.last_response = now;
            }
            let is_stalled = now.duration_since(traffic.last_response) >= STALLED_AFTER;
            if is_stalled || traffic.in_flight >= MAX_IN_FLIGHT {
                return None;
            }
            traffic.in_flight = traffic.in_flight.saturating_add(1);
        }
        Some(PipelinedQuery { open: self, since: now, has_response: false })
    }
}

/// A connection for short queries, opened by the first and replaced when it is lost.
#[derive(Default)]
pub struct PipelinedConnection(Mutex<PipelineState>);

#[derive(Default)]
enum PipelineState {
    #[default]
    Closed,
    Opening,
    Open(Arc<OpenConnection>),
    Failed(Instant),
}

impl PipelinedConnection {
    /// A share of the connection, which is opened first if it is closed. `None` while another caller is
    /// opening it, when it cannot be opened, when it is full and when it is stalled.
    pub(crate) async fn start_query(
        &self,
        open: impl AsyncFnOnce() -> Option<Connection>,
    ) -> Option<PipelinedQuery> {
        match &mut *self.state() {
            PipelineState::Open(open) if open.is_usable() => return open.clone().start_query(),
            PipelineState::Opening => return None,
            PipelineState::Failed(at) if at.elapsed() < OPEN_TIMEOUT => return None,
            state => *state = PipelineState::Opening,
        }
        let mut opening = Opening { connection: self, outcome: PipelineState::Failed(Instant::now()) };
        let connection = tokio::time::timeout(OPEN_TIMEOUT, open()).await.ok().flatten()?;
        let traffic = Traffic { in_flight: 0, last_response: Instant::now(), is_abandoned: false };
        let opened = Arc::new(OpenConnection { connection, traffic: Mutex::new(traffic) });
        opening.outcome = PipelineState::Open(opened.clone());
        drop(opening);
        opened.start_query()
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(&*self.state(), PipelineState::Open(open) if open.is_usable())
    }

    fn state(&self) -> MutexGuard<'_, PipelineState> {
        // Every change is one assignment, so a panic cannot leave a partial one.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores the outcome of opening, also when the caller that opens is dropped.
struct Opening<'a> {
    connection: &'a PipelinedConnection,
    outcome: PipelineState,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        *self.connection.state() = std::mem::take(&mut self.outcome);
    }
}
