//! `webhook`: endpoints, deliveries, and tests of receivers.

mod sample;
mod torture;
mod view;

use std::sync::Arc;

use anyhow::Context as _;
use http_pages::audit;
use kernel::{AccountId, Operator};
use serde::Serialize;
use sessions::AuditedChange;
use webhooks::{
    DeliveryFilter, EndpointChange, EndpointError, EndpointId, NewEndpoint, WebhookAdministration,
};

use self::view::DeliveryView;
pub(super) use self::view::EndpointView;
use super::open;
use crate::cli::webhook::{AddEndpoint, ListDeliveries, ReplayDeliveries, WebhookCommand};
use crate::output::Output;
use crate::settings::Settings;
use crate::wiring::{Dependencies, webhook_client};

/// Runs a command on webhooks.
pub async fn run(settings: Settings, command: WebhookCommand, output: Output) -> anyhow::Result<()> {
    match command {
        // Tests of a receiver need no database.
        WebhookCommand::Test { url, secret } => sample::send(&settings, &url, secret, output).await,
        WebhookCommand::Torture { url, secret } => torture::run(&settings, &url, secret, output).await,
        command => with_the_store(settings, command, output).await,
    }
}

async fn with_the_store(settings: Settings, command: WebhookCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let admin = admin(&deps).await?;
    match command {
        WebhookCommand::Add(new) => add(&deps, &admin, new, output).await,
        WebhookCommand::List { account } => {
            let endpoints = admin.endpoints(account).await?;
            let shown: Vec<_> = endpoints.iter().map(EndpointView::new).collect();
            output.of_reading().show(&shown, |shown| view::endpoints(shown))
        }
        WebhookCommand::Disable(one) => change(&deps, &admin, one.id, EndpointChange::Disable, output).await,
        WebhookCommand::Enable(one) => change(&deps, &admin, one.id, EndpointChange::Enable, output).await,
        WebhookCommand::Delete(one) => change(&deps, &admin, one.id, EndpointChange::Delete, output).await,
        WebhookCommand::Deliveries(which) => list(&admin, which, output).await,
        WebhookCommand::Replay(which) => replay(&admin, which, output).await,
        WebhookCommand::Test { .. } | WebhookCommand::Torture { .. } => Ok(()),
    }
}

async fn admin(deps: &Dependencies) -> anyhow::Result<WebhookAdministration> {
    let key = deps.master_key().await?;
    Ok(deps.webhook_administration(webhook_client(&deps.settings)?, Arc::new(key.sealing_keys())))
}

#[derive(Serialize)]
struct Added {
    endpoint_id: String,
    signing_secret: String,
}

/// The use cases for one change by the operator; the transaction of the change also writes an audit entry.
fn audited(
    deps: &Dependencies,
    admin: &WebhookAdministration,
    account: AccountId,
    change: AuditedChange,
) -> WebhookAdministration {
    let endpoints = deps.audited(account, change).store.endpoints;
    WebhookAdministration { endpoints, ..admin.clone() }
}

async fn add(
    deps: &Dependencies,
    admin: &WebhookAdministration,
    new: AddEndpoint,
    output: Output,
) -> anyhow::Result<()> {
    let wanted = NewEndpoint { url: new.url, events: new.events };
    let admin = audited(deps, admin, new.account, audit::endpoints::added(&wanted));
    let registered = admin.register(new.account, wanted).await;
    let (endpoint, secret) = registered.map_err(|error| match error {
        EndpointError::Target(refused) => anyhow::Error::new(refused).context("--url"),
        error => error.into(),
    })?;
    let added = Added { endpoint_id: endpoint.id.to_string(), signing_secret: secret.reveal().to_owned() };
    output.show(&added, |added| {
        format!(
            "endpoint {}\nsigning secret {}\nThe secret is shown only here: give it to the receiver now.",
            added.endpoint_id, added.signing_secret
        )
    })
}

async fn change(
    deps: &Dependencies,
    admin: &WebhookAdministration,
    id: EndpointId,
    change: EndpointChange,
    output: Output,
) -> anyhow::Result<()> {
    let operator = Operator::at_the_command_line();
    let account = deps.store.endpoints.account_of(operator, id).await?;
    let account = account.context("there is no endpoint with this id")?;
    let endpoints = admin.endpoints(account).await?;
    let endpoint = endpoints.iter().find(|endpoint| endpoint.id == id);
    let endpoint = endpoint.context("there is no endpoint with this id")?;
    let admin = audited(deps, admin, account, audit::endpoints::changed(endpoint, change));
    let changed = admin.change(account, id, change).await?;
    output.show(&EndpointView::new(&changed), |shown| {
        let now = match change {
            EndpointChange::Disable => "disabled",
            EndpointChange::Enable => "enabled",
            EndpointChange::Delete => "deleted",
        };
        format!("endpoint {} ({}) is {now}", shown.endpoint_id, shown.url)
    })
}

async fn list(admin: &WebhookAdministration, which: ListDeliveries, output: Output) -> anyhow::Result<()> {
    // An unknown account is an error, not an empty list.
    admin.endpoints(which.account).await?;
    let filter = DeliveryFilter {
        endpoint: which.endpoint,
        after: which.after,
        ..DeliveryFilter::newest(which.limit)
    };
    let deliveries = admin.deliveries.list(which.account, filter).await?;
    show(&deliveries, output.of_reading())
}

async fn replay(
    admin: &WebhookAdministration,
    which: ReplayDeliveries,
    output: Output,
) -> anyhow::Result<()> {
    let made = match (which.delivery, which.account, which.abandoned_since) {
        (Some(delivery), _, _) => {
            let operator = Operator::at_the_command_line();
            vec![admin.replay(operator, delivery).await?]
        }
        (None, Some(account), Some(since)) => {
            admin.endpoints(account).await?;
            admin.replay_abandoned(account, since).await?
        }
        (None, _, _) => anyhow::bail!("name a delivery, or an account and an instant"),
    };
    show(&made, output)
}

fn show(deliveries: &[webhooks::Delivery], output: Output) -> anyhow::Result<()> {
    let shown: Vec<_> = deliveries.iter().map(DeliveryView::new).collect();
    output.show(&shown, |shown| view::deliveries(shown))
}
