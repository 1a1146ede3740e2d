//! Decides which leased job is attempted next. Each lane waits only for itself, so that a slow one delays no
//! other.
//!
//! A lane's window is how many of its jobs may be leased at once, waiting or under way. It begins small,
//! grows with every quick success and shrinks with every failure: a fast receiver is served in large batches,
//! and one that hangs holds few leases. Of all attempts under way, a part is reserved for lanes that are not
//! failing, a few for each. A lane that failed, is slow, or has not succeeded yet may hang as well: once half
//! of all attempts or leases are taken, it gets one of them only if it has none.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

use time::{Duration, OffsetDateTime};

use crate::job::{JobLimits, Pace};

/// An attempt that takes longer is slow; a lane with an attempt that is under way for longer counts as
/// failing.
const SLOW: Duration = Duration::seconds(1);
/// How many of the reserved attempts a lane may have: each may turn out to hang.
const RESERVED_PER_LANE: u32 = 2;
/// How many idle lanes are remembered.
const MAX_REMEMBERED: usize = 4_096;

/// An attempt that is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunningAttempt<L> {
    lane: L,
    began_at: OffsetDateTime,
    number: u64,
}

/// A job whose attempt begins.
#[derive(Debug)]
pub(crate) struct StartedJob<L, T> {
    pub(crate) attempt: RunningAttempt<L>,
    pub(crate) job: T,
    pub(crate) leased_at: OffsetDateTime,
}

/// How many more jobs may be leased of each lane.
#[derive(Debug)]
pub(crate) struct Rooms<L> {
    pub(crate) named: Vec<(L, u32)>,
    /// Of each lane that is not named.
    pub(crate) per_lane: u32,
}

#[derive(Debug)]
struct Lane<T> {
    waiting: VecDeque<(T, OffsetDateTime)>,
    under_way: BTreeSet<(OffsetDateTime, u64)>,
    window: u32,
    /// How its last attempt ended; `None` before the first has.
    last_pace: Option<Pace>,
    /// It is in [`Lanes::ready`].
    is_ready: bool,
    /// How many more jobs the last leasing may return. At 0, it may have skipped due jobs.
    offered: u32,
}

impl<T> Lane<T> {
    fn new(window: u32, offered: u32) -> Self {
        Self {
            waiting: VecDeque::new(),
            under_way: BTreeSet::new(),
            window,
            last_pace: None,
            is_ready: false,
            offered,
        }
    }

    fn leased(&self) -> u32 {
        count(self.waiting.len()).saturating_add(count(self.under_way.len()))
    }

    /// How many more may be leased: none until half of the window is free, so that leases come in batches. In
    /// a kind without lanes, attempts that may hang do not keep the other places empty.
    fn room(&self, limits: &JobLimits, now: OffsetDateTime) -> u32 {
        let leased = self.leased();
        let fills_each_place = limits.reserved == 0 && self.slow(now) > self.window / 2;
        if leased > self.window / 2 && !fills_each_place { 0 } else { self.window.saturating_sub(leased) }
    }

    /// How many attempts have been under way for long.
    fn slow(&self, now: OffsetDateTime) -> u32 {
        count(self.under_way.iter().take_while(|(since, _)| now - *since > SLOW).count())
    }

    fn can_begin(&self, limits: &JobLimits) -> bool {
        let most = self.window.min(limits.under_way_per_lane);
        !self.waiting.is_empty() && count(self.under_way.len()) < most
    }

    fn is_failing(&self, now: OffsetDateTime) -> bool {
        self.last_pace.is_some_and(|pace| pace != Pace::Succeeded) || self.slow(now) > 0
    }

    /// Whether its attempts may be expected to end soon.
    fn is_trusted(&self, now: OffsetDateTime) -> bool {
        self.last_pace == Some(Pace::Succeeded) && !self.is_failing(now)
    }

    /// Whether the attempts under way of all lanes leave one for this lane.
    fn has_place(&self, limits: &JobLimits, all_under_way: u32, now: OffsetDateTime) -> bool {
        if !is_half_taken(limits, all_under_way) {
            return true;
        }
        let own = count(self.under_way.len());
        let is_reserved = all_under_way >= limits.unreserved();
        let most_reserved = if self.is_failing(now) { 0 } else { RESERVED_PER_LANE };
        (self.is_trusted(now) || own == 0) && (!is_reserved || own < most_reserved)
    }
}

/// Whether half of the attempts that are not reserved are under way.
const fn is_half_taken(limits: &JobLimits, under_way: u32) -> bool {
    limits.reserved > 0 && under_way >= limits.unreserved() / 2
}

/// The lanes that have leased jobs in this process, or had some recently.
#[derive(Debug)]
pub(crate) struct Lanes<L, T> {
    limits: JobLimits,
    lanes: HashMap<L, Lane<T>>,
    /// The lanes that can begin an attempt, in turn.
    ready: VecDeque<L>,
    under_way: u32,
    waiting: u32,
    begun: u64,
    /// How many jobs the last leasing may return of each lane that was not named.
    per_lane: u32,
}

impl<L: Copy + Eq + Hash, T> Lanes<L, T> {
    pub(crate) fn new(limits: JobLimits) -> Self {
        Self {
            limits,
            lanes: HashMap::new(),
            ready: VecDeque::new(),
            under_way: 0,
            waiting: 0,
            begun: 0,
            per_lane: limits.first_window,
        }
    }

    pub(crate) const fn limits(&self) -> JobLimits {
        self.limits
    }

    fn leased(&self) -> u32 {
        self.under_way.saturating_add(self.waiting)
    }

    /// How many more jobs may be leased in all.
    pub(crate) fn room(&self) -> u32 {
        self.limits.leased.saturating_sub(self.leased())
    }

    /// How many more jobs may be leased of each lane.
    pub(crate) fn rooms(&mut self, now: OffsetDateTime) -> Rooms<L> {
        let is_only_reserve_left = self.under_way >= self.limits.unreserved();
        let is_crowded = self.limits.reserved > 0 && self.leased() >= self.limits.leased / 2;
        let must_wait = is_crowded || is_half_taken(&self.limits, self.under_way);
        self.per_lane = if is_crowded { 1 } else { self.limits.first_window };
        let mut named = Vec::new();
        for (key, lane) in &mut self.lanes {
            let (is_idle, is_trusted) = (lane.leased() == 0, lane.is_trusted(now));
            lane.offered = if is_only_reserve_left && lane.is_failing(now) {
                0
            } else if is_idle {
                if is_trusted { self.limits.first_window } else { self.per_lane }
            } else if must_wait && !is_trusted {
                0
            } else {
                lane.room(&self.limits, now)
            };
            if !is_idle || lane.offered != self.per_lane {
                named.push((*key, lane.offered));
            }
        }
        Rooms { named, per_lane: self.per_lane }
    }

    /// Takes a job that was leased at `now` into its lane.
    pub(crate) fn take(&mut self, key: L, job: T, now: OffsetDateTime) {
        let (first_window, per_lane) = (self.limits.first_window, self.per_lane);
        let new_lane = || Lane::new(first_window, per_lane);
        let lane = self.lanes.entry(key).or_insert_with(new_lane);
        lane.waiting.push_back((job, now));
        lane.offered = lane.offered.saturating_sub(1);
        self.waiting = self.waiting.saturating_add(1);
        self.make_ready(key);
    }

    /// The next job to attempt, if one can begin: lanes take turns. It is under way from now on.
    pub(crate) fn begin(&mut self, now: OffsetDateTime) -> Option<StartedJob<L, T>> {
        if self.under_way >= self.limits.under_way {
            return None;
        }
        for _ in 0..self.ready.len() {
            let key = self.ready.pop_front()?;
            let Some(lane) = self.lanes.get_mut(&key) else {
                continue;
            };
            lane.is_ready = false;
            if !lane.can_begin(&self.limits) {
                continue;
            }
            if !lane.has_place(&self.limits, self.under_way, now) {
                self.make_ready(key);
                continue;
            }
            // A job that has waited too long is given back, not begun: its lease might end during the
            // attempt.
            let is_late = |(_, since): &(T, OffsetDateTime)| now - *since > self.limits.max_wait;
            if lane.waiting.front().is_some_and(is_late) {
                continue;
            }
            let Some((job, leased_at)) = lane.waiting.pop_front() else {
                continue;
            };
            self.begun = self.begun.wrapping_add(1);
            lane.under_way.insert((now, self.begun));
            self.under_way = self.under_way.saturating_add(1);
            self.waiting = self.waiting.saturating_sub(1);
            let attempt = RunningAttempt { lane: key, began_at: now, number: self.begun };
            self.make_ready(key);
            return Some(StartedJob { attempt, job, leased_at });
        }
        None
    }

    /// Ends an attempt. Returns whether to lease again, since there is room for jobs that were skipped.
    pub(crate) fn end(&mut self, attempt: &RunningAttempt<L>, now: OffsetDateTime, pace: Pace) -> bool {
        let limits = self.limits;
        let Some(lane) = self.leave(attempt) else {
            return false;
        };
        lane.last_pace = Some(pace);
        lane.window = match pace {
            Pace::Succeeded if now - attempt.began_at > SLOW => lane.window,
            Pace::Succeeded => lane.window.saturating_add(1).min(limits.largest_window),
            // Never below the first window: a failing lane is still attempted in time, and its leases delay
            // no other lane while there is room.
            Pace::Failed => (lane.window / 2).max(limits.first_window),
            Pace::TimedOut => limits.first_window,
        };
        self.left(attempt.lane, now)
    }

    /// Ends a job that was begun and not attempted: this says nothing about its lane.
    pub(crate) fn skip(&mut self, attempt: &RunningAttempt<L>, now: OffsetDateTime) -> bool {
        self.leave(attempt).is_some() && self.left(attempt.lane, now)
    }

    fn leave(&mut self, attempt: &RunningAttempt<L>) -> Option<&mut Lane<T>> {
        self.under_way = self.under_way.saturating_sub(1);
        let lane = self.lanes.get_mut(&attempt.lane)?;
        lane.under_way.remove(&(attempt.began_at, attempt.number));
        Some(lane)
    }

    fn left(&mut self, key: L, now: OffsetDateTime) -> bool {
        let lane = self.lanes.get(&key);
        let may_lease = lane.is_some_and(|lane| lane.offered == 0 && lane.room(&self.limits, now) > 0);
        self.make_ready(key);
        if self.lanes.len() > MAX_REMEMBERED {
            // A leasing under way may return jobs of a lane that was offered less than a whole window.
            let per_lane = self.per_lane;
            self.lanes.retain(|_, lane| lane.leased() > 0 || lane.offered < per_lane);
        }
        may_lease
    }

    /// Removes the jobs that have waited longer than [`JobLimits::max_wait`].
    pub(crate) fn take_late(&mut self, now: OffsetDateTime) -> Vec<T> {
        let max_wait = self.limits.max_wait;
        self.take_out(|since| now - since > max_wait)
    }

    /// Removes all waiting jobs.
    pub(crate) fn take_waiting(&mut self) -> Vec<T> {
        self.take_out(|_| true)
    }

    fn take_out(&mut self, goes: impl Fn(OffsetDateTime) -> bool) -> Vec<T> {
        let mut out = Vec::new();
        for lane in self.lanes.values_mut() {
            // The job that has waited longest is in front.
            while lane.waiting.front().is_some_and(|(_, since)| goes(*since)) {
                out.extend(lane.waiting.pop_front().map(|(job, _)| job));
            }
        }
        self.waiting = self.waiting.saturating_sub(count(out.len()));
        let keys: Vec<_> = self.lanes.keys().copied().collect();
        for key in keys {
            self.make_ready(key);
        }
        out
    }

    fn make_ready(&mut self, key: L) {
        let limits = self.limits;
        if let Some(lane) = self.lanes.get_mut(&key)
            && !lane.is_ready
            && lane.can_begin(&limits)
        {
            lane.is_ready = true;
            self.ready.push_back(key);
        }
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
