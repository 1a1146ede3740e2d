//! Addresses and numbers to which an account sends no more reminders.

use escalations::Channel;
use kernel::text::one_line;
use kernel::{AccountId, Id, SingleLine};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use crate::address::Address;

/// The entity type of [`AddressHoldId`].
pub enum AddressHoldEntity {}

/// The id of an address hold.
pub type AddressHoldId = Id<AddressHoldEntity>;

/// Why an address is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum CloseReason {
    /// The person who uses it opted out.
    OptedOut,
    /// Mail to it bounced permanently.
    Bounced,
}

/// An address or number to which one account sends no reminders until it is opened again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressHold {
    /// Its id.
    pub id: AddressHoldId,
    /// The account.
    pub account: AccountId,
    /// The channel that is closed. An opt-out by e-mail ends reminders by e-mail, STOP ends text messages.
    pub channel: Channel,
    /// The address or number.
    pub address: Address,
    /// Why it is closed.
    pub reason: CloseReason,
    /// When it was closed, UTC.
    pub closed_at: OffsetDateTime,
    /// The text of the opt-out, or the status that the other mail server returned.
    pub evidence: SingleLine<500>,
    /// When it was opened again, UTC.
    pub reopened_at: Option<OffsetDateTime>,
    /// The reason given for opening it again.
    pub reopened_because: Option<SingleLine<500>>,
}

impl AddressHold {
    /// An address that is closed from now on. `evidence` is cut to one line of 500 characters.
    #[must_use]
    pub fn closing(
        id: AddressHoldId,
        account: AccountId,
        (channel, address): (Channel, Address),
        reason: CloseReason,
        evidence: &str,
        closed_at: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            account,
            channel,
            address,
            reason,
            closed_at,
            evidence: SingleLine::from_stored(one_line(evidence, 500)),
            reopened_at: None,
            reopened_because: None,
        }
    }

    /// Whether the hold is in force.
    #[must_use]
    pub const fn is_standing(&self) -> bool {
        self.reopened_at.is_none()
    }
}
