//! The state of a message, and its transitions.

use strum::{EnumString, IntoStaticStr, VariantNames};

/// The state of a message. The first five are for inbound messages; `Dropped` and the others are for outgoing
/// ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum MessageState {
    /// It is stored and waits to be handled.
    Stored,
    /// It was matched and understood.
    Handled,
    /// It may belong to several accounts; the operator decides.
    Quarantined,
    /// A machine wrote it.
    Automatic,
    /// Inbound: no account wrote to its sender, or it is for the provider alone. Outgoing: it was no longer
    /// allowed.
    Dropped,
    /// It waits to be sent.
    Queued,
    /// The mail server or the provider accepted it.
    Sent,
    /// It arrived.
    Delivered,
    /// It did not arrive.
    Failed,
}

impl MessageState {
    /// Whether a message in this state may change to `next`. Delivery receipts arrive in any order, so that a
    /// message that was delivered stays so.
    #[must_use]
    pub const fn may_transition_to(self, next: Self) -> bool {
        match self {
            Self::Stored => {
                matches!(next, Self::Handled | Self::Quarantined | Self::Automatic | Self::Dropped)
            }
            Self::Quarantined => matches!(next, Self::Handled | Self::Automatic | Self::Dropped),
            Self::Queued => matches!(next, Self::Sent | Self::Delivered | Self::Failed | Self::Dropped),
            Self::Sent => matches!(next, Self::Delivered | Self::Failed),
            Self::Delivered | Self::Failed | Self::Handled | Self::Automatic | Self::Dropped => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_in_any_order_end_with_delivered_or_failed() {
        use MessageState::{Delivered, Dropped, Failed, Queued, Sent};
        assert!(
            Queued.may_transition_to(Delivered)
                && Queued.may_transition_to(Sent)
                && Sent.may_transition_to(Delivered)
        );
        for after in [Queued, Sent, Failed, Dropped] {
            assert!(!Delivered.may_transition_to(after));
        }
        assert!(
            !Sent.may_transition_to(Queued)
                && !Sent.may_transition_to(Dropped)
                && !Failed.may_transition_to(Sent)
        );
    }

    #[test]
    fn state_names_are_those_of_the_commands() {
        let names = <MessageState as VariantNames>::VARIANTS;
        let expected = [
            "stored", "handled", "quarantined", "automatic", "dropped", "queued", "sent", "delivered",
            "failed",
        ];
        assert_eq!(names, expected);
    }
}
