//! Debits whose day has come: they succeed, and the sandbox sends their events.

use kernel::StoreResult;
use kernel::clock::unix_micros;
use payments::{GatewayAccount, Intent, IntentState};

use crate::sandbox::Sandbox;

/// How many intents are read at once.
const BATCH: u32 = 500;

impl Sandbox {
    /// Sends the events of succeeded debits that are not settled yet, across all accounts. An event that is
    /// not accepted is sent again in the next round.
    pub async fn send_due_debit_events(&self) -> StoreResult<()> {
        let mut after = None;
        loop {
            let batch = self.reads.open_intents(after, BATCH).await?;
            let Some(last) = batch.last() else {
                return Ok(());
            };
            after = Some(last.0);
            let is_own = |one: &Intent| one.gateway_account == GatewayAccount::sandbox_id(one.account);
            // One that is damaged is reported where open payments are checked.
            let pending = batch.into_iter().filter_map(|(_, intent)| intent.ok());
            for intent in pending.filter(|one| one.state == IntentState::Pending && is_own(one)) {
                self.send_debit_events(&intent).await;
            }
        }
    }

    async fn send_debit_events(&self, intent: &Intent) {
        let Some(id) = intent.checkout_id() else { return };
        let now = unix_micros(self.clock.now());
        let Ok(Some((_, checkout))) = self.find_stored(intent.account, &id.0).await else { return };
        for charge in checkout.charges.iter().filter(|one| one.is_debit && one.captured_at <= now) {
            if let Err(error) = self.send_event(intent.account, "charge", &charge.id).await {
                tracing::warn!(error = %error, "an event of the sandbox was not delivered");
            }
        }
    }
}
