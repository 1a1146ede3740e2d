//! Publishing: an event and its deliveries, in the transaction of what happened.

use kernel::{Id, Ids, StoreError};

use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::ports::Events;

/// Writes an event, with one delivery for each endpoint that is subscribed to it, into the transaction in
/// which it happened. There is an event exactly when what it reports was committed.
///
/// # Errors
/// A [`StoreError`]; then the transaction cannot be committed.
pub async fn publish(events: &mut dyn Events, ids: &dyn Ids, event: &Event) -> Result<(), StoreError> {
    let fresh = [(); Endpoint::MOST_ENABLED].map(|()| Id::new(ids, event.happened_at));
    events.publish(event, &fresh).await
}
