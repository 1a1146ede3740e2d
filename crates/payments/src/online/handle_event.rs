//! Receiving a gateway's event: it is verified, stored, and followed up by a task.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use kernel::{StoreError, Unsealable, retry_contended};
use time::OffsetDateTime;

use super::gateway_account::GatewayAccount;
use super::gateway_job::GatewayTask;
use super::online_payments::OnlinePayments;
use super::stored_gateway_event::StoredGatewayEvent;
use crate::gateway::{EventRefused, EventSubject, GatewayAccountId, GatewayKind};

/// Why an event was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// There is no such gateway account.
    #[error("there is no such gateway account")]
    NotFound,
    /// The event is not validly signed, or is not an event.
    #[error(transparent)]
    Refused(#[from] EventRefused),
    /// The gateway's secrets cannot be unsealed.
    #[error(transparent)]
    Unsealable(#[from] Unsealable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OnlinePayments {
    /// The name of the header with a gateway's signature; `None` if this process does not have the gateway.
    #[must_use]
    pub fn signature_header(&self, kind: GatewayKind) -> Option<&'static str> {
        self.adapter(kind).map(|adapter| adapter.signature_header())
    }

    /// The events that the owner chooses at a gateway to be sent.
    #[must_use]
    pub fn event_types(&self, kind: GatewayKind) -> &'static [&'static str] {
        self.adapter(kind).map_or(&[], |adapter| adapter.event_types())
    }

    /// Accepts an event: verifies its signature over the raw body, stores the event, and queues the fetching
    /// of its subject. A stored event changes nothing.
    ///
    /// # Errors
    /// An [`EventError`]; then nothing was stored.
    pub async fn take_event(
        &self,
        kind: GatewayKind,
        id: GatewayAccountId,
        signature: &str,
        body: &[u8],
    ) -> Result<(), EventError> {
        let adapter = self.adapter(kind).ok_or(EventError::NotFound)?;
        let gateway = self.reads.gateway_by_id(id).await?.filter(|gateway| gateway.kind == kind);
        let gateway = gateway.ok_or(EventError::NotFound)?;
        let now = self.now();
        let access = gateway.access(&self.keys, now)?;
        let verified = adapter.verify_event(&access, signature, body, now);
        let event = verified.inspect_err(|refused| warn(&gateway, refused, now))?;
        let task = match event.subject {
            EventSubject::Checkout(id) => {
                GatewayTask::Checkout { gateway_account: gateway.id.uuid(), checkout: id.0 }
            }
            EventSubject::Charge(id) => {
                GatewayTask::Charge { gateway_account: gateway.id.uuid(), charge: id.0 }
            }
            EventSubject::Other => return Ok(()),
        };
        let kept = StoredGatewayEvent {
            account: gateway.account,
            gateway_account: gateway.id,
            id: event.id,
            received_at: now,
        };
        retry_contended(async || {
            let mut tx = self.store.begin(gateway.account).await?;
            if tx.online().store_event(&kept).await? {
                let job = task.clone().into_job(gateway.account, None, &*self.invoicing.ids, now);
                tx.jobs().queue(job).await?;
            }
            tx.commit().await?;
            Ok(())
        })
        .await
    }
}

/// Says that an event was refused, since with a wrong webhook secret all are. At most once a minute for each
/// account, because anybody who knows the address can send events.
fn warn(gateway: &GatewayAccount, refused: &EventRefused, now: OffsetDateTime) {
    static WARNED: Mutex<(i64, BTreeSet<GatewayAccountId>)> = Mutex::new((0, BTreeSet::new()));
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    let minute = now.unix_timestamp().div_euclid(60);
    if warned.0 != minute {
        *warned = (minute, BTreeSet::new());
    }
    if warned.1.insert(gateway.id) {
        tracing::warn!(account = %gateway.account, %refused, "an event of a gateway was refused");
    }
}
