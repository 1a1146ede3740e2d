//! What an attempt at sending a message came to.

use outbox::{Failure, NotDone};
use time::OffsetDateTime;

use crate::message::{Message, MessageState};
use crate::sms_sender::SmsError;

/// What an attempt at sending a message came to.
pub(crate) enum Attempted {
    /// The other side took it.
    Sent { provider_id: Option<String>, subject: Option<String>, text: String },
    /// It was not taken, and may be sent again.
    Again(String),
    /// It was not taken, and is not sent again.
    Failed(String),
    /// It may have been taken, and is not sent again.
    Unknown(String),
}

impl Attempted {
    /// An earlier attempt began and never ended, and must not be repeated: a provider of text messages takes
    /// the same one twice, and a mail may no longer be allowed.
    pub(crate) fn unknown() -> Self {
        Self::Unknown("no answer came to the attempt; it may have been sent".to_owned())
    }

    pub(crate) fn of_mail(sent: Result<(), Failure>, subject: Option<String>, text: String) -> Self {
        match sent {
            Ok(()) => Self::Sent { provider_id: None, subject, text },
            Err(Failure::Temporary(reason)) => Self::Again(reason),
            Err(Failure::Permanent(reason)) => Self::Failed(reason),
        }
    }

    pub(crate) fn of_sms(sent: Result<Option<String>, SmsError>, text: String) -> Self {
        match sent {
            Ok(provider_id) => Self::Sent { provider_id, subject: None, text },
            Err(SmsError::NotTaken(reason)) => Self::Again(reason),
            Err(SmsError::Refused(reason)) => Self::Failed(reason),
            Err(SmsError::Unknown(reason)) => Self::Unknown(reason),
        }
    }

    /// The same, where no later attempt follows the last one.
    pub(crate) fn at_last(self, is_last: bool) -> Self {
        match self {
            Self::Again(reason) if is_last => Self::Failed(reason),
            other => other,
        }
    }

    /// Notes on the message what came of it. A receipt of its delivery may have come before this, and stands.
    pub(crate) fn note_on(&self, message: &mut Message, now: OffsetDateTime) {
        let (state, detail) = match self {
            Self::Again(_) => return message.was_not_taken(),
            Self::Sent { provider_id, subject, text } => {
                message.write(subject.clone(), text.clone());
                if let Some(id) = provider_id {
                    message.know_as(id.clone());
                }
                (MessageState::Sent, None)
            }
            Self::Failed(reason) => {
                message.was_not_taken();
                (MessageState::Failed, Some(reason.clone()))
            }
            Self::Unknown(reason) => (MessageState::Failed, Some(reason.clone())),
        };
        let _earlier = message.become_state(state, detail, now);
    }

    /// What the job engine is told.
    ///
    /// # Errors
    /// A [`NotDone`] unless it was sent.
    pub(crate) fn into_outcome(self) -> Result<(), NotDone> {
        match self {
            Self::Sent { .. } => Ok(()),
            Self::Again(reason) => Err(Failure::Temporary(reason).into()),
            Self::Failed(reason) | Self::Unknown(reason) => Err(Failure::Permanent(reason).into()),
        }
    }
}
