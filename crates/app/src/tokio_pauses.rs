//! Pauses by the runtime's timer.

use std::time::Duration;

use async_trait::async_trait;
use sessions::Pauses;

/// Pauses by the runtime's timer.
#[derive(Debug, Clone, Copy)]
pub struct TokioPauses;

#[async_trait]
impl Pauses for TokioPauses {
    async fn pause(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }
}
