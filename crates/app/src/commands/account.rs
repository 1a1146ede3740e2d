//! `account`: show, enable, disable, limit and export accounts, and invite their owners.

mod export;
mod security;

use http_api::AccountView;
use kernel::{AccountId, Operator, PartnerId, PublicUrls};
use partner_accounts::{Account, AccountChange, OperatorAccounts, Switches};
use serde::Serialize;
use sessions::AuditedChange;

use super::open;
use crate::cli::{AccountCommand, OneAccount};
use crate::output::{Output, columns};
use crate::settings::Settings;

/// How many accounts one query reads; a list of any length is read in such pages.
const STEP: usize = 500;

/// The partner API's object with the partner's id and the fields that only the operator sets.
#[derive(Serialize)]
struct AccountOutput {
    #[serde(flatten)]
    account: AccountView,
    partner_id: String,
    currency: &'static str,
    monthly_invoice_limit: Option<u64>,
    monthly_message_limit: Option<u64>,
    /// Who switched the account off: none, one or both of `partner` and `operator`. It is active again once
    /// each of them has switched it on.
    switched_off_by: Vec<&'static str>,
}

/// An account whose owner's second factor was reset.
#[derive(Serialize)]
struct Reset {
    #[serde(flatten)]
    account: AccountOutput,
    /// `turned_off` by this command, or `already_off`.
    second_factor: &'static str,
}

#[derive(Serialize)]
struct RotatedAccountKey {
    account_id: String,
    api_key: String,
}

impl AccountOutput {
    fn new(account: &Account, urls: &PublicUrls) -> Self {
        Self {
            partner_id: account.partner.to_string(),
            currency: account.currency.code(),
            monthly_invoice_limit: account.monthly_invoice_limit,
            monthly_message_limit: account.monthly_message_limit,
            switched_off_by: switched_off_by(&account.switches),
            account: AccountView::full(account, urls),
        }
    }
}

/// Runs a command on accounts.
pub async fn run(settings: Settings, command: AccountCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let operator_accounts = deps.operator_accounts();
    let operator = Operator::at_the_command_line();
    let urls = deps.public_urls().await?;
    let change = async |id: AccountId, change: AccountChange| {
        let audited = deps.audited(id, security::change_of(change));
        let account = audited.operator_accounts().change_account(operator, id, change).await?;
        output.show(&AccountOutput::new(&account, &urls), sheet)
    };
    match command {
        AccountCommand::List { partner } => {
            let accounts = every_account(&operator_accounts, operator, partner, &urls).await?;
            output.of_reading().show(&accounts, |accounts| list(accounts))
        }
        AccountCommand::Show(OneAccount { id }) => {
            let account = operator_accounts.account(operator, id).await?;
            output.of_reading().show(&AccountOutput::new(&account, &urls), sheet)
        }
        AccountCommand::Disable(OneAccount { id }) => change(id, AccountChange::OffByOperator(true)).await,
        AccountCommand::Enable(OneAccount { id }) => change(id, AccountChange::OffByOperator(false)).await,
        AccountCommand::Invite(OneAccount { id }) => security::invite(&deps, &urls, id, output).await,
        AccountCommand::ResetSecondFactor(OneAccount { id }) => {
            let was_on = security::reset_second_factor(&deps, id).await?;
            let account = operator_accounts.account(operator, id).await?;
            let second_factor = if was_on { "turned_off" } else { "already_off" };
            let reset = Reset { account: AccountOutput::new(&account, &urls), second_factor };
            output.show(&reset, |reset| {
                let state = if was_on { "turned off now" } else { "off already; nothing was changed" };
                format!("{}\n{:<13} {state}", sheet(&reset.account), "second factor")
            })
        }
        AccountCommand::SetInvoiceLimit { account, limit } => {
            change(account.id, AccountChange::MonthlyInvoiceLimit(limit.0)).await
        }
        AccountCommand::SetMessageLimit { account, limit } => {
            change(account.id, AccountChange::MonthlyMessageLimit(limit.0)).await
        }
        AccountCommand::SetCurrency { account, code } => {
            change(account.id, AccountChange::Currency(code)).await
        }
        AccountCommand::Export { account: OneAccount { id }, file } => {
            let account = AccountOutput::new(&operator_accounts.account(operator, id).await?, &urls);
            export::run(&deps, &account, id, &urls, &file, output).await
        }
        AccountCommand::RotateKey(OneAccount { id }) => {
            let (key, record) = operator_accounts.new_account_key();
            let audited = deps.audited(id, AuditedChange::of("api_key.rotated"));
            audited.operator_accounts().put_account_key(operator, id, &record).await?;
            let rotated = RotatedAccountKey { account_id: id.to_string(), api_key: key.reveal().to_owned() };
            output.show(&rotated, |rotated| {
                format!("Every earlier key is revoked. The new one, shown this once: {}", rotated.api_key)
            })
        }
    }
}

fn switched_off_by(switches: &Switches) -> Vec<&'static str> {
    let by = [("partner", switches.disabled_by_partner), ("operator", switches.disabled_by_operator)];
    by.into_iter().filter_map(|(who, is_off)| is_off.then_some(who)).collect()
}

async fn every_account(
    operator_accounts: &OperatorAccounts,
    operator: Operator,
    partner: Option<PartnerId>,
    urls: &PublicUrls,
) -> anyhow::Result<Vec<AccountOutput>> {
    if let Some(id) = partner {
        let partners = operator_accounts.store.partners(operator).await?;
        anyhow::ensure!(partners.iter().any(|partner| partner.id == id), "there is no such partner");
    }
    let mut shown = Vec::new();
    let mut before = None;
    loop {
        let step = operator_accounts.store.accounts(operator, partner, before, STEP).await?;
        before = step.last().map(|account| account.id);
        let last = step.len() < STEP;
        let show = |account| AccountOutput::new(account, urls);
        shown.extend(step.iter().map(show));
        if last {
            return Ok(shown);
        }
    }
}

fn list(accounts: &[AccountOutput]) -> String {
    if accounts.is_empty() {
        return "There is no account yet; a partner makes one with POST /api/v1/partner/accounts.".to_owned();
    }
    let row = |shown: &AccountOutput| {
        let account = &shown.account;
        vec![
            account.id.clone(),
            account.status.to_owned(),
            account.created_at.clone(),
            shown.partner_id.clone(),
            account.company_name.clone(),
        ]
    };
    let heads = ["account_id", "status", "created_at", "partner_id", "company_name"];
    columns(&heads, &accounts.iter().map(row).collect::<Vec<_>>())
}

fn status(shown: &AccountOutput) -> String {
    let status = shown.account.status;
    match shown.switched_off_by.as_slice() {
        [] => status.to_owned(),
        by => format!("{status}: switched off by the {}", by.join(" and by the ")),
    }
}

fn sheet(shown: &AccountOutput) -> String {
    let account = &shown.account;
    let limit = |most: Option<u64>, what: &str| {
        most.map_or("none".to_owned(), |most| format!("{most} {what} a month"))
    };
    let rows = [
        ("account", account.id.clone()),
        ("company", account.company_name.clone()),
        ("owner", account.email.clone().unwrap_or_default()),
        ("partner", shown.partner_id.clone()),
        ("external id", account.external_id.clone().unwrap_or_default()),
        ("status", status(shown)),
        ("time zone", account.timezone.clone()),
        ("currency", shown.currency.to_owned()),
        ("limit", limit(shown.monthly_invoice_limit, "invoices")),
        ("message limit", limit(shown.monthly_message_limit, "text messages")),
        ("payment page", account.payment_slug.clone()),
        ("created", account.created_at.clone()),
    ];
    rows.map(|(name, value)| format!("{name:<13} {value}")).join("\n")
}
