//! Decisions about the steps of invoices, and their reasons.

use invoices::InvoiceId;
use kernel::{Named, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

use super::policy::StepKey;

/// Why a reminder is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum HoldReason {
    /// An escalation of the contact is open, or was closed less than 48 hours ago.
    OpenEscalation,
    /// The contact wrote something that the owner has not read yet.
    ReplyUnread,
    /// The contact promised to pay by a day that is not over.
    Promise,
    /// A payment is pending.
    PaymentPending,
    /// Nothing is due: the invoice is paid or cancelled, or its due date or contact changed, or its step was
    /// removed from the policy, while the reminder waited to be sent.
    NothingDue,
    /// The owner paused reminders of the invoice, or stopped all.
    Paused,
    /// The contact opted out.
    OptedOut,
    /// Mail to the contact bounced.
    Bounced,
    /// The contact has no address for the channel.
    NoAddress,
    /// The account wrote to the contact less than 48 hours ago, or issued the invoice less than 48 hours ago
    /// without mailing it.
    RecentlyMailed,
    /// The contact has not consented to the channel.
    NoConsent,
    /// The contact was reminded as often as allowed, or the account's text messages for this month are used
    /// up.
    Cap,
    /// It is too early, too late, or a holiday where the contact lives.
    QuietHours,
    /// The account is switched off, or its communications are, or the service sends no text messages.
    CommunicationsOff,
}

/// Why a step is skipped for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum SkipReason {
    /// It was due before the invoice was issued.
    BeforeIssue,
    /// A later step took its place.
    Collapsed,
    /// The invoice was over 30 days late when reminders were started, and the owner left such invoices out.
    Backlog,
    /// It was due before the owner added the step, while reminders ran.
    AddedLater,
    /// It was given up: the mail server or the provider refused it or gave no response.
    Failed,
}

/// A decision about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// It is sent now.
    Send,
    /// It is held back.
    Hold(HoldReason),
    /// It is skipped.
    Skip(SkipReason),
    /// It was sent.
    Sent,
}

/// A step of an invoice, and the decision about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepDecision {
    /// The invoice that the reminder is about.
    pub invoice: InvoiceId,
    /// Which step of the policy: its days and its channel.
    pub key: StepKey,
    /// When the step is due, UTC.
    pub due_at: OffsetDateTime,
    /// The decision.
    pub decision: Decision,
}

impl Decision {
    /// `send`, `hold`, `skip` or `sent`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Hold(_) => "hold",
            Self::Skip(_) => "skip",
            Self::Sent => "sent",
        }
    }

    /// The reason, if there is one.
    #[must_use]
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Send | Self::Sent => None,
            Self::Hold(reason) => Some(reason.into()),
            Self::Skip(reason) => Some(reason.into()),
        }
    }

    /// Reads a decision and its reason as they are stored.
    pub fn parse(decision: &str, reason: Option<&str>) -> Result<Self, UnknownName> {
        #[derive(Clone, Copy, EnumString, IntoStaticStr, VariantNames)]
        #[strum(serialize_all = "snake_case")]
        enum Kind {
            Send,
            Hold,
            Skip,
            Sent,
        }
        let reason = reason.unwrap_or_default();
        Ok(match Kind::parse(decision)? {
            Kind::Send => Self::Send,
            Kind::Sent => Self::Sent,
            Kind::Hold => Self::Hold(Named::parse(reason)?),
            Kind::Skip => Self::Skip(Named::parse(reason)?),
        })
    }

    /// Whether the decision is final: the step was sent, is about to be sent, or failed.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Send | Self::Sent | Self::Skip(SkipReason::Failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_parsed_from_its_text_is_unchanged() {
        let holds = HoldReason::VARIANTS.iter().map(|name| Decision::Hold(Named::parse(name).unwrap()));
        let skips = SkipReason::VARIANTS.iter().map(|name| Decision::Skip(Named::parse(name).unwrap()));
        for one in holds.chain(skips).chain([Decision::Send, Decision::Sent]) {
            assert_eq!(Decision::parse(one.as_str(), one.reason()), Ok(one));
        }
        assert!(Decision::parse("hold", None).is_err() && Decision::parse("wait", None).is_err());
        let names = HoldReason::VARIANTS.join(" ");
        let (before, after) = (
            "open_escalation reply_unread promise payment_pending nothing_due paused opted_out bounced",
            "no_address recently_mailed no_consent cap quiet_hours communications_off",
        );
        assert_eq!(names, format!("{before} {after}"));
    }
}
