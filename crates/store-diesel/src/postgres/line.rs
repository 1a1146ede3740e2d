//! A serving thread's line: one connection, down which the thread's point reads follow each other without waiting for answers.
//!
//! The database is woken once for several, and so is the thread. What may take long has no place there: whoever comes behind waits. A line that
//! is full or stands still is passed by.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use diesel_async::AsyncPgConnection;

use super::connector::Wire;

/// More than so many do not wait for one line: whoever comes then takes a connection that is lent.
const MOST_IN_FLIGHT: u32 = 16;

/// A line on which somebody waits and nobody has been answered for so long stands still.
const STANDSTILL: Duration = Duration::from_millis(250);

/// Whoever gives up after so long has the line laid anew.
const PATIENCE: Duration = Duration::from_secs(1);

/// After a line could not be laid, it is not tried again for so long.
const PAUSE: Duration = Duration::from_secs(1);

/// A place on a line, for one query.
pub(super) struct OnLine {
    open: Arc<OpenLine>,
    since: Instant,
    is_answered: bool,
}

impl OnLine {
    /// The connection, to run the query on.
    pub(super) fn connection(&self) -> &AsyncPgConnection {
        &self.open.wire
    }

    /// Notes that the query is answered, well or not.
    pub(super) fn is_answered(&mut self) {
        self.open.traffic().last_answer = Instant::now();
        self.is_answered = true;
    }
}

impl Drop for OnLine {
    fn drop(&mut self) {
        let mut traffic = self.open.traffic();
        traffic.in_flight = traffic.in_flight.saturating_sub(1);
        if !self.is_answered && self.since.elapsed() >= PATIENCE {
            traffic.is_given_up = true;
        }
    }
}

/// A connection that many share, and who is on it.
struct OpenLine {
    wire: Wire,
    traffic: Mutex<Traffic>,
}

struct Traffic {
    in_flight: u32,
    last_answer: Instant,
    is_given_up: bool,
}

impl OpenLine {
    fn new(wire: Wire) -> Self {
        Self {
            wire,
            traffic: Mutex::new(Traffic {
                in_flight: 0,
                last_answer: Instant::now(),
                is_given_up: false,
            }),
        }
    }

    fn traffic(&self) -> MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_good(&self) -> bool {
        !self.wire.has_ended() && !self.traffic().is_given_up
    }

    /// A place on it; `None` while too many wait, or too long.
    fn enter(self: Arc<Self>) -> Option<OnLine> {
        let now = Instant::now();
        {
            let mut traffic = self.traffic();
            if traffic.in_flight == 0 {
                traffic.last_answer = now;
            }
            let stands_still = now.duration_since(traffic.last_answer) >= STANDSTILL;
            if stands_still || traffic.in_flight >= MOST_IN_FLIGHT {
                return None;
            }
            traffic.in_flight = traffic.in_flight.saturating_add(1);
        }
        Some(OnLine {
            open: self,
            since: now,
            is_answered: false,
        })
    }
}

/// A serving thread's line, while there is one.
#[derive(Clone, Default)]
pub(super) struct Line(Arc<Mutex<State>>);

#[derive(Default)]
enum State {
    #[default]
    New,
    Opening,
    Open(Arc<OpenLine>),
    /// It could not be laid.
    Failed(Instant),
}

impl Line {
    /// A place on the line, which is laid first if there is none. `None` while somebody else lays it, which nobody waits for, when it cannot be
    /// laid, and when it is too full or stands still.
    pub(super) async fn enter(&self, lay: impl AsyncFnOnce() -> Option<Wire>) -> Option<OnLine> {
        match &mut *self.state() {
            State::Open(open) if open.is_good() => return open.clone().enter(),
            State::Opening => return None,
            State::Failed(at) if at.elapsed() < PAUSE => return None,
            state => *state = State::Opening,
        }
        let mut laying = Laying {
            line: self,
            outcome: State::Failed(Instant::now()),
        };
        let wire = tokio::time::timeout(PAUSE, lay()).await.ok().flatten()?;
        let open = Arc::new(OpenLine::new(wire));
        laying.outcome = State::Open(open.clone());
        drop(laying);
        open.enter()
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(&*self.state(), State::Open(open) if open.is_good())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a single step, so that a panic elsewhere leaves nothing half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes what came of laying the line, also when whoever laid it went away.
struct Laying<'a> {
    line: &'a Line,
    outcome: State,
}

impl Drop for Laying<'_> {
    fn drop(&mut self) {
        *self.line.state() = std::mem::take(&mut self.outcome);
    }
}
