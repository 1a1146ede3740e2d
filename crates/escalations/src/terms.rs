//! The words that describe an escalation (contract, "Escalation"; decisions, "Escalations").

/// Why a customer needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EscalationType {
    /// The customer cannot pay and asks for help.
    Hardship,
    /// The customer disputes the invoice.
    Dispute,
    /// The customer asks for a person.
    HumanRequest,
    /// The customer refuses to pay.
    Refused,
}

/// How urgent an escalation is. None is [`Priority::Low`] at present; those who read escalations handle all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Priority {
    /// To be looked at first.
    High,
    /// To be looked at next.
    Medium,
    /// To be looked at last.
    Low,
}

/// Where an escalation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It waits for somebody.
    Open,
    /// Somebody has closed it.
    Resolved,
}

/// How the customer's words came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// By e-mail.
    Email,
    /// By text message.
    Sms,
    /// In a call.
    Voice,
}

/// How an escalation was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResolutionOutcome {
    /// The customer pays by an arrangement.
    PaymentArranged,
    /// The invoice was corrected.
    InvoiceCorrected,
    /// The invoice was cancelled.
    InvoiceCancelled,
    /// The customer has paid.
    Paid,
    /// There was nothing to do.
    NoAction,
    /// In another way.
    Other,
}

/// The text is none of the words that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {0}")]
pub struct UnknownTerm(&'static str);

impl EscalationType {
    /// Every type.
    pub const ALL: [Self; 4] = [
        Self::Hardship,
        Self::Dispute,
        Self::HumanRequest,
        Self::Refused,
    ];

    /// The name as the API and the store write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hardship => "hardship",
            Self::Dispute => "dispute",
            Self::HumanRequest => "human_request",
            Self::Refused => "refused",
        }
    }

    /// Reads a name, compared exactly.
    ///
    /// # Errors
    /// [`UnknownTerm`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownTerm> {
        let names = "hardship, dispute, human_request or refused";
        find(&Self::ALL, Self::as_str, text).ok_or(UnknownTerm(names))
    }

    /// How urgent an escalation of this type is when it is raised.
    #[must_use]
    pub const fn priority(self) -> Priority {
        match self {
            Self::Hardship | Self::Dispute | Self::Refused => Priority::High,
            Self::HumanRequest => Priority::Medium,
        }
    }
}

impl Priority {
    /// Every priority.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// The name as the API and the store write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Reads a name, compared exactly.
    ///
    /// # Errors
    /// [`UnknownTerm`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownTerm> {
        find(&Self::ALL, Self::as_str, text).ok_or(UnknownTerm("high, medium or low"))
    }
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 2] = [Self::Open, Self::Resolved];

    /// The name as the API writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
        }
    }
}

impl Channel {
    /// Every channel.
    pub const ALL: [Self; 3] = [Self::Email, Self::Sms, Self::Voice];

    /// The name as the API and the store write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Sms => "sms",
            Self::Voice => "voice",
        }
    }

    /// Reads a name, compared exactly.
    ///
    /// # Errors
    /// [`UnknownTerm`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownTerm> {
        find(&Self::ALL, Self::as_str, text).ok_or(UnknownTerm("email, sms or voice"))
    }
}

impl ResolutionOutcome {
    /// Every outcome.
    pub const ALL: [Self; 6] = [
        Self::PaymentArranged,
        Self::InvoiceCorrected,
        Self::InvoiceCancelled,
        Self::Paid,
        Self::NoAction,
        Self::Other,
    ];

    /// The name as the API and the store write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PaymentArranged => "payment_arranged",
            Self::InvoiceCorrected => "invoice_corrected",
            Self::InvoiceCancelled => "invoice_cancelled",
            Self::Paid => "paid",
            Self::NoAction => "no_action",
            Self::Other => "other",
        }
    }

    /// Reads a name, compared exactly.
    ///
    /// # Errors
    /// [`UnknownTerm`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownTerm> {
        let names =
            "payment_arranged, invoice_corrected, invoice_cancelled, paid, no_action or other";
        find(&Self::ALL, Self::as_str, text).ok_or(UnknownTerm(names))
    }
}

fn find<W: Copy>(all: &[W], name: impl Fn(W) -> &'static str, text: &str) -> Option<W> {
    all.iter().copied().find(|word| name(*word) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_as_it_is_written_and_every_refusal_lists_them_all() {
        fn check<W: Copy + PartialEq + std::fmt::Debug>(
            all: &[W],
            name: impl Fn(W) -> &'static str,
            parse: impl Fn(&str) -> Result<W, UnknownTerm>,
        ) {
            let refusal = parse("Open ").unwrap_err().to_string();
            for word in all {
                assert_eq!(parse(name(*word)), Ok(*word));
                assert!(parse(&name(*word).to_uppercase()).is_err());
                assert!(refusal.contains(name(*word)), "{refusal}");
            }
        }
        use EscalationType as Type;
        check(&Type::ALL, Type::as_str, Type::parse);
        check(&Priority::ALL, Priority::as_str, Priority::parse);
        check(&Channel::ALL, Channel::as_str, Channel::parse);
        use ResolutionOutcome as Outcome;
        check(&Outcome::ALL, Outcome::as_str, Outcome::parse);
    }

    #[test]
    fn only_a_request_for_a_person_can_wait_a_little() {
        let priorities = EscalationType::ALL.map(|one| one.priority().as_str());
        assert_eq!(priorities, ["high", "high", "medium", "high"]);
    }
}
