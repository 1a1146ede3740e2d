//! Who is served next: each endpoint has a lane of its own, so that a slow one delays nobody but itself.
//!
//! A lane's window says how many deliveries of its endpoint may be leased at once, waiting or under way. It begins small, grows with
//! every quick success and shrinks back with every failure: a fast receiver is served in large batches, and one that hangs holds few leases.
//! Of all that are under way, a part is reserved for lanes that are not in trouble.

use std::collections::{BTreeSet, HashMap, VecDeque};

use time::{Duration, OffsetDateTime};

use crate::delivery::{DeliveryId, LeasedDelivery};
use crate::endpoint::EndpointId;
use crate::schedule::Schedule;

/// How many deliveries of one endpoint are leased at once before anything is known of it.
pub const FIRST_WINDOW: u32 = 16;
/// How many at the most, however fast it is.
const LARGEST_WINDOW: u32 = 512;
/// How many requests to one endpoint are under way at once: receivers are small machines, too.
const MOST_UNDER_WAY_EACH: u32 = 32;
/// How many requests are under way at once in all. One that hangs holds about 33 KiB.
const MOST_UNDER_WAY: u32 = 800;
/// How many of them only lanes may take that are not in trouble.
const RESERVED: u32 = 100;
/// How many deliveries are leased at once in all.
const MOST_LEASED: u32 = 2_048;
/// An answer that takes longer is slow; an endpoint that is silent for longer is in trouble.
const SLOW: Duration = Duration::seconds(1);
/// How many idle lanes are remembered.
const MOST_REMEMBERED: usize = 4_096;

/// How an attempt went, as far as its lane is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Taken.
    Succeeded,
    /// Answered, or refused at once.
    Failed,
    /// Silent until the time was up.
    TimedOut,
}

#[derive(Debug)]
struct Lane {
    waiting: VecDeque<(LeasedDelivery, OffsetDateTime)>,
    under_way: BTreeSet<(OffsetDateTime, DeliveryId)>,
    window: u32,
    in_trouble: bool,
    /// In the line of those that can begin an attempt.
    lined_up: bool,
    /// The last look at the queue may have passed over what it has due.
    passed_over: bool,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            under_way: BTreeSet::new(),
            window: FIRST_WINDOW,
            in_trouble: false,
            lined_up: false,
            passed_over: false,
        }
    }
}

impl Lane {
    fn leased(&self) -> u32 {
        count(self.waiting.len()).saturating_add(count(self.under_way.len()))
    }

    /// How many more may be leased: none until half of the window is free, so that leases come in batches.
    fn room(&self) -> u32 {
        let leased = self.leased();
        if leased > self.window / 2 {
            0
        } else {
            self.window.saturating_sub(leased)
        }
    }

    fn can_begin(&self) -> bool {
        let most = self.window.min(MOST_UNDER_WAY_EACH);
        !self.waiting.is_empty() && count(self.under_way.len()) < most
    }

    fn is_in_trouble(&self, now: OffsetDateTime) -> bool {
        let silent = |(since, _): &(OffsetDateTime, _)| now - *since > SLOW;
        self.in_trouble || self.under_way.first().is_some_and(silent)
    }
}

/// The lanes of all endpoints that have something leased here, or had lately.
#[derive(Debug, Default)]
pub struct Lanes {
    lanes: HashMap<EndpointId, Lane>,
    /// The lanes that can begin an attempt, in turn.
    line: VecDeque<EndpointId>,
    under_way: u32,
    waiting: u32,
}

impl Lanes {
    /// How many more deliveries may be leased in all.
    pub fn room(&self) -> u32 {
        MOST_LEASED.saturating_sub(self.under_way.saturating_add(self.waiting))
    }

    /// How many more deliveries may be leased of each endpoint of which that is not [`FIRST_WINDOW`]. Those with none are remembered as
    /// passed over.
    pub fn rooms(&mut self, now: OffsetDateTime) -> Vec<(EndpointId, u32)> {
        let scarce = self.under_way >= MOST_UNDER_WAY - RESERVED;
        let mut rooms = Vec::new();
        for (endpoint, lane) in &mut self.lanes {
            let shut = scarce && lane.is_in_trouble(now);
            if lane.leased() == 0 && !shut {
                continue;
            }
            let room = if shut { 0 } else { lane.room() };
            lane.passed_over = room == 0;
            rooms.push((*endpoint, room));
        }
        rooms
    }

    /// Takes a leased delivery into its lane.
    pub fn take(&mut self, leased: LeasedDelivery, now: OffsetDateTime) {
        let endpoint = leased.endpoint;
        let lane = self.lanes.entry(endpoint).or_default();
        lane.waiting.push_back((leased, now));
        // As many as it could get: there may be more of it.
        lane.passed_over |= lane.leased() >= FIRST_WINDOW;
        self.waiting = self.waiting.saturating_add(1);
        self.line_up(endpoint);
    }

    /// The next delivery to attempt, if one may begin: lanes take turns. It is under way from now on.
    pub fn begin(&mut self, now: OffsetDateTime) -> Option<LeasedDelivery> {
        if self.under_way >= MOST_UNDER_WAY {
            return None;
        }
        while let Some(endpoint) = self.line.pop_front() {
            let Some(lane) = self.lanes.get_mut(&endpoint) else {
                continue;
            };
            lane.lined_up = false;
            if !lane.can_begin() {
                continue;
            }
            // What has waited too long is given back, not begun: its lease might end in the midst of the attempt.
            let is_late =
                |(_, since): &(LeasedDelivery, OffsetDateTime)| now - *since > Schedule::PATIENCE;
            if lane.waiting.front().is_some_and(is_late) {
                continue;
            }
            let Some((leased, _)) = lane.waiting.pop_front() else {
                continue;
            };
            lane.under_way.insert((now, leased.lease.id));
            self.under_way = self.under_way.saturating_add(1);
            self.waiting = self.waiting.saturating_sub(1);
            self.line_up(endpoint);
            return Some(leased);
        }
        None
    }

    /// Ends an attempt that began at `began_at`. Whether the queue is worth a look again, since there is room for what was passed over.
    pub fn end(
        &mut self,
        endpoint: EndpointId,
        delivery: DeliveryId,
        began_at: OffsetDateTime,
        now: OffsetDateTime,
        pace: Pace,
    ) -> bool {
        self.under_way = self.under_way.saturating_sub(1);
        let Some(lane) = self.lanes.get_mut(&endpoint) else {
            return false;
        };
        lane.under_way.remove(&(began_at, delivery));
        lane.in_trouble = pace != Pace::Succeeded;
        lane.window = match pace {
            Pace::Succeeded if now - began_at > SLOW => lane.window,
            Pace::Succeeded => lane.window.saturating_add(1).min(LARGEST_WINDOW),
            // Never below the first window: what an endpoint does not answer is still to be tried in time, and its leases stand in nobody's
            // way while there is room for others.
            Pace::Failed => (lane.window / 2).max(FIRST_WINDOW),
            Pace::TimedOut => FIRST_WINDOW,
        };
        let look = lane.passed_over && lane.room() > 0;
        if look {
            lane.passed_over = false;
        }
        self.line_up(endpoint);
        if self.lanes.len() > MOST_REMEMBERED {
            self.lanes.retain(|_, lane| lane.leased() > 0);
        }
        look
    }

    /// Takes out what has waited for its turn so long that its lease might end in the midst of an attempt.
    pub fn impatient(&mut self, now: OffsetDateTime) -> Vec<LeasedDelivery> {
        self.take_out(|since| now - since > Schedule::PATIENCE)
    }

    /// Takes out all that waits.
    pub fn all_waiting(&mut self) -> Vec<LeasedDelivery> {
        self.take_out(|_| true)
    }

    fn take_out(&mut self, goes: impl Fn(OffsetDateTime) -> bool) -> Vec<LeasedDelivery> {
        let mut out = Vec::new();
        for lane in self.lanes.values_mut() {
            // The longest waiting is in front.
            while lane.waiting.front().is_some_and(|(_, since)| goes(*since)) {
                out.extend(lane.waiting.pop_front().map(|(leased, _)| leased));
            }
        }
        self.waiting = self.waiting.saturating_sub(count(out.len()));
        let endpoints: Vec<_> = self.lanes.keys().copied().collect();
        for endpoint in endpoints {
            self.line_up(endpoint);
        }
        out
    }

    fn line_up(&mut self, endpoint: EndpointId) {
        if let Some(lane) = self.lanes.get_mut(&endpoint)
            && !lane.lined_up
            && lane.can_begin()
        {
            lane.lined_up = true;
            self.line.push_back(endpoint);
        }
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
