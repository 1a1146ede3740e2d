//! Publishing: storing an event and its deliveries in the event's transaction.

use kernel::{Id, Ids, StoreResult};

use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::ports::Events;

/// Stores an event, with one delivery for each endpoint subscribed to it, in the transaction in which the
/// event happens. An event therefore exists exactly if what it reports was committed.
///
/// # Errors
/// A [`kernel::StoreError`]; then the transaction cannot be committed.
pub async fn publish(events: &mut dyn Events, ids: &dyn Ids, event: &Event) -> StoreResult<()> {
    let fresh = [(); Endpoint::MAX_ENABLED].map(|()| Id::new(ids, event.happened_at));
    events.publish(event, &fresh).await
}
