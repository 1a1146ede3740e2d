//! The channels by which a contact allows messages.

use contacts::ContactId;
use escalations::Channel;
use kernel::{Id, SingleLine};
use time::OffsetDateTime;

/// The entity type of [`ConsentId`].
pub enum ConsentEntity {}

/// The id of a recorded consent.
pub type ConsentId = Id<ConsentEntity>;

/// A contact's consent to text messages or calls, or its withdrawal, as it was recorded. Every record is
/// kept; the latest of a channel counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Its id.
    pub id: ConsentId,
    /// The contact who gave or withdrew it.
    pub contact: ContactId,
    /// The channel that the consent covers.
    pub channel: Channel,
    /// Whether it was given; `false` when it was withdrawn.
    pub is_given: bool,
    /// When it was recorded, UTC.
    pub recorded_at: OffsetDateTime,
    /// How the contact gave it, in the recorder's words.
    pub how: SingleLine<500>,
    /// Who recorded it: `owner` or `operator`.
    pub recorded_by: SingleLine<50>,
}

/// The preferences of a contact. Every transaction that decides or changes whether the contact may be written
/// to locks this row first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactPreferences {
    /// The contact.
    pub contact: ContactId,
    /// The latest consent of each channel.
    pub consents: Vec<Consent>,
}

impl ContactPreferences {
    /// The latest consent to a channel, given or withdrawn.
    #[must_use]
    pub fn consent(&self, channel: Channel) -> Option<&Consent> {
        self.consents.iter().find(|consent| consent.channel == channel)
    }

    /// Whether the contact may be written to by a channel, as far as consent goes: e-mail needs none.
    #[must_use]
    pub fn allows(&self, channel: Channel) -> bool {
        channel == Channel::Email || self.consent(channel).is_some_and(|consent| consent.is_given)
    }
}
