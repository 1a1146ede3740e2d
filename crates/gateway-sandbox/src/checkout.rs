//! The state of a stored checkout at an instant.

use kernel::clock::{from_unix_micros, unix_micros};
use kernel::{AccountId, Currency, Money};
use payments::{
    ChargeId, ChargeReport, ChargeState, CheckoutReport, CheckoutState, GatewayError, IntentId, MethodKind,
    RefundKey, RefundState, ReversalKind, ReversalReport,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::payload::{StoredCharge, StoredCheckout};

/// How long a debit takes to succeed.
pub(crate) const DEBITS_TAKE: Duration = Duration::days(1);

/// The id of a checkout: the account's id followed by the intent's.
pub(crate) fn id(account: AccountId, intent: IntentId) -> String {
    format!("{}{}", account.uuid().simple(), intent.uuid().simple())
}

/// The account in a checkout's id.
pub(crate) fn account_of(id: &str) -> Option<AccountId> {
    let (account, intent) = id.split_at_checked(32)?;
    Uuid::try_parse(intent).ok()?;
    Some(AccountId::from_uuid(Uuid::try_parse(account).ok()?))
}

/// The checkout in a charge's id.
pub(crate) fn checkout_of(charge: &ChargeId) -> Option<&str> {
    charge.0.strip_prefix("ch_")?.split_once('_').map(|(checkout, _number)| checkout)
}

impl StoredCheckout {
    pub(crate) fn read(text: &str) -> Result<Self, GatewayError> {
        serde_json::from_str(text)
            .map_err(|_fault| GatewayError::Refused("a stored checkout is wrong".to_owned()))
    }

    pub(crate) fn money(&self, minor: i64) -> Result<Money, GatewayError> {
        let currency = Currency::from_stored(&self.currency);
        let currency =
            currency.map_err(|_unknown| GatewayError::Refused("its currency is unknown".to_owned()))?;
        Ok(Money::new(minor, currency))
    }

    /// Whether a visitor can still pay.
    pub(crate) fn is_open(&self, now: OffsetDateTime) -> bool {
        !self.is_expired
            && unix_micros(now) < self.expires_at
            && self.charges.iter().all(|charge| charge.is_declined)
    }

    pub(crate) fn report(&self, now: OffsetDateTime) -> Result<CheckoutReport, GatewayError> {
        let state = if self.is_open(now) {
            CheckoutState::Open
        } else if self.charges.iter().any(|charge| !charge.is_declined) {
            CheckoutState::Complete
        } else {
            CheckoutState::Expired
        };
        let charges: Result<_, _> =
            self.charges.iter().map(|charge| self.charge_report(charge, now)).collect();
        Ok(CheckoutReport { state, charges: charges? })
    }

    pub(crate) fn charge_report(
        &self,
        charge: &StoredCharge,
        now: OffsetDateTime,
    ) -> Result<ChargeReport, GatewayError> {
        let state = if charge.is_declined {
            ChargeState::Failed
        } else if charge.captured_at > unix_micros(now) {
            ChargeState::Pending
        } else {
            ChargeState::Succeeded
        };
        let refund = |refund: &crate::payload::StoredRefund| {
            Ok::<_, GatewayError>(ReversalReport {
                id: format!("re_{}", refund.id.simple()),
                kind: ReversalKind::Refund,
                refund: Some(RefundKey::from_uuid(refund.id)),
                amount: self.money(refund.amount)?,
                state: RefundState::Succeeded,
            })
        };
        let captured_at = from_unix_micros(charge.captured_at).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let reversals: Result<_, _> = charge.refunds.iter().map(refund).collect();
        Ok(ChargeReport {
            id: ChargeId(charge.id.clone()),
            intent: Some(IntentId::from_uuid(self.intent)),
            account: Some(AccountId::from_uuid(self.account)),
            state,
            amount: self.money(self.amount)?,
            method: if charge.is_debit { MethodKind::DirectDebit } else { MethodKind::Card },
            captured_at: match state {
                // When it was made.
                ChargeState::Pending | ChargeState::Failed if charge.is_debit => {
                    captured_at.saturating_sub(DEBITS_TAKE)
                }
                _ => captured_at,
            },
            reversals: reversals?,
        })
    }

    /// Adds a charge, captured at an instant or declined. Returns its id.
    pub(crate) fn charge(
        &mut self,
        captured_at: OffsetDateTime,
        is_declined: bool,
        is_debit: bool,
    ) -> ChargeId {
        let id = format!("ch_{}_{}", self.id, self.charges.len().saturating_add(1));
        let captured_at = unix_micros(captured_at);
        self.charges.push(StoredCharge {
            id: id.clone(),
            is_declined,
            captured_at,
            is_debit,
            refunds: Vec::new(),
        });
        ChargeId(id)
    }
}
