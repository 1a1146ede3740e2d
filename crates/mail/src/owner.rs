//! The owner of an account as a recipient of mail, and what the owner is mailed about.

use kernel::{AccountId, EmailAddress};
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

/// What an owner is mailed about and can switch off. A new kind is a variant, and a row in `bit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum OwnerNotice {
    /// A customer needs a person.
    Escalations,
    /// Webhook deliveries to an endpoint were given up.
    AbandonedDeliveries,
    /// A payer paid online.
    OnlinePayments,
    /// Money went back to a payer, or a refund failed.
    Refunds,
    /// Mail to a customer cannot be delivered.
    Bounces,
    /// A customer's message has been unread for a day.
    UnreadMessages,
}

/// The kinds of notices that an owner switched off. Every kind is on at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SilencedNotices(u16);

/// The owner of an account as a recipient of mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeRecipient {
    pub account: AccountId,
    /// The address for mail.
    pub email: EmailAddress,
    /// The kinds that are not mailed.
    pub silenced: SilencedNotices,
}

impl OwnerNotice {
    /// Every kind, in the order in which it is shown.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The number by which the kind is stored: a power of two that no other kind has, and that never changes.
    #[must_use]
    pub const fn bit(self) -> u16 {
        match self {
            Self::Escalations => 0b01,
            Self::AbandonedDeliveries => 0b10,
            Self::OnlinePayments => 0b100,
            Self::Refunds => 0b1000,
            Self::Bounces => 0b1_0000,
            Self::UnreadMessages => 0b10_0000,
        }
    }
}

impl SilencedNotices {
    /// Nothing is switched off.
    pub const NONE: Self = Self(0);

    /// These kinds are switched off.
    pub fn of(kinds: impl IntoIterator<Item = OwnerNotice>) -> Self {
        Self(kinds.into_iter().fold(0, |bits, kind| bits | kind.bit()))
    }

    /// Takes the number from the store. Bits that this version does not know are kept.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The kinds as a number for the store: the sum of their [`OwnerNotice::bit`]s.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether a kind is switched off.
    #[must_use]
    pub const fn contain(self, kind: OwnerNotice) -> bool {
        self.0 & kind.bit() != 0
    }
}

impl NoticeRecipient {
    /// Whether the owner is mailed about this.
    #[must_use]
    pub const fn wants(&self, kind: OwnerNotice) -> bool {
        !self.silenced.contain(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_switched_off_alone() {
        for &kind in OwnerNotice::ALL {
            let silenced = SilencedNotices::of([kind]);
            let off: Vec<_> = OwnerNotice::ALL.iter().copied().filter(|one| silenced.contain(*one)).collect();
            assert_eq!(off, [kind]);
            assert_eq!(SilencedNotices::from_bits(silenced.bits()), silenced);
        }
        let all = SilencedNotices::of(OwnerNotice::ALL.iter().copied());
        assert_eq!(all.bits().count_ones(), 6);
        assert_eq!(SilencedNotices::of([]), SilencedNotices::NONE);
    }
}
