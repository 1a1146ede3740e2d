//! Money of a charge that is returned to the payer.

use kernel::{AccountId, Id, Money};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use super::charge_id::ChargeRowId;
use crate::gateway::{RefundKey, RefundState, ReversalKind, ReversalReport};

/// Why money of a charge is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ReversalReason {
    /// The money could not be applied.
    Return,
    /// The owner or the operator requested a refund.
    Refund,
    /// The money was refunded at the gateway, without this service.
    Elsewhere,
    /// The payer's bank took the money back.
    Dispute,
}

impl ReversalReason {
    /// Whether this service requests it from the gateway.
    #[must_use]
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::Return | Self::Refund)
    }
}

/// Marks ids of reversals.
pub enum ReversalEntity {}

/// The id of a reversal.
pub type ReversalId = Id<ReversalEntity>;

/// Money of a charge that is returned to the payer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// The reversal's id.
    pub id: ReversalId,
    /// The account.
    pub account: AccountId,
    /// The charge.
    pub charge: ChargeRowId,
    /// The reason.
    pub reason: ReversalReason,
    /// The amount.
    pub amount: Money,
    /// Whether the gateway has paid it out.
    pub state: RefundState,
    /// The key under which it is requested from the gateway; a new one after each failure there.
    pub gateway_refund_key: RefundKey,
    /// The gateway's id of the refund or dispute, once known.
    pub gateway_id: Option<String>,
    /// When it was requested or first seen, UTC.
    pub created_at: OffsetDateTime,
    /// When it was seen to have succeeded, UTC; `None` in every other state.
    pub succeeded_at: Option<OffsetDateTime>,
}

impl Reversal {
    /// The key under which the reversal of this id is requested for the first time.
    #[must_use]
    pub const fn first_key(id: ReversalId) -> RefundKey {
        RefundKey::from_uuid(id.uuid())
    }

    /// Whether its key is no longer the first one: it failed at the gateway, or a refund that was made there
    /// counts as it or as a part of it.
    #[must_use]
    pub fn has_another_key(&self) -> bool {
        self.gateway_refund_key != Self::first_key(self.id)
    }

    /// The known reversal that a report is about, if any.
    #[must_use]
    pub fn reported<'a>(known: &'a [Self], report: &ReversalReport) -> Option<&'a Self> {
        let by_id = known.iter().find(|one| one.gateway_id.as_deref() == Some(&*report.id));
        by_id.or_else(|| known.iter().find(|one| report.refund == Some(one.gateway_refund_key)))
    }

    /// When the money went back, as far as is known; until then, when it was requested.
    #[must_use]
    pub fn at(&self) -> OffsetDateTime {
        self.succeeded_at.unwrap_or(self.created_at)
    }

    /// This reversal in the state that it has at an instant.
    #[must_use]
    pub fn in_state(self, state: RefundState, now: OffsetDateTime) -> Self {
        let succeeded_at = match (state, self.state) {
            (RefundState::Succeeded, RefundState::Succeeded) => self.succeeded_at,
            (RefundState::Succeeded, _) => Some(now),
            (RefundState::Pending | RefundState::Failed, _) => None,
        };
        Self { state, succeeded_at, ..self }
    }

    /// Whether the gateway has accepted the refund, which has not arrived yet.
    #[must_use]
    pub const fn is_on_its_way(&self) -> bool {
        matches!(self.state, RefundState::Pending) && self.gateway_id.is_some()
    }

    /// Whether a refund that was made without this service is on its way to the payer.
    #[must_use]
    pub fn is_one_on_its_way(known: &[Self], report: &ReversalReport) -> bool {
        report.kind == ReversalKind::Refund
            && report.state == RefundState::Pending
            && Self::reported(known, report).is_none()
    }

    /// This reversal as a report shows it; `None` when the report changes nothing.
    #[must_use]
    pub fn updated(self, report: &ReversalReport, now: OffsetDateTime) -> Option<Self> {
        let is_late = match self.reason {
            // A failed refund of this service is requested again.
            ReversalReason::Return | ReversalReason::Refund => report.state == RefundState::Failed,
            // A refund that failed, and a dispute that was won, are over: a further one has another id.
            _ if self.state == RefundState::Failed => true,
            // A report may be applied after a newer one.
            ReversalReason::Dispute | ReversalReason::Elsewhere => report.state == RefundState::Pending,
        };
        let new = Self { gateway_id: Some(report.id.clone()), ..self.clone() }.in_state(report.state, now);
        (!is_late && new != self).then_some(new)
    }

    /// A reversal that was made without this service.
    #[must_use]
    pub fn made_elsewhere(
        id: ReversalId,
        account: AccountId,
        charge: ChargeRowId,
        report: &ReversalReport,
        now: OffsetDateTime,
    ) -> Self {
        let reason = match report.kind {
            ReversalKind::Refund => ReversalReason::Elsewhere,
            ReversalKind::Dispute => ReversalReason::Dispute,
        };
        Self {
            id,
            account,
            charge,
            reason,
            amount: report.amount,
            state: report.state,
            gateway_refund_key: Self::first_key(id),
            gateway_id: Some(report.id.clone()),
            created_at: now,
            succeeded_at: (report.state == RefundState::Succeeded).then_some(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use testkit::{CountingIds, FixedClock};
    use time::Duration;

    use super::*;
    use crate::online::samples::{aud, charge};

    const LATER: OffsetDateTime = FixedClock::START.saturating_add(Duration::HOUR);

    /// Money that goes back, of an amount of 40, with the gateway's id `re_1`.
    fn reversal(ids: &CountingIds, reason: ReversalReason, state: RefundState) -> Reversal {
        let new = charge(ids, 110).reversal(Id::new(ids, LATER), reason, aud(40), FixedClock::START);
        Reversal { gateway_id: Some("re_1".to_owned()), ..new }.in_state(state, FixedClock::START)
    }

    fn report(id: &str, refund: Option<RefundKey>, state: RefundState) -> ReversalReport {
        ReversalReport { id: id.to_owned(), kind: ReversalKind::Refund, refund, amount: aud(40), state }
    }

    #[test]
    fn report_is_about_the_reversal_of_its_id_or_else_of_its_key() {
        let ids = CountingIds::default();
        let known = reversal(&ids, ReversalReason::Refund, RefundState::Pending);
        let other =
            Reversal { gateway_id: None, ..reversal(&ids, ReversalReason::Refund, RefundState::Pending) };
        let both = [known.clone(), other.clone()];
        let found = |id, key| Reversal::reported(&both, &report(id, key, RefundState::Pending));
        assert_eq!(found("re_1", None), Some(&known));
        assert_eq!(found("re_1", Some(other.gateway_refund_key)), Some(&known));
        assert_eq!(found("re_2", Some(other.gateway_refund_key)), Some(&other));
        assert_eq!((found("re_2", None), found("re_2", Some(Id::new(&ids, LATER)))), (None, None));
    }

    #[test]
    fn refund_that_was_made_elsewhere_is_on_its_way_until_it_is_known_or_over() {
        let ids = CountingIds::default();
        let known = [reversal(&ids, ReversalReason::Elsewhere, RefundState::Pending)];
        let is = |report| Reversal::is_one_on_its_way(&known, &report);
        assert!(is(report("re_2", None, RefundState::Pending)));
        assert!(!is(report("re_1", None, RefundState::Pending)));
        assert!(!is(report("re_2", None, RefundState::Succeeded)));
        let dispute =
            ReversalReport { kind: ReversalKind::Dispute, ..report("dp_1", None, RefundState::Pending) };
        assert!(!is(dispute));
    }

    #[test]
    fn late_report_changes_nothing() {
        use RefundState::{Failed, Pending, Succeeded};
        use ReversalReason::{Dispute, Elsewhere, Refund, Return};
        let ids = CountingIds::default();
        for (reason, from, to, is_taken) in [
            (Return, Pending, Succeeded, true),
            (Refund, Failed, Succeeded, true),
            (Refund, Failed, Pending, true),
            (Refund, Pending, Failed, false),
            (Return, Succeeded, Failed, false),
            (Elsewhere, Pending, Succeeded, true),
            (Elsewhere, Succeeded, Failed, true),
            (Elsewhere, Succeeded, Pending, false),
            (Elsewhere, Failed, Succeeded, false),
            (Dispute, Succeeded, Failed, true),
            (Dispute, Failed, Succeeded, false),
            (Dispute, Succeeded, Succeeded, false),
        ] {
            let before = reversal(&ids, reason, from);
            let after = before.clone().updated(&report("re_1", None, to), LATER);
            let expected = is_taken.then(|| before.in_state(to, LATER));
            assert_eq!(after, expected, "{reason:?} {from:?} {to:?}");
        }
    }

    #[test]
    fn request_takes_the_id_that_the_gateway_reports() {
        let ids = CountingIds::default();
        let requested =
            Reversal { gateway_id: None, ..reversal(&ids, ReversalReason::Refund, RefundState::Pending) };
        let updated = requested.clone().updated(&report("re_2", None, RefundState::Pending), LATER);
        let gateway_id = Some("re_2".to_owned());
        assert_eq!(updated, Some(Reversal { gateway_id, ..requested }));
    }

    #[test]
    fn reversal_is_dated_by_when_it_was_first_seen_to_have_succeeded() {
        let ids = CountingIds::default();
        let pending = reversal(&ids, ReversalReason::Refund, RefundState::Pending);
        let made = pending.clone().in_state(RefundState::Succeeded, LATER);
        assert_eq!((pending.at(), made.at()), (FixedClock::START, LATER));
        let again = made.clone().in_state(RefundState::Succeeded, LATER + Duration::HOUR);
        assert_eq!(again, made);
        assert_eq!(made.in_state(RefundState::Failed, LATER), pending.in_state(RefundState::Failed, LATER));
    }

    #[test]
    fn what_was_made_elsewhere_has_the_reason_and_the_date_of_its_report() {
        let ids = CountingIds::default();
        let of = charge(&ids, 110);
        let made = |kind, state| {
            let report = ReversalReport { kind, ..report("re_2", None, state) };
            let made = Reversal::made_elsewhere(Id::new(&ids, LATER), of.account, of.id, &report, LATER);
            assert!(!made.has_another_key());
            (made.reason, made.state, made.succeeded_at)
        };
        let lost = (ReversalReason::Dispute, RefundState::Succeeded, Some(LATER));
        assert_eq!(made(ReversalKind::Dispute, RefundState::Succeeded), lost);
        let pending = (ReversalReason::Elsewhere, RefundState::Pending, None);
        assert_eq!(made(ReversalKind::Refund, RefundState::Pending), pending);
        let first = reversal(&ids, ReversalReason::Refund, RefundState::Failed);
        assert!(Reversal { gateway_refund_key: Id::new(&ids, LATER), ..first }.has_another_key());
    }
}
