//! Addresses and numbers that are not written to any more.

use escalations::Channel;
use kernel::names::{self, UnknownName};
use kernel::{AccountId, Entity, Id, SingleLine};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use crate::address::Address;

/// Names the hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressHoldEntity {}
impl Entity for AddressHoldEntity {
    const NAME: &'static str = "address hold";
}

/// The id of a hold.
pub type AddressHoldId = Id<AddressHoldEntity>;

/// Why an address is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Closed {
    /// Its owner opted out.
    OptedOut,
    /// Mail to it came back for good.
    Bounced,
}

/// An address or number of one account that reminders do not go to, until it is opened again.
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
    /// Why.
    pub closed: Closed,
    /// Since when, UTC.
    pub at: OffsetDateTime,
    /// What was said, or what the other mail server answered.
    pub how: SingleLine<500>,
    /// When it was opened again, UTC.
    pub lifted_at: Option<OffsetDateTime>,
    /// On whose word it was opened again.
    pub lifted_how: Option<SingleLine<500>>,
}

impl AddressHold {
    /// Whether it holds now.
    #[must_use]
    pub const fn is_standing(&self) -> bool {
        self.lifted_at.is_none()
    }
}

impl Closed {
    /// The name as commands and the store write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        names::parse(text)
    }
}
