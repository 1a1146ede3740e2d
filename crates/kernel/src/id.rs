//! Typed record ids: UUIDv7, made by the service.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Mutex;

use time::OffsetDateTime;
use uuid::timestamp::context::ContextV7;
use uuid::{Timestamp, Uuid};

/// Names a kind of record, so that the id of one cannot be passed for the id of another.
///
/// An entity is an empty enum with derived traits; no value of it is ever made.
pub trait Entity: Copy + Ord + Hash {
    /// The record's name in messages: `invoice`.
    const NAME: &'static str;
}

/// The id of a record of kind `E`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id<E>(Uuid, PhantomData<fn() -> E>);

impl<E: Entity> Id<E> {
    /// Makes a new id at an instant. Ids made later sort later, which is what lists are ordered by.
    pub fn new(ids: &dyn Ids, now: OffsetDateTime) -> Self {
        Self::from_uuid(ids.uuid_at(now))
    }

    /// Takes a UUID as an id.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid, PhantomData)
    }

    /// Reads the hyphenated form (RFC 9562, section 4), in any case; nothing else is an id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hyphenated = text.len() == uuid::fmt::Hyphenated::LENGTH;
        hyphenated.then(|| Uuid::try_parse(text).ok()).flatten().map(Self::from_uuid)
    }

    /// The UUID.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl<E> fmt::Display for Id<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl<E: Entity> fmt::Debug for Id<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", E::NAME, self.0)
    }
}

/// Makes identifiers.
///
/// An implementation returns UUIDs of version 7 (RFC 9562, section 5.7) that carry the given instant and,
/// within one process, sort in the order in which they were made.
pub trait Ids: Send + Sync {
    /// A new UUID that carries `now`.
    fn uuid_at(&self, now: OffsetDateTime) -> Uuid;
}

/// Identifiers from the system's random, with a counter that keeps their order within a millisecond.
#[derive(Debug, Default)]
pub struct SystemIds(Mutex<ContextV7>);

impl Ids for SystemIds {
    fn uuid_at(&self, now: OffsetDateTime) -> Uuid {
        let seconds = u64::try_from(now.unix_timestamp()).unwrap_or(0);
        Uuid::new_v7(Timestamp::from_unix(&self.0, seconds, now.nanosecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    enum Thing {}
    impl Entity for Thing {
        const NAME: &'static str = "thing";
    }

    #[test]
    fn ids_sort_in_the_order_in_which_they_were_made() {
        let ids = SystemIds::default();
        let now = datetime!(2026-11-20 02:09:06.147 UTC);
        let made: Vec<Id<Thing>> = (0..5_000).map(|_| Id::new(&ids, now)).collect();
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(made[0].uuid().get_version_num(), 7);
        assert_eq!(made[0].uuid().get_timestamp().unwrap().to_unix().0, 1_795_140_546);
    }

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        let text = "019aa1b2-0000-7000-8000-0123456789ab";
        assert_eq!(Id::<Thing>::parse(text).unwrap().to_string(), text);
        assert!(Id::<Thing>::parse(&text.to_uppercase()).is_some());
        for bad in
            ["", "1", &text.replace('-', ""), &format!("{{{text}}}"), "019aa1b2-0000-7000-8000-0123456789ag"]
        {
            assert!(Id::<Thing>::parse(bad).is_none(), "{bad}");
        }
    }
}
