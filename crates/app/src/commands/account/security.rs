//! What the operator does to the login of an account's owner, and the audit entries of it.

use std::sync::Arc;

use anyhow::Context as _;
use kernel::{AccountId, Operator, PublicUrls, instant_text};
use serde::Serialize;
use sessions::{Actor, AuditedChange, Failure, Logins};

use crate::master_key::MasterKey;
use crate::output::Output;
use crate::settings::Settings;
use crate::wiring::Dependencies;

#[derive(Serialize)]
struct Invited {
    account_id: String,
    invitation_url: String,
    expires_at: String,
}

/// Prints a link with which the owner chooses a password.
pub(super) async fn invite(
    settings: &Settings,
    deps: &Dependencies,
    urls: &PublicUrls,
    id: AccountId,
    output: Output,
) -> anyhow::Result<()> {
    let logins = logins(settings, deps).await?;
    let invited = logins.invite(Operator::at_the_command_line(), id).await;
    let (invitation, token) = found(invited)?;
    let invited = Invited {
        account_id: id.to_string(),
        invitation_url: urls.invitation(token.reveal()),
        expires_at: instant_text(invitation.expires_at),
    };
    output.show(&invited, |invited| {
        let (url, until) = (&invited.invitation_url, &invited.expires_at);
        format!("With this link the owner chooses a password, once, until {until}:\n{url}")
    })
}

/// Turns the second factor of the owner off, if it is on.
pub(super) async fn reset_second_factor(
    settings: &Settings,
    deps: &Dependencies,
    id: AccountId,
) -> anyhow::Result<()> {
    let logins = logins(settings, deps).await?;
    let reset = logins.reset_second_factor(Operator::at_the_command_line(), id).await;
    found(reset).map(|_was_on| ())
}

/// Adds an audit entry of the operator.
pub(super) async fn record(deps: &Dependencies, id: AccountId, change: AuditedChange) -> anyhow::Result<()> {
    let recorded = deps.audit().record(id, &Actor::Operator, None, change).await;
    recorded.context("cannot record it in the audit entries")
}

async fn logins(settings: &Settings, deps: &Dependencies) -> anyhow::Result<Logins> {
    let upkeep = &*deps.store.upkeep;
    let key = MasterKey::find(settings, upkeep.kind(), &*deps.random)?;
    key.must_fit(upkeep).await?;
    deps.logins(Arc::new(key.sealing_keys()))
}

fn found<T>(result: Result<T, Failure>) -> anyhow::Result<T> {
    match result {
        Err(Failure::NoLogin) => anyhow::bail!("there is no account with this id"),
        other => Ok(other?),
    }
}
