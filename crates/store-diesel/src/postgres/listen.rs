//! Hearing what other processes announce, on a connection beside the pool.

use std::pin::pin;
use std::time::Duration;

use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use futures_util::StreamExt;
use kernel::StoreError;
use tokio::time::{sleep, timeout};

use super::pool::Pool;
use crate::delivery_notifier::DeliveryNotifier;
use crate::errors::{failed, store_error};

/// Where deliveries are announced.
pub(super) const CHANNEL: &str = "countinghouse_deliveries";

/// The pauses after a connection was lost or could not be made: each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// A connection that was silent for so long is asked whether it still lives, and must answer within as long.
const SILENCE: Duration = Duration::from_secs(30);

/// Listens until the task is ended, and connects anew whenever the connection is lost.
pub(super) async fn listen(pool: Pool, delivery_notifier: DeliveryNotifier) {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Ok(connection) = connect(&pool).await {
            pause = FIRST_PAUSE;
            // While nobody listened, something may have been announced.
            delivery_notifier.wake();
            let lost = hear(connection, &delivery_notifier).await;
            tracing::debug!(error = %lost, "lost the connection that hears of webhook deliveries; connecting anew");
        }
        sleep(pause).await;
        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
    }
}

async fn connect(pool: &Pool) -> Result<AsyncPgConnection, StoreError> {
    let mut connection = pool.connect_aside().await?;
    let listens = connection.batch_execute(&format!("LISTEN {CHANNEL}")).await;
    listens.map_err(store_error).map(|()| connection)
}

/// Wakes at each announcement, until the connection is lost.
async fn hear(
    mut connection: AsyncPgConnection,
    delivery_notifier: &DeliveryNotifier,
) -> StoreError {
    loop {
        let heard = {
            let mut announcements = pin!(connection.notifications_stream());
            timeout(SILENCE, announcements.next()).await
        };
        match heard {
            Ok(Some(Ok(_announcement))) => delivery_notifier.wake(),
            Ok(Some(Err(error))) => return store_error(error),
            Ok(None) => return failed("the server closed the connection"),
            Err(_silent) => {
                let lives = timeout(SILENCE, connection.batch_execute("SELECT 1")).await;
                match lives {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return store_error(error),
                    Err(_silent) => return failed("the server does not answer"),
                }
            }
        }
    }
}
