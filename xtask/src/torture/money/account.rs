//! The account that gets the payments, connected to the gateway.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use payments::{PaymentSettings, UnappliedMoney};
use serde_json::Value;
use tokio::sync::watch;

use super::super::environment::{Account, Environment, Shared};
use super::super::load::up_to;
use super::gateway::Gateway;
use crate::fixtures::stripe::{KEY, WEBHOOK_SECRET};

/// The longest time before the owner changes a setting, in milliseconds.
const MAX_DECISION: u64 = 3_000;
/// The smallest partial payment, in percent of the total.
const MINIMUM_PERCENT: u8 = 10;

pub(super) struct PaidAccount {
    pub(super) account: Account,
    /// The address on which the service listens.
    pub(super) address: SocketAddr,
    /// The path to which the gateway sends events.
    pub(super) events_path: String,
    stripe_url: String,
}

impl PaidAccount {
    /// Connects the account of the environment to the gateway by the operator's command.
    pub(super) async fn connect(
        environment: &Shared,
        gateway: &Gateway,
        address: SocketAddr,
    ) -> anyhow::Result<Self> {
        let account = environment.accounts.first().context("there is an account")?.clone();
        let stripe_url = gateway.url();
        let mut paid = Self { account, address, events_path: String::new(), stripe_url };
        let id = paid.account.id.to_string();
        let words = ["gateway", "connect", "--account", &id, "stripe", "--json"].map(str::to_owned);
        let mut command = paid.command(environment);
        command.args(words);
        let lines = format!("key={KEY}\nwebhook_secret={WEBHOOK_SECRET}\n");
        // The gateway runs in this process, which must not block.
        let said = tokio::task::spawn_blocking(move || output(command, &lines)).await??;
        let connected: Value = serde_json::from_slice(&said)?;
        let connection = connected.get("gateway_account_id").and_then(Value::as_str);
        let connection = connection.with_context(|| format!("no connection in {connected}"))?;
        paid.events_path = format!("/gateways/stripe/{connection}/events");
        Ok(paid)
    }

    /// The base of URLs in pages.
    pub(super) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The binary with the settings of this scenario.
    pub(super) fn command(&self, environment: &Environment) -> Command {
        let mut command = environment.command();
        command
            .env("COUNTINGHOUSE_PUBLIC_URL", self.base())
            .env("COUNTINGHOUSE_STRIPE_URL", &self.stripe_url);
        command
    }

    /// Like [`Self::command`], with the clock in a file, which the service accepts only if the sandbox could
    /// be on.
    pub(super) fn command_at(&self, environment: &Environment, clock: &Path) -> Command {
        let mut command = self.command(environment);
        command.env("COUNTINGHOUSE_SANDBOX", "true").env("COUNTINGHOUSE_TEST_CLOCK", clock);
        command
    }
}

/// Runs a command to its end, with these lines on its standard input.
fn output(mut command: Command, lines: &str) -> anyhow::Result<Vec<u8>> {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn()?;
    child.stdin.take().context("standard input is piped")?.write_all(lines.as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

/// In turns, the owner chooses to return or to keep money that cannot be applied.
pub(super) async fn toggle_unapplied_setting(
    environment: Shared,
    paid: Arc<PaidAccount>,
    stopped: watch::Receiver<bool>,
) {
    let generator = environment.generator(u64::MAX - 3);
    while !*stopped.borrow() {
        let unapplied = if generator.below(3) == 0 { UnappliedMoney::Keep } else { UnappliedMoney::Return };
        let settings = PaymentSettings { minimum_percent: MINIMUM_PERCENT, unapplied };
        let store = &environment.database.deps.store.online_payments;
        // If the database is busy the store may fail; then the setting is unchanged.
        if let Ok(mut tx) = store.begin(paid.account.id).await
            && tx.online().put_settings(&settings).await.is_ok()
        {
            let _changed = tx.commit().await;
        }
        tokio::time::sleep(Duration::from_millis(500).saturating_add(up_to(&generator, MAX_DECISION))).await;
    }
}
