//! Commands that change the login of an account's owner, and the audit entries of account commands.

use std::sync::Arc;

use kernel::{AccountId, Operator, PublicUrls, instant_text};
use partner_accounts::AccountChange;
use serde::Serialize;
use sessions::{AuditedChange, InternalFailure, Logins};

use crate::output::Output;
use crate::wiring::Dependencies;

#[derive(Serialize)]
struct Invited {
    account_id: String,
    invitation_url: String,
    expires_at: String,
}

/// Prints a link with which the owner chooses a password.
pub(super) async fn invite(
    deps: &Dependencies,
    urls: &PublicUrls,
    id: AccountId,
    output: Output,
) -> anyhow::Result<()> {
    let logins = logins(deps).await?;
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

/// Turns off the second factor of the owner, if it is on. Returns whether it was.
pub(super) async fn reset_second_factor(deps: &Dependencies, id: AccountId) -> anyhow::Result<bool> {
    let logins = logins(deps).await?;
    let reset = logins.reset_second_factor(Operator::at_the_command_line(), id).await;
    found(reset)
}

/// The content of the audit entry for a change of an account. The transaction adds the old and new values.
pub(super) fn change_of(change: AccountChange) -> AuditedChange {
    AuditedChange::of(match change {
        AccountChange::OffByOperator(true) => "account.disabled",
        AccountChange::OffByOperator(false) => "account.enabled",
        AccountChange::MonthlyMessageLimit(_) => "account.message_limit_set",
        AccountChange::MonthlyInvoiceLimit(_) => "account.invoice_limit_set",
        AccountChange::Currency(_) => "account.currency_set",
    })
}

async fn logins(deps: &Dependencies) -> anyhow::Result<Logins> {
    let key = deps.master_key().await?;
    deps.logins(Arc::new(key.sealing_keys()))
}

fn found<T>(result: Result<T, InternalFailure>) -> anyhow::Result<T> {
    match result {
        Err(InternalFailure::NoLogin) => anyhow::bail!("there is no account with this id"),
        other => Ok(other?),
    }
}
