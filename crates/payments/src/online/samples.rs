//! Records for the tests of this module.

use invoices::PayToken;
use kernel::{Currency, Id, Money};
use testkit::{CountingIds, FixedClock, FixedRandom};

use super::charge::Charge;
use super::intent::{Intent, IntentState};
use crate::gateway::{ChargeId, ChargeReport, ChargeState, MethodKind};

/// An amount in AUD.
pub(super) fn aud(minor: i64) -> Money {
    Money::new(minor, Currency::parse("AUD").unwrap())
}

/// What the gateway reports of a charge.
pub(super) fn report(state: ChargeState, minor: i64) -> ChargeReport {
    ChargeReport {
        id: ChargeId("ch_1".to_owned()),
        intent: None,
        account: None,
        state,
        amount: aud(minor),
        method: MethodKind::Card,
        captured_at: FixedClock::START,
        reversals: Vec::new(),
    }
}

/// A pending charge of an intent of its own.
pub(super) fn charge(ids: &CountingIds, minor: i64) -> Charge {
    let now = FixedClock::START;
    let of = (Id::new(ids, now), Id::new(ids, now), Id::new(ids, now));
    Charge::first_seen(Id::new(ids, now), Id::new(ids, now), of, &report(ChargeState::Pending, minor))
}

/// An intent that begins with the clock.
pub(super) fn intent(ids: &CountingIds, state: IntentState, minor: i64) -> Intent {
    let now = FixedClock::START;
    let account = Id::new(ids, now);
    Intent {
        id: Id::new(ids, now),
        account,
        invoice: Id::new(ids, now),
        gateway_account: Id::new(ids, now),
        amount: aud(minor),
        state,
        opened_with: None,
        checkout: None,
        token: PayToken::generate(account, &FixedRandom::default()),
        created_at: now,
        expires_at: now.saturating_add(Intent::LASTS),
    }
}
