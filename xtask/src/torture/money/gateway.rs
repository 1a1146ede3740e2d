//! The gateway: the stand-in for Stripe and its injected faults, payers at its checkout, banks that carry
//! debits out, decide disputes and fail refunds, and an owner who refunds at its dashboard.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::super::leading_clock::LeadingClock;
use crate::fixtures::stripe::world::World;
use crate::fixtures::stripe::{InjectedFault, StandIn};
use crate::seed::random::SeededGenerator;

/// How often the gateway and the banks act on their own, and how many actions they take.
const ROUND: Duration = Duration::from_millis(50);
const OF_A_ROUND: usize = 12;

/// How far the clock is ahead at the beginning of the last part of the scenario: more than the waits after
/// four failed attempts.
pub(super) const AHEAD: time::Duration = time::Duration::hours(2);

/// In one of this many rounds a refund that had succeeded comes back.
const FAILING_REFUND: u64 = 40;

/// How many of a hundred calls fail in each way.
const LOSE_THE_ANSWER: u64 = 4;
const FAIL: u64 = 4;
const ARE_TOO_MANY: u64 = 1;

pub(super) struct Gateway {
    stripe: StandIn,
    pub(super) clock: LeadingClock,
    generator: SeededGenerator,
    charged: AtomicU32,
    injected: Arc<AtomicUsize>,
    /// The later events of charges, caused by the bank or the owner.
    later: Mutex<Vec<Outcome>>,
}

/// A later event of a charge.
#[derive(Debug, Clone)]
enum Outcome {
    DebitSucceeds(String),
    DebitFails(String),
    /// The owner refunds a part at the gateway: the charge, and the percentage.
    RefundedElsewhere(String, i64),
    Disputed(String),
    DisputeDecided(String, &'static str),
}

impl Gateway {
    pub(super) async fn start(clock: &LeadingClock, generator: SeededGenerator) -> Self {
        let stripe = StandIn::start(Arc::new(clock.clone())).await;
        let (injected, later) = (Arc::default(), Mutex::default());
        Self { stripe, clock: clock.clone(), generator, charged: AtomicU32::new(0), injected, later }
    }

    pub(super) fn url(&self) -> String {
        self.stripe.url()
    }

    /// Sets whether some calls fail, or are carried out without a response.
    pub(super) fn misbehave(&self, does: bool) {
        let generator = SeededGenerator::new(self.generator.next(), 0, 0);
        let injected = self.injected.clone();
        self.stripe.inject_faults(move || {
            let fault = injected_fault(generator.below(100)).filter(|_| does);
            injected.fetch_add(usize::from(fault.is_some()), Ordering::Relaxed);
            fault
        });
    }

    /// A payer pays at the checkout, by card or debit, sometimes after a declined card. `None` if that
    /// checkout is closed.
    pub(super) fn pay(&self, session: &str, generator: &SeededGenerator) -> Option<()> {
        let (kind, outcome) = (generator.below(100), generator.below(100));
        let percent = i64::try_from(generator.below(100)).ok()? + 1;
        let pay = |world: &mut World| {
            if !world.is_open(session) {
                return None;
            }
            if kind < 6 {
                world.decline(session);
            }
            Some(if kind < 84 {
                (world.pay(session, "card"), true)
            } else {
                (world.order_debit(session, "au_becs_debit"), false)
            })
        };
        let (charge, is_card) = self.stripe.world(pay)?;
        self.charged.fetch_add(1, Ordering::Relaxed);
        let outcome = match (is_card, outcome) {
            (false, 0..20) => Outcome::DebitFails(charge),
            (false, _) => Outcome::DebitSucceeds(charge),
            (true, 0..5) => Outcome::RefundedElsewhere(charge, percent),
            (true, 5..8) => Outcome::Disputed(charge),
            (true, _) => return Some(()),
        };
        self.later().push(outcome);
        Some(())
    }

    /// The path to which the payer returns.
    pub(super) fn return_path(&self, session: &str, base: &str) -> Option<String> {
        let session = self.stripe.world(|world| world.session(session));
        let url = session.get("success_url").and_then(Value::as_str)?;
        url.strip_prefix(base).map(str::to_owned)
    }

    /// Carries out later events of charges gradually, and the remaining ones at the end.
    pub(super) async fn run(self: Arc<Self>, stopped: watch::Receiver<bool>) {
        let generator = SeededGenerator::new(self.generator.next(), 0, 0);
        loop {
            let is_over = *stopped.borrow();
            if generator.below(FAILING_REFUND) == 0 {
                self.stripe.world(|world| fail_a_refund(world, &generator));
            }
            for _ in 0..OF_A_ROUND {
                let Some(outcome) = self.next_outcome(&generator) else {
                    if is_over {
                        return;
                    }
                    break;
                };
                let then = self.stripe.world(|world| apply_outcome(world, outcome, generator.below(2) == 0));
                self.later().extend(then);
            }
            tokio::time::sleep(ROUND).await;
        }
    }

    fn next_outcome(&self, generator: &SeededGenerator) -> Option<Outcome> {
        let mut later = self.later();
        let place = generator.below(u64::try_from(later.len()).ok()?);
        (!later.is_empty()).then(|| later.swap_remove(usize::try_from(place).unwrap_or_default()))
    }

    /// The events that were not fetched yet.
    pub(super) fn take_events(&self) -> Vec<Value> {
        self.stripe.world(World::take_events)
    }

    /// The number of charges that were made, including pending ones.
    pub(super) fn charged(&self) -> u32 {
        self.charged.load(Ordering::Relaxed)
    }

    pub(super) fn calls(&self) -> usize {
        self.stripe.calls().len()
    }

    pub(super) fn injected_faults(&self) -> usize {
        self.injected.load(Ordering::Relaxed)
    }

    pub(super) fn faults(&self) -> Vec<String> {
        self.stripe.faults()
    }

    /// The gateway's records: charges, refunds and disputes.
    pub(super) fn records(&self) -> [Vec<Value>; 3] {
        self.stripe.world(|world| [world.charges(), world.refunds(), world.disputes()].map(<[Value]>::to_vec))
    }

    fn later(&self) -> MutexGuard<'_, Vec<Outcome>> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn injected_fault(draw: u64) -> Option<InjectedFault> {
    let error = |text: &str| json!({"error": {"type": "api_error", "message": text}});
    if draw < LOSE_THE_ANSWER {
        Some(InjectedFault::LoseResponse)
    } else if draw < LOSE_THE_ANSWER + FAIL {
        Some(InjectedFault::Respond(503, error("down")))
    } else if draw < LOSE_THE_ANSWER + FAIL + ARE_TOO_MANY {
        Some(InjectedFault::Respond(429, error("too many")))
    } else {
        None
    }
}

/// Carries out an outcome, and returns the one that follows it.
fn apply_outcome(world: &mut World, outcome: Outcome, is_won: bool) -> Option<Outcome> {
    match outcome {
        Outcome::DebitSucceeds(charge) => world.debit_succeeds(&charge),
        Outcome::DebitFails(charge) => world.debit_fails(&charge),
        Outcome::RefundedElsewhere(charge, percent) => {
            let amount = untouched(world, &charge)?;
            world.refund_elsewhere(&charge, (amount * percent / 100).max(1));
        }
        Outcome::Disputed(charge) => {
            let amount = untouched(world, &charge)?;
            let dispute = world.dispute(&charge, amount, "aud", "needs_response");
            return Some(Outcome::DisputeDecided(dispute, if is_won { "won" } else { "lost" }));
        }
        Outcome::DisputeDecided(dispute, how) => world.dispute_becomes(&dispute, how),
    }
    None
}

/// A bank sends a refund back.
fn fail_a_refund(world: &mut World, generator: &SeededGenerator) {
    let gone =
        world.refunds().iter().filter(|one| one.get("status").and_then(Value::as_str) == Some("succeeded"));
    let gone: Vec<String> =
        gone.filter_map(|one| one.get("id").and_then(Value::as_str)).map(str::to_owned).collect();
    if let Some(refund) = generator.pick(&gone) {
        world.refund_becomes(refund, "failed");
    }
}

/// The captured amount of a charge without refunds.
fn untouched(world: &World, charge: &str) -> Option<i64> {
    let record = world.charges().iter().find(|one| one.get("id").and_then(Value::as_str) == Some(charge))?;
    let amount = record.get("amount_captured").and_then(Value::as_i64)?;
    (world.number_of_refunds(charge) == 0).then_some(amount)
}
