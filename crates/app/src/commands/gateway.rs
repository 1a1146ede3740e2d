//! `gateway`: connect accounts to payment gateways.

use std::io::Read as _;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use http_pages::audit;
use kernel::{AccountId, Named as _, Operator, instant_text};
use payments::{GatewayAccount, GatewaySecret, GatewaySecrets, OnlinePayments};
use serde::Serialize;
use sessions::AuditedChange;

use super::open;
use crate::cli::gateway::GatewayCommand;
use crate::output::{Output, columns};
use crate::settings::Settings;
use crate::wiring::Dependencies;

/// The maximum number of bytes that are read from standard input.
const MAX_BYTES: u64 = 10_000;

#[derive(Serialize)]
struct GatewayOutput {
    gateway_account_id: String,
    account_id: String,
    kind: &'static str,
    events_url: String,
    /// `connected` if checkouts are opened through it, `pending` if they will be from `in_force_at` on.
    state: &'static str,
    /// When a key that was entered comes into force.
    in_force_at: Option<String>,
    /// Whether the secret that events are signed with was entered; without it events are refused.
    has_webhook_secret: bool,
}

impl GatewayOutput {
    fn new(gateway: &GatewayAccount, payments: &OnlinePayments) -> Self {
        let now = payments.invoicing.clock.now();
        let next = gateway.pending_key(now);
        let state = match next {
            _ if gateway.is_connected(now) => "connected",
            Some(_) => "pending",
            None => "disconnected",
        };
        Self {
            gateway_account_id: gateway.id.to_string(),
            account_id: gateway.account.to_string(),
            kind: gateway.kind.as_str(),
            events_url: payments.invoicing.urls.gateway_events(gateway.kind.as_str(), gateway.id),
            state,
            in_force_at: next.map(|next| instant_text(next.in_force_at)),
            has_webhook_secret: gateway.webhook_secret.is_some(),
        }
    }

    fn text(&self) -> String {
        let Self { gateway_account_id, kind, events_url, state, in_force_at, .. } = self;
        let more = match in_force_at.as_deref() {
            Some(at) if *state == "connected" => {
                format!("; the new key is in force from {at} on, the old one until then")
            }
            Some(at) => format!(": no checkout is opened until the key is in force, from {at} on"),
            None if *state == "disconnected" => {
                ": no more checkouts are opened, and payments under way are completed".to_owned()
            }
            None => String::new(),
        };
        format!("{gateway_account_id} ({kind}) is {state}{more}; its events go to {events_url}")
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.gateway_account_id.clone(),
            self.kind.to_owned(),
            self.state.to_owned(),
            self.in_force_at.clone().unwrap_or_default(),
            if self.has_webhook_secret { "set" } else { "missing" }.to_owned(),
            self.events_url.clone(),
        ]
    }
}

/// The use cases of online payments for a command.
pub(super) async fn online_payments(deps: &Dependencies) -> anyhow::Result<OnlinePayments> {
    let key = deps.master_key().await?;
    let urls = deps.public_urls().await?;
    deps.online_payments(&urls, Arc::new(key.sealing_keys()))
}

/// Runs a command on gateway accounts.
pub async fn run(settings: Settings, command: GatewayCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let payments = online_payments(&deps).await?;
    match command {
        GatewayCommand::Connect { account, kind } => {
            let secrets = read_secrets()?;
            let payments = audited(&deps, payments, account, audit::gateways::connected(kind, &secrets));
            let connected = payments.connect(account, kind, &secrets).await?;
            output.show(&GatewayOutput::new(&connected.gateway, &payments), GatewayOutput::text)
        }
        GatewayCommand::List { account } => {
            deps.operator_accounts().account(Operator::at_the_command_line(), account).await?;
            let gateways = payments.reads.gateways(account).await?;
            let now = deps.clock.now();
            let has_live = gateways.iter().any(|one| one.kind.is_live() && one.is_connected(now));
            // Payments through a disconnected gateway are still completed. Beside a live gateway the sandbox
            // takes no payments; it only refunds earlier ones.
            let is_shown = |one: &&GatewayAccount| one.kind.is_live() || !has_live;
            let shown = gateways.iter().filter(is_shown);
            let shown: Vec<_> = shown.map(|gateway| GatewayOutput::new(gateway, &payments)).collect();
            output.of_reading().show(&shown, |shown| {
                let heads = ["gateway account", "kind", "state", "new key from", "webhook secret", "events"];
                columns(&heads, &shown.iter().map(GatewayOutput::row).collect::<Vec<_>>())
            })
        }
        GatewayCommand::Disconnect { id } => {
            let found = payments.reads.gateway_by_id(id).await?;
            let found = found.context("there is no gateway account with this id")?;
            let what = audit::gateways::disconnected(found.kind);
            let payments = audited(&deps, payments, found.account, what);
            let gateway = payments.disconnect(found.account, id).await?;
            let gateway = gateway.context("there is no gateway account with this id")?;
            output.show(&GatewayOutput::new(&gateway, &payments), GatewayOutput::text)
        }
    }
}

/// The use cases for one change of a gateway account; the transaction of the change also writes an audit
/// entry.
pub(super) fn audited(
    deps: &Dependencies,
    payments: OnlinePayments,
    account: AccountId,
    change: AuditedChange,
) -> OnlinePayments {
    let store = deps.audited(account, change).store.online_payments;
    OnlinePayments { store, ..payments }
}

/// Reads lines `key=...` and `webhook_secret=...` from standard input: other users could see arguments.
fn read_secrets() -> anyhow::Result<GatewaySecrets> {
    let mut text = String::new();
    std::io::stdin().take(MAX_BYTES).read_to_string(&mut text).context("standard input cannot be read")?;
    secrets_in(&text)
}

fn secrets_in(text: &str) -> anyhow::Result<GatewaySecrets> {
    let mut secrets = GatewaySecrets::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (place, secret) = match line.split_once('=') {
            Some(("key", secret)) => (&mut secrets.key, secret),
            Some(("webhook_secret", secret)) => (&mut secrets.webhook_secret, secret),
            _ => bail!("standard input has lines key=... and webhook_secret=... and no others"),
        };
        let secret = GatewaySecret::parse(secret).map_err(|fault| anyhow::anyhow!("a secret {fault}"))?;
        if place.replace(secret).is_some() {
            bail!("standard input has two lines of the same name");
        }
    }
    Ok(secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_line_is_refused_and_its_secret_is_not_shown() {
        assert!(secrets_in("key=rk_test_123\nwebhook_secret=whsec_123\n").is_ok());
        for text in
            ["key=rk_test_123\nkey=rk_test_456", "webhook_secret=whsec_123\n\nwebhook_secret=whsec_123"]
        {
            let said = secrets_in(text).unwrap_err().to_string();
            assert_eq!(said, "standard input has two lines of the same name");
        }
    }
}
