use std::collections::BTreeMap;

use proptest::prelude::*;
use testkit::FixedClock;

use super::*;

const LIMITS: JobLimits = JobLimits {
    batch: 512,
    leased: 2_048,
    under_way: 800,
    reserved: 100,
    under_way_per_lane: 32,
    first_window: 16,
    largest_window: 512,
    max_wait: Duration::seconds(10),
};
const NOW: OffsetDateTime = FixedClock::START;

/// Lanes named by a number, whose jobs are numbers.
fn lanes() -> Lanes<u8, u32> {
    Lanes::new(LIMITS)
}

#[test]
fn begin_takes_lanes_in_turn() {
    let mut lanes = lanes();
    for n in 0..6 {
        lanes.take(u8::from(n >= 3), n, NOW);
    }
    let mut order = Vec::new();
    while let Some(begun) = lanes.begin(NOW) {
        order.push(begun.attempt.lane);
    }
    assert_eq!(order, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn window_grows_with_quick_success_and_shrinks_with_failure() {
    let mut lanes = lanes();
    let window_after = |lanes: &mut Lanes<u8, u32>, pace, took: i64| {
        lanes.take(1, 1, NOW);
        let begun = lanes.begin(NOW).unwrap();
        let ended_at = NOW + Duration::milliseconds(took);
        lanes.end(&begun.attempt, ended_at, pace);
        lanes.lanes[&1].window
    };
    assert_eq!(window_after(&mut lanes, Pace::Succeeded, 5), 17);
    assert_eq!(window_after(&mut lanes, Pace::Succeeded, 1_500), 17, "slow");
    assert_eq!(window_after(&mut lanes, Pace::Failed, 5), 16);
    assert_eq!(window_after(&mut lanes, Pace::TimedOut, 15_000), 16);
    for _ in 0..600 {
        window_after(&mut lanes, Pace::Succeeded, 5);
    }
    let largest = window_after(&mut lanes, Pace::Succeeded, 5);
    assert_eq!(largest, LIMITS.largest_window);
}

#[test]
fn slow_attempts_of_a_kind_without_lanes_leave_its_other_places_to_others() {
    let mut lanes = Lanes::<(), u32>::new(JobLimits::concurrent(4));
    for n in 0..3 {
        lanes.take((), n, NOW);
    }
    let begun: Vec<_> = std::iter::from_fn(|| lanes.begin(NOW)).collect();
    let room = |lanes: &mut Lanes<(), u32>, now| lanes.rooms(now).named[0].1;
    assert_eq!(room(&mut lanes, NOW), 0, "jobs that end at once are leased in batches");
    let later = NOW + Duration::seconds(2);
    let mut few = Lanes::<(), u32>::new(JobLimits::concurrent(4));
    few.take((), 0, NOW);
    few.begin(NOW).unwrap();
    for n in 1..3 {
        few.take((), n, later);
    }
    assert_eq!(room(&mut few, later), 0, "one slow attempt ends no batch");
    assert_eq!(room(&mut lanes, later), 1);
    lanes.take((), 3, later);
    let fourth = lanes.begin(later).unwrap();
    assert!(lanes.end(&fourth.attempt, later, Pace::Succeeded), "the next one is leased at once");
    assert_eq!(begun.len(), 3);
}

#[test]
fn rooms_of_failing_lanes_are_none_when_most_attempts_hang() {
    let mut lanes = Lanes::<u16, u32>::new(LIMITS);
    for lane in 0..700 {
        lanes.take(lane, 0, NOW);
    }
    while lanes.begin(NOW).is_some() {}
    assert_eq!(lanes.under_way, 700);
    let later = NOW + Duration::seconds(2);
    let Rooms { named, .. } = lanes.rooms(later);
    assert_eq!(named.len(), 700);
    assert!(named.iter().all(|(_, room)| *room == 0));
    lanes.take(9_999, 0, later);
    assert!(lanes.begin(later).is_some(), "other lanes are served");
}

#[test]
fn lane_that_has_not_succeeded_gets_one_attempt_and_one_lease_once_half_are_taken() {
    let mut lanes = lanes();
    for lane in 0..64 {
        for n in 0..16 {
            lanes.take(lane, n, NOW);
        }
    }
    while lanes.begin(NOW).is_some() {}
    assert_eq!(lanes.under_way, 350, "half of what is not reserved");
    let Rooms { named, per_lane } = lanes.rooms(NOW);
    assert_eq!(per_lane, 1, "half of all leases are taken");
    assert!(named.iter().all(|(_, room)| *room == 0));
    for lane in 64..=255 {
        lanes.take(lane, 0, NOW);
        assert!(lanes.begin(NOW).is_some_and(|begun| begun.attempt.lane == lane), "{lane}");
    }
    assert!(lanes.begin(NOW).is_none());
}

#[test]
fn lane_in_order_is_leased_in_batches_while_others_hang() {
    let mut lanes = Lanes::<u16, u32>::new(LIMITS);
    lanes.take(0, 0, NOW);
    let begun = lanes.begin(NOW).unwrap();
    lanes.end(&begun.attempt, NOW, Pace::Succeeded);
    for lane in 1..=70 {
        for n in 0..16 {
            lanes.take(lane, n, NOW);
        }
    }
    while lanes.begin(NOW).is_some() {}
    let room =
        |rooms: &Rooms<u16>, lane| rooms.named.iter().find(|(key, _)| *key == lane).map(|(_, room)| *room);
    let rooms = lanes.rooms(NOW);
    assert_eq!((rooms.per_lane, room(&rooms, 0), room(&rooms, 1)), (1, Some(LIMITS.first_window), Some(0)));
    for n in 0..16 {
        lanes.take(0, n, NOW);
    }
    let mut begun = 0;
    while lanes.begin(NOW).is_some_and(|one| one.attempt.lane == 0) {
        begun += 1;
    }
    assert_eq!(begun, 16);
}

#[test]
fn failing_lanes_take_none_of_the_reserved_attempts_and_others_take_few() {
    let mut lanes = Lanes::<u16, u32>::new(LIMITS);
    for (lane, pace) in [(0, Pace::Succeeded)].into_iter().chain((1..900).map(|lane| (lane, Pace::TimedOut)))
    {
        lanes.take(lane, 0, NOW);
        let begun = lanes.begin(NOW).unwrap();
        lanes.end(&begun.attempt, NOW, pace);
    }
    for lane in 1..900 {
        lanes.take(lane, 0, NOW);
        lanes.take(lane, 0, NOW);
    }
    while lanes.begin(NOW).is_some() {}
    assert_eq!(lanes.under_way, 700);
    for n in 0..RESERVED_PER_LANE {
        lanes.take(0, n, NOW);
        assert!(lanes.begin(NOW).is_some_and(|begun| begun.attempt.lane == 0));
    }
    lanes.take(0, 9, NOW);
    assert!(lanes.begin(NOW).is_none());
    lanes.take(1_000, 0, NOW);
    assert!(lanes.begin(NOW).is_some_and(|begun| begun.attempt.lane == 1_000), "it has not failed yet");
}

#[test]
fn take_late_returns_jobs_that_waited_longer_than_max_wait() {
    let mut lanes = lanes();
    for n in 0..40 {
        lanes.take(1, n, NOW);
    }
    while lanes.begin(NOW).is_some() {}
    let limit = NOW + LIMITS.max_wait;
    assert!(lanes.take_late(limit).is_empty());
    let late = lanes.take_late(limit + Duration::milliseconds(1));
    assert_eq!(late.len(), 40 - 16);
    assert_eq!(lanes.waiting, 0);
}

#[test]
fn skip_frees_the_place_and_leaves_the_window() {
    let mut lanes = lanes();
    lanes.take(1, 1, NOW);
    let begun = lanes.begin(NOW).unwrap();
    lanes.skip(&begun.attempt, NOW);
    assert_eq!((lanes.under_way, lanes.lanes[&1].leased()), (0, 0));
    assert_eq!(lanes.lanes[&1].window, LIMITS.first_window);
}

/// A queue, and the lanes of a worker that leases from it when it is signalled or [`Lanes::end`] says so.
struct Worker {
    lanes: Lanes<u8, u32>,
    due: BTreeMap<u8, u32>,
    must_lease: bool,
    /// The rooms of the leasing that is under way.
    leasing: Option<Rooms<u8>>,
    under_way: Vec<RunningAttempt<u8>>,
}

impl Worker {
    fn idle() -> Self {
        Self { lanes: lanes(), due: BTreeMap::new(), must_lease: false, leasing: None, under_way: Vec::new() }
    }

    fn queue(&mut self, lane: u8, count: u32) {
        *self.due.entry(lane).or_default() += count;
        self.must_lease = true;
    }

    fn begin_leasing(&mut self) {
        if self.leasing.is_none() && std::mem::take(&mut self.must_lease) {
            self.leasing = Some(self.lanes.rooms(NOW));
        }
    }

    fn end_leasing(&mut self) {
        let Some(Rooms { named, per_lane }) = self.leasing.take() else { return };
        let rooms: BTreeMap<u8, u32> = named.into_iter().collect();
        for (lane, due) in &mut self.due {
            let room = rooms.get(lane).copied().unwrap_or(per_lane);
            for _ in 0..room.min(*due) {
                self.lanes.take(*lane, 0, NOW);
                *due -= 1;
            }
        }
        while let Some(begun) = self.lanes.begin(NOW) {
            self.under_way.push(begun.attempt);
        }
    }

    fn end_attempt(&mut self, which: prop::sample::Index, pace: Pace) {
        if !self.under_way.is_empty() {
            let attempt = self.under_way.swap_remove(which.index(self.under_way.len()));
            self.must_lease |= self.lanes.end(&attempt, NOW, pace);
            while let Some(begun) = self.lanes.begin(NOW) {
                self.under_way.push(begun.attempt);
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Event {
    Queue(u8, u32),
    BeginLeasing,
    EndLeasing,
    EndAttempt(prop::sample::Index, Pace),
}

fn event() -> impl Strategy<Value = Event> {
    let pace = prop_oneof![4 => Just(Pace::Succeeded), 1 => Just(Pace::Failed)];
    prop_oneof![
        2 => (0..3_u8, 1..40_u32).prop_map(|(lane, count)| Event::Queue(lane, count)),
        2 => Just(Event::BeginLeasing),
        2 => Just(Event::EndLeasing),
        8 => (any::<prop::sample::Index>(), pace).prop_map(|(which, pace)| Event::EndAttempt(which, pace)),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Lease(u8, u8),
    Begin,
    End(prop::sample::Index, Pace, u16),
}

fn step() -> impl Strategy<Value = Step> {
    let pace = prop_oneof![Just(Pace::Succeeded), Just(Pace::Failed), Just(Pace::TimedOut)];
    prop_oneof![
        (0..6_u8, 1..40_u8).prop_map(|(lane, count)| Step::Lease(lane, count)),
        Just(Step::Begin),
        (any::<prop::sample::Index>(), pace, 0..20_000_u16)
            .prop_map(|(which, pace, took)| Step::End(which, pace, took)),
    ]
}

proptest! {
    /// A worker that is signalled for each job leases all of them without polling.
    #[test]
    fn job_without_free_place_is_leased_later(
        events in prop::collection::vec(event(), 1..120),
        which in any::<prop::sample::Index>(),
    ) {
        let mut worker = Worker::idle();
        for event in events {
            match event {
                Event::Queue(lane, count) => worker.queue(lane, count),
                Event::BeginLeasing => worker.begin_leasing(),
                Event::EndLeasing => worker.end_leasing(),
                Event::EndAttempt(which, pace) => worker.end_attempt(which, pace),
            }
        }
        while worker.must_lease || worker.leasing.is_some() || !worker.under_way.is_empty() {
            worker.begin_leasing();
            worker.end_leasing();
            worker.end_attempt(which, Pace::Succeeded);
        }
        prop_assert!(worker.due.values().all(|due| *due == 0), "{:?}", worker.due);
    }

    /// Each job begins once, the counts are right, and no lane has more under way than allowed.
    #[test]
    fn no_job_is_lost_or_begun_twice(steps in prop::collection::vec(step(), 1..200)) {
        let mut lanes = lanes();
        let (mut made, mut begun) = (0_u32, Vec::new());
        let mut under_way = Vec::new();
        for step in steps {
            match step {
                Step::Lease(lane, count) => for _ in 0..count {
                    lanes.take(lane, made, NOW);
                    made += 1;
                },
                Step::Begin => while let Some(one) = lanes.begin(NOW) {
                    begun.push(one.job);
                    under_way.push(one.attempt);
                },
                Step::End(which, pace, took) => if !under_way.is_empty() {
                    let attempt = under_way.swap_remove(which.index(under_way.len()));
                    let ended_at = NOW + Duration::milliseconds(took.into());
                    lanes.end(&attempt, ended_at, pace);
                },
            }
            prop_assert_eq!(count(under_way.len()), lanes.under_way);
            let waiting = made - count(begun.len());
            prop_assert_eq!(waiting, lanes.waiting);
            for lane in lanes.lanes.values() {
                prop_assert!(count(lane.under_way.len()) <= LIMITS.under_way_per_lane);
                prop_assert!((LIMITS.first_window..=LIMITS.largest_window).contains(&lane.window));
            }
        }
        while let Some(one) = lanes.begin(NOW) {
            begun.push(one.job);
            lanes.end(&one.attempt, NOW, Pace::Succeeded);
        }
        // Attempts that never end may block their own lane, and no other.
        let stuck: Vec<_> = under_way.iter().map(|attempt| attempt.lane).collect();
        for (key, lane) in &lanes.lanes {
            prop_assert!(lane.waiting.is_empty() || stuck.contains(key));
        }
        let distinct = begun.iter().collect::<std::collections::HashSet<_>>().len();
        prop_assert_eq!(distinct, begun.len());
    }
}
