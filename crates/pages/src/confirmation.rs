//! The confirmation that a page shows after one of its forms was carried out.

/// What was done. URLs contain its word and pages show its text, so no text from a URL gets onto a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    Saved,
    Sent,
    Issued,
    IssuedAndSent,
    Cancelled,
    PaymentRecorded,
    RefundRequested,
    PayLinkReplaced,
    EndpointEnabled,
    EndpointDisabled,
    EndpointDeleted,
    EscalationResolved,
    ReplyReceived,
    RemindersStarted,
    RemindersStopped,
    TestSent,
    RemindersPaused,
    RemindersResumed,
    ConsentRecorded,
    ConsentWithdrawn,
    AddressOpened,
    MessageHandled,
    MessageCorrected,
    PromiseToEnter,
    NoAddressToClose,
    AnswerQueued,
    ContactCreated,
    ContactFound,
    PasswordChanged,
    SecondFactorOff,
    SessionEnded,
    OtherSessionsEnded,
    /// The form was not processed, because its sender had to sign in or to confirm first.
    NotProcessed,
}

impl Confirmation {
    const ALL: [Self; 33] = [
        Self::Saved,
        Self::Sent,
        Self::Issued,
        Self::IssuedAndSent,
        Self::Cancelled,
        Self::PaymentRecorded,
        Self::RefundRequested,
        Self::PayLinkReplaced,
        Self::EndpointEnabled,
        Self::EndpointDisabled,
        Self::EndpointDeleted,
        Self::EscalationResolved,
        Self::ReplyReceived,
        Self::RemindersStarted,
        Self::RemindersStopped,
        Self::TestSent,
        Self::RemindersPaused,
        Self::RemindersResumed,
        Self::ConsentRecorded,
        Self::ConsentWithdrawn,
        Self::AddressOpened,
        Self::MessageHandled,
        Self::MessageCorrected,
        Self::PromiseToEnter,
        Self::NoAddressToClose,
        Self::AnswerQueued,
        Self::ContactCreated,
        Self::ContactFound,
        Self::PasswordChanged,
        Self::SecondFactorOff,
        Self::SessionEnded,
        Self::OtherSessionsEnded,
        Self::NotProcessed,
    ];

    /// The word of the confirmation in a URL.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::Sent => "sent",
            Self::Issued => "issued",
            Self::IssuedAndSent => "issued_and_sent",
            Self::Cancelled => "cancelled",
            Self::PaymentRecorded => "payment_recorded",
            Self::RefundRequested => "refund_requested",
            Self::PayLinkReplaced => "pay_link_replaced",
            Self::EndpointEnabled => "enabled",
            Self::EndpointDisabled => "disabled",
            Self::EndpointDeleted => "deleted",
            Self::EscalationResolved => "resolved",
            Self::ReplyReceived => "reply_received",
            Self::RemindersStarted => "reminders_started",
            Self::RemindersStopped => "reminders_stopped",
            Self::TestSent => "test_sent",
            Self::RemindersPaused => "reminders_paused",
            Self::RemindersResumed => "reminders_resumed",
            Self::ConsentRecorded => "consent_recorded",
            Self::ConsentWithdrawn => "consent_withdrawn",
            Self::AddressOpened => "address_opened",
            Self::MessageHandled => "handled",
            Self::MessageCorrected => "corrected",
            Self::PromiseToEnter => "promise_to_enter",
            Self::NoAddressToClose => "no_address_to_close",
            Self::AnswerQueued => "answer_queued",
            Self::ContactCreated => "contact_created",
            Self::ContactFound => "contact_found",
            Self::PasswordChanged => "password_changed",
            Self::SecondFactorOff => "second_factor_off",
            Self::SessionEnded => "session_ended",
            Self::OtherSessionsEnded => "other_sessions_ended",
            Self::NotProcessed => "not_processed",
        }
    }

    /// The confirmation of a word; `None` for any other text.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}
