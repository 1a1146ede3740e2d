//! LISTEN for the deliveries of other processes, on a connection outside the pool.

use std::pin::pin;
use std::time::Duration;

use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::StreamExt;
use kernel::{StoreError, StoreResult};
use store_schema::delivery_notifier::DeliveryNotifier;
use store_schema::errors::{failed, store_error};
use tokio::time::{sleep, timeout};

use super::pool::Pool;
use super::publish::CHANNEL;

/// The pause after a connection was lost or could not be opened. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// A connection without notifications for this long gets a query, and must respond within the same time.
const IDLE_CHECK: Duration = Duration::from_secs(30);

/// Listens until the task is aborted. A lost connection is reopened.
pub(super) async fn listen(pool: Pool, delivery_notifier: DeliveryNotifier) {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Ok(connection) = connect(&pool).await {
            pause = FIRST_PAUSE;
            // A notification may have been sent while there was no connection.
            delivery_notifier.wake();
            let lost = wake_on_notifications(connection, &delivery_notifier).await;
            tracing::debug!(error = %lost, "lost the connection that listens for deliveries");
        }
        sleep(pause).await;
        pause = pause.saturating_mul(2).min(MAX_PAUSE);
    }
}

async fn connect(pool: &Pool) -> StoreResult<AsyncPgConnection> {
    let mut connection = pool.connect_unpooled().await?;
    let listens = connection.batch_execute(&format!("LISTEN {CHANNEL}")).await;
    listens.map_err(store_error).map(|()| connection)
}

/// Wakes the delivery workers at each notification, until the connection is lost.
async fn wake_on_notifications(
    mut connection: AsyncPgConnection,
    delivery_notifier: &DeliveryNotifier,
) -> StoreError {
    loop {
        let received = {
            let mut notifications = pin!(connection.notifications_stream());
            timeout(IDLE_CHECK, notifications.next()).await
        };
        match received {
            Ok(Some(Ok(_notification))) => delivery_notifier.wake(),
            Ok(Some(Err(error))) => return store_error(error),
            Ok(None) => return failed("the server closed the connection"),
            Err(_idle) => {
                let answered = timeout(IDLE_CHECK, connection.batch_execute("SELECT 1")).await;
                match answered {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return store_error(error),
                    Err(_idle) => return failed("the server does not answer"),
                }
            }
        }
    }
}
