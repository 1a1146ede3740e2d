//! The result of an attempt to send a message.

use escalations::Channel;
use kernel::{AccountId, Id, Ids, StoreResult};
use outbox::{Failure, NotDone};
use time::OffsetDateTime;

use crate::address_hold::{AddressHold, CloseReason};
use crate::change_message::change_message;
use crate::message::{Message, MessageId, MessageState};
use crate::ports::{CommunicationsStore, CommunicationsTx};
use crate::sms_sender::SmsError;

/// The result of an attempt to send a message.
pub(crate) enum Attempted {
    /// The mail server or the provider accepted it.
    Sent { provider_id: Option<String>, subject: Option<String>, text: String },
    /// It was not accepted, and may be sent again. The text that was tried is given for a text message: a
    /// delivery receipt may tell that it was accepted all the same.
    Retry { reason: String, text: Option<String> },
    /// It may have been accepted, and is sent again: a mail, whose `Message-ID` stays the same.
    Repeat(String),
    /// It was not accepted, and is not sent again.
    Failed(String),
    /// It was not accepted because the number opted out at the provider.
    OptedOut(String),
    /// It may have been accepted, and is not sent again.
    Unknown { reason: String, text: Option<String> },
}

/// Takes back that an attempt began which sent nothing, unless another one has begun since.
pub(crate) async fn take_back(
    store: &dyn CommunicationsStore,
    account: AccountId,
    id: MessageId,
    began_at: Option<OffsetDateTime>,
) -> StoreResult<()> {
    change_message(store, account, id, |message| {
        // It is failed if it was given up during the attempt.
        let is_unsent = matches!(message.state, MessageState::Queued | MessageState::Failed);
        let is_it = is_unsent && message.began_at == began_at;
        if is_it {
            message.mark_not_accepted();
        }
        is_it
    })
    .await
}

impl Attempted {
    /// The result of an earlier attempt that began, and of which it is unknown how it ended. It must not be
    /// repeated: an SMS provider would send the text message twice, and a mail may no longer be allowed.
    pub(crate) fn unknown() -> Self {
        let reason = "no response came to the attempt; it may have been sent".to_owned();
        Self::Unknown { reason, text: None }
    }

    pub(crate) fn of_mail(sent: Result<(), Failure>, subject: Option<String>, text: String) -> Self {
        match sent {
            Ok(()) => Self::Sent { provider_id: None, subject, text },
            Err(Failure::Temporary(reason) | Failure::Later { reason, .. }) => {
                Self::Retry { reason, text: None }
            }
            Err(Failure::Unknown(reason)) => Self::Repeat(reason),
            Err(Failure::Permanent(reason)) => Self::Failed(reason),
        }
    }

    /// The result where an earlier attempt may have been accepted: that this one was not does not change it.
    pub(crate) fn after_unknown(self) -> Self {
        match self {
            Self::Retry { reason, .. } => Self::Repeat(reason),
            Self::Failed(reason) => Self::Unknown { reason, text: None },
            other => other,
        }
    }

    pub(crate) fn of_sms(sent: Result<Option<String>, SmsError>, text: String) -> Self {
        match sent {
            Ok(provider_id) => Self::Sent { provider_id, subject: None, text },
            Err(SmsError::NotAccepted(reason)) => Self::Retry { reason, text: Some(text) },
            Err(SmsError::Refused(reason)) => Self::Failed(reason),
            Err(SmsError::OptedOut(reason)) => Self::OptedOut(reason),
            Err(SmsError::Unknown(reason)) => Self::Unknown { reason, text: Some(text) },
        }
    }

    /// The result for a message that is still queued when its job is given up, for this reason.
    pub(crate) fn of_given_up(message: &Message, reason: &str) -> Self {
        match message.began_at {
            Some(_) if message.channel != Channel::Email => Self::unknown(),
            Some(_) => Self::Unknown { reason: reason.to_owned(), text: None },
            None => Self::Failed(reason.to_owned()),
        }
    }

    /// Records the result on the message. A delivery receipt may have arrived earlier; the state that it set
    /// is kept.
    pub(crate) fn note_on(&self, message: &mut Message, now: OffsetDateTime) {
        if let Self::Retry { text: Some(text), .. } | Self::Unknown { text: Some(text), .. } = self {
            message.write(None, text.clone());
        }
        let (state, detail) = match self {
            Self::Retry { .. } | Self::Unknown { .. } if message.state != MessageState::Queued => return,
            Self::Retry { .. } => return message.mark_not_accepted(),
            Self::Repeat(_) => return,
            Self::Sent { provider_id, subject, text } => {
                message.write(subject.clone(), text.clone());
                if let Some(id) = provider_id {
                    message.set_provider_id(id.clone());
                }
                (MessageState::Sent, None)
            }
            Self::Failed(reason) | Self::OptedOut(reason) => {
                message.mark_not_accepted();
                (MessageState::Failed, Some(reason.clone()))
            }
            Self::Unknown { reason, .. } => (MessageState::Failed, Some(reason.clone())),
        };
        let _earlier = message.transition_to(state, detail, now);
    }

    /// Records the result of the attempt that began at an instant on the message, and closes its number after
    /// an opt-out at the provider. If another attempt has begun since, which may have been accepted, only
    /// that this one was accepted is recorded.
    pub(crate) async fn record(
        &self,
        tx: &mut dyn CommunicationsTx,
        message: &mut Message,
        began_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
        ids: &dyn Ids,
    ) -> StoreResult<()> {
        if message.began_at == began_at || matches!(self, Self::Sent { .. }) {
            self.note_on(message, now);
            tx.messages().update(message).await?;
        }
        match self {
            Self::OptedOut(reason) => close_number(tx, message, reason, now, ids).await,
            _ => Ok(()),
        }
    }

    /// The outcome for the job engine.
    ///
    /// # Errors
    /// A [`NotDone`] unless it was sent.
    pub(crate) fn into_outcome(self) -> Result<(), NotDone> {
        match self {
            Self::Sent { .. } => Ok(()),
            Self::Retry { reason, .. } | Self::Repeat(reason) => Err(Failure::Temporary(reason).into()),
            Self::Failed(reason) | Self::OptedOut(reason) | Self::Unknown { reason, .. } => {
                Err(Failure::Permanent(reason).into())
            }
        }
    }
}

/// Closes the number of a message in its account: the provider does not send to it. The provider keeps the
/// opt-out for its own account, so that nothing is known about the other accounts here.
pub(crate) async fn close_number(
    tx: &mut dyn CommunicationsTx,
    message: &Message,
    evidence: &str,
    now: OffsetDateTime,
    ids: &dyn Ids,
) -> StoreResult<()> {
    if let Some(contact) = message.contact {
        tx.preferences().lock(contact).await?;
    }
    let way = (message.channel, message.address.clone());
    let (id, opted_out) = (Id::new(ids, now), CloseReason::OptedOut);
    let hold = AddressHold::closing(id, message.account, way, opted_out, evidence, now);
    // A number that is closed already stays closed.
    tx.preferences().close_address(&hold, now).await.map(|_closed| ())
}

#[cfg(test)]
mod tests {
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::address::Address;
    use crate::message::{MessageData, MessagePurpose};

    #[test]
    fn mail_whose_answer_is_missing_may_have_arrived_until_another_attempt_ends_well() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let way = (Channel::Email, Address::from_stored("ada@example.com".to_owned()));
        let data =
            MessageData::outgoing(Id::new(&ids, now), Id::new(&ids, now), MessagePurpose::Reminder, way, now);
        let of_mail = |failure| Attempted::of_mail(Err(failure), None, "Please pay.".to_owned());
        let temporary = || of_mail(Failure::Temporary("451".to_owned()));
        for (attempted, may_have_arrived) in [
            (temporary(), false),
            (of_mail(Failure::Unknown("no answer".to_owned())), true),
            (temporary().after_unknown(), true),
        ] {
            let mut message = Message::new(MessageData { began_at: Some(now), ..data.clone() });
            attempted.note_on(&mut message, now);
            assert_eq!((message.state, message.began_at.is_some()), (MessageState::Queued, may_have_arrived));
            assert!(matches!(attempted.into_outcome(), Err(NotDone::Failed(Failure::Temporary(_)))));
        }
    }

    #[test]
    fn text_message_is_sent_if_its_answer_comes_after_it_was_missed_and_not_if_it_was_refused() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let way = (Channel::Sms, Address::from_stored("+491701234567".to_owned()));
        let data =
            MessageData::outgoing(Id::new(&ids, now), Id::new(&ids, now), MessagePurpose::Reminder, way, now);
        for (earlier, state) in [
            (Attempted::unknown(), MessageState::Sent),
            (Attempted::Failed("400".to_owned()), MessageState::Failed),
        ] {
            let mut message = Message::new(MessageData { began_at: Some(now), ..data.clone() });
            earlier.note_on(&mut message, now);
            Attempted::of_sms(Ok(None), "Please pay.".to_owned()).note_on(&mut message, now);
            assert_eq!((message.state, message.detail.is_some()), (state, state == MessageState::Failed));
        }
    }

    #[test]
    fn text_message_that_a_receipt_reports_keeps_its_text_and_state_although_no_answer_came() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let way = (Channel::Sms, Address::from_stored("+491701234567".to_owned()));
        let data =
            MessageData::outgoing(Id::new(&ids, now), Id::new(&ids, now), MessagePurpose::Reminder, way, now);
        for (error, unreported) in [
            (SmsError::NotAccepted("500".to_owned()), MessageState::Queued),
            (SmsError::Unknown("no answer".to_owned()), MessageState::Failed),
        ] {
            for reported in [None, Some(MessageState::Sent), Some(MessageState::Delivered)] {
                let state = reported.unwrap_or(MessageState::Queued);
                let mut message = Message::new(MessageData { state, began_at: Some(now), ..data.clone() });
                Attempted::of_sms(Err(error.clone()), "Please pay.".to_owned()).note_on(&mut message, now);
                assert_eq!(message.text, "Please pay.");
                assert_eq!(message.state, reported.unwrap_or(unreported));
                let may_have_arrived = reported.is_some() || unreported == MessageState::Failed;
                assert_eq!(message.began_at.is_some(), may_have_arrived);
            }
        }
    }
}
