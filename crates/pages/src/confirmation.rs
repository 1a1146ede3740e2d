//! The confirmation that a page shows after one of its forms was carried out.

use strum::{EnumString, IntoStaticStr, VariantNames};

/// What was done. URLs contain its name and pages show its text, so no text from a URL gets onto a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Confirmation {
    Saved,
    Sent,
    Issued,
    IssuedAndSent,
    Cancelled,
    PaymentRecorded,
    RefundRequested,
    PayLinkReplaced,
    #[strum(serialize = "enabled")]
    EndpointEnabled,
    #[strum(serialize = "disabled")]
    EndpointDisabled,
    #[strum(serialize = "deleted")]
    EndpointDeleted,
    #[strum(serialize = "resolved")]
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
    #[strum(serialize = "handled")]
    MessageHandled,
    #[strum(serialize = "corrected")]
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
