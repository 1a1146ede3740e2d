use kernel::Id;
use proptest::prelude::*;
use testkit::StillClock;
use uuid::Uuid;

use super::*;
use crate::delivery::DeliveryLease;
use crate::secret::SealedSecret;

fn endpoint(n: u8) -> EndpointId {
    Id::from_uuid(Uuid::from_u128(u128::from(n) << 64))
}

fn leased(endpoint: EndpointId, n: u32) -> LeasedDelivery {
    LeasedDelivery {
        lease: DeliveryLease {
            account: Id::from_uuid(Uuid::nil()),
            event: Id::from_uuid(Uuid::nil()),
            id: Id::from_uuid(Uuid::from_u128(n.into())),
            attempt: 1,
            until: NOW,
        },
        endpoint,
        url: String::new(),
        secret: SealedSecret(Vec::new()),
        body: String::new(),
    }
}

const NOW: OffsetDateTime = StillClock::START;

#[test]
fn lanes_take_turns() {
    let mut lanes = Lanes::default();
    for n in 0..6 {
        lanes.take(leased(endpoint(u8::from(n >= 3)), n), NOW);
    }
    let mut order = Vec::new();
    while let Some(begun) = lanes.begin(NOW) {
        order.push(begun.endpoint);
    }
    let [one, other] = [endpoint(0), endpoint(1)];
    assert_eq!(order, [one, other, one, other, one, other]);
}

#[test]
fn a_window_follows_how_the_endpoint_answers() {
    let mut lanes = Lanes::default();
    let window_after = |lanes: &mut Lanes, pace, took: i64| {
        lanes.take(leased(endpoint(1), 1), NOW);
        let begun = lanes.begin(NOW).unwrap();
        let ended_at = NOW + Duration::milliseconds(took);
        lanes.end(endpoint(1), begun.lease.id, NOW, ended_at, pace);
        lanes.lanes[&endpoint(1)].window
    };
    assert_eq!(window_after(&mut lanes, Pace::Succeeded, 5), 17);
    assert_eq!(window_after(&mut lanes, Pace::Succeeded, 1_500), 17, "slow");
    assert_eq!(window_after(&mut lanes, Pace::Failed, 5), 8);
    assert_eq!(window_after(&mut lanes, Pace::TimedOut, 15_000), 2);
    for _ in 0..600 {
        window_after(&mut lanes, Pace::Succeeded, 5);
    }
    assert_eq!(window_after(&mut lanes, Pace::Succeeded, 5), LARGEST_WINDOW);
}

#[test]
fn when_much_hangs_endpoints_in_trouble_get_no_more() {
    let mut lanes = Lanes::default();
    for n in 0..48 {
        for m in 0..16 {
            lanes.take(leased(endpoint(n), u32::from(n) * 16 + m), NOW);
        }
    }
    while lanes.begin(NOW).is_some() {}
    assert_eq!(lanes.under_way, 768);
    let later = NOW + Duration::seconds(2);
    let rooms = lanes.rooms(later);
    assert_eq!(rooms.len(), 48);
    assert!(rooms.iter().all(|(_, room)| *room == 0));
    lanes.take(leased(endpoint(200), 9_999), later);
    assert!(lanes.begin(later).is_some(), "the others go on");
}

#[test]
fn what_waits_too_long_is_taken_out() {
    let mut lanes = Lanes::default();
    for n in 0..40 {
        lanes.take(leased(endpoint(1), n), NOW);
    }
    while lanes.begin(NOW).is_some() {}
    let patience_ends = NOW + Schedule::PATIENCE;
    assert!(lanes.impatient(patience_ends).is_empty());
    let out = lanes.impatient(patience_ends + Duration::milliseconds(1));
    assert_eq!(out.len(), 40 - 16);
    assert_eq!(lanes.waiting, 0);
}

#[derive(Debug, Clone)]
enum Step {
    Lease(u8, u8),
    Begin,
    End(prop::sample::Index, Pace, u16),
}

fn step() -> impl Strategy<Value = Step> {
    let pace = prop_oneof![
        Just(Pace::Succeeded),
        Just(Pace::Failed),
        Just(Pace::TimedOut)
    ];
    prop_oneof![
        (0..6_u8, 1..40_u8).prop_map(|(endpoint, count)| Step::Lease(endpoint, count)),
        Just(Step::Begin),
        (any::<prop::sample::Index>(), pace, 0..20_000_u16)
            .prop_map(|(which, pace, took)| Step::End(which, pace, took)),
    ]
}

proptest! {
    /// Whatever happens, each delivery begins once, the counts are right, and no lane has more under way than it may.
    #[test]
    fn nothing_is_lost_and_nothing_doubled(steps in prop::collection::vec(step(), 1..200)) {
        let mut lanes = Lanes::default();
        let (mut made, mut begun) = (0_u32, Vec::new());
        let mut under_way = Vec::<(EndpointId, DeliveryId)>::new();
        for step in steps {
            match step {
                Step::Lease(n, count) => for _ in 0..count {
                    lanes.take(leased(endpoint(n), made), NOW);
                    made += 1;
                },
                Step::Begin => while let Some(one) = lanes.begin(NOW) {
                    begun.push(one.lease.id);
                    under_way.push((one.endpoint, one.lease.id));
                },
                Step::End(which, pace, took) => if !under_way.is_empty() {
                    let (endpoint, id) = under_way.swap_remove(which.index(under_way.len()));
                    let ended_at = NOW + Duration::milliseconds(took.into());
                    lanes.end(endpoint, id, NOW, ended_at, pace);
                },
            }
            prop_assert_eq!(count(under_way.len()), lanes.under_way);
            let waiting = made - count(begun.len());
            prop_assert_eq!(waiting, lanes.waiting);
            for lane in lanes.lanes.values() {
                prop_assert!(count(lane.under_way.len()) <= MOST_UNDER_WAY_EACH);
                prop_assert!((SMALLEST_WINDOW..=LARGEST_WINDOW).contains(&lane.window));
            }
        }
        while let Some(one) = lanes.begin(NOW) {
            begun.push(one.lease.id);
            lanes.end(one.endpoint, one.lease.id, NOW, NOW, Pace::Succeeded);
        }
        // What is under way for good may keep its own lane shut, and no other.
        let stuck: Vec<_> = under_way.iter().map(|(endpoint, _)| *endpoint).collect();
        for (endpoint, lane) in &lanes.lanes {
            prop_assert!(lane.waiting.is_empty() || stuck.contains(endpoint));
        }
        let distinct = begun.iter().collect::<std::collections::HashSet<_>>().len();
        prop_assert_eq!(distinct, begun.len());
    }
}
