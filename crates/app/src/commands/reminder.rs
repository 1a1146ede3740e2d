//! `reminder`: the policy, the plan and the history of reminders.

use std::sync::Arc;

use anyhow::Context as _;
use communications::{
    DecidedStep, ModelConsent, PausedUntil, PolicyChange, ReminderPolicy, ReminderService,
    ReminderSettingsChange, Step, StepDecision,
};
use contacts::ContactId;
use http_pages::audit;
use invoices::InvoiceId;
use kernel::{
    AccountId, Named as _, OneFailed, Operator, StoreError, TimeZone, clock, error_chain, instant_text,
};
use serde::Serialize;

use super::open;
use crate::cli::communications::{ChangePolicy, OneInvoice, ReminderCommand, Until};
use crate::output::{Output, columns};
use crate::settings::Settings;
use crate::wiring::{Dependencies, language_model};

/// How many accounts one query reads.
const ACCOUNTS_AT_ONCE: u32 = 100;

/// A step for an invoice, and the decision about it.
#[derive(Serialize)]
pub(super) struct StepView {
    invoice_id: String,
    contact_id: String,
    step: i16,
    channel: &'static str,
    due_at: String,
    decision: &'static str,
    reason: Option<&'static str>,
}

/// The reminder policy of an account as commands print it.
#[derive(Serialize)]
pub(super) struct PolicyView {
    account_id: String,
    started: bool,
    steps: Vec<PolicyStepView>,
    timezone: String,
    backlog: bool,
    holidays: Vec<String>,
    promise_days: u16,
    /// The host of the language model that may read unclear messages, if the owner agreed to one.
    language_model: Option<String>,
}

#[derive(Serialize)]
struct PolicyStepView {
    days: i16,
    channel: &'static str,
    tone: &'static str,
}

/// Until when the reminders of an invoice are paused.
#[derive(Serialize)]
pub(super) struct PauseView {
    invoice_id: String,
    until: Option<String>,
}

impl PauseView {
    pub(super) fn new(invoice: InvoiceId, until: Option<PausedUntil>) -> Self {
        let until = until.map(|until| match until {
            PausedUntil::Date(day) => clock::date_text(day),
            PausedUntil::Never => "never".to_owned(),
        });
        Self { invoice_id: invoice.to_string(), until }
    }
}

impl StepView {
    pub(super) fn new(contact: ContactId, step: &StepDecision) -> Self {
        Self {
            invoice_id: step.invoice.to_string(),
            contact_id: contact.to_string(),
            step: step.key.days,
            channel: step.key.channel.as_str(),
            due_at: instant_text(step.due_at),
            decision: step.decision.as_str(),
            reason: step.decision.reason(),
        }
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.due_at.clone(),
            self.invoice_id.clone(),
            format!("{:+}", self.step),
            self.channel.to_owned(),
            self.decision.to_owned(),
            self.reason.unwrap_or_default().to_owned(),
        ]
    }
}

/// Runs a command on reminders.
pub async fn run(settings: Settings, command: ReminderCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let reminders = deps.reminder_service();
    let known = async |account: AccountId| {
        deps.operator_accounts().account(Operator::at_the_command_line(), account).await.map(drop)
    };
    match command {
        ReminderCommand::Plan { account, days } => {
            known(account).await?;
            let forecast = reminders.forecast(account, days).await?;
            let steps = forecast.iter().map(|(contact, one)| StepView::new(*contact, &one.step));
            show(&steps.collect::<Vec<_>>(), output.of_reading())
        }
        ReminderCommand::Run => {
            let (decided, failed) = run_once(&deps, &reminders).await?;
            show(&views(&decided), output)?;
            let named = failed.join("; ");
            anyhow::ensure!(failed.is_empty(), "the reminders of these accounts are not decided: {named}");
            Ok(())
        }
        ReminderCommand::Why(OneInvoice { account, invoice }) => {
            known(account).await?;
            let found = deps.store.invoice_reads.get(account, invoice).await?;
            anyhow::ensure!(found.is_some(), "the account has no such invoice");
            show(&views(&reminders.why(account, invoice).await?), output.of_reading())
        }
        ReminderCommand::Policy(change) => {
            known(change.account).await?;
            policy(&deps, change, output).await
        }
        ReminderCommand::Pause { invoice: OneInvoice { account, invoice }, until: Until(until) } => {
            known(account).await?;
            let audited = deps.audited(account, audit::communications::paused(until));
            audited.reminder_service().pause(account, invoice, until).await?;
            let shown = PauseView::new(invoice, until);
            output.show(&shown, |shown| match shown.until.as_deref() {
                None => format!("{}: reminders go on", shown.invoice_id),
                Some("never") => format!("{}: no more reminders", shown.invoice_id),
                Some(day) => format!("{}: reminders go on with {day}", shown.invoice_id),
            })
        }
    }
}

/// Decides about every step that is due, and sends the permitted reminders. Also returns the accounts for
/// which this failed, each with the reason.
async fn run_once(
    deps: &Dependencies,
    reminders: &ReminderService,
) -> anyhow::Result<(Vec<DecidedStep>, Vec<String>)> {
    let (mut decided, mut failed, mut after) = (Vec::new(), Vec::new(), None);
    let mut failures = OneFailed::default();
    loop {
        let accounts = reminders.reminder_reads.started_accounts(after, ACCOUNTS_AT_ONCE).await?;
        let Some(last) = accounts.last().copied() else {
            break;
        };
        for account in accounts {
            let steps = reminders.decide(account).await;
            let report = |error: &StoreError| failed.push(format!("{account}: {}", error_chain(error)));
            decided.extend(failures.set_aside(steps, report)?.unwrap_or_default());
        }
        after = Some(last);
    }
    let urls = deps.public_urls().await?;
    let senders = deps.senders(&urls)?;
    outbox::run_until_idle(Arc::new(deps.reminder_worker(&urls, senders))).await;
    Ok((decided, failed))
}

fn views(decided: &[DecidedStep]) -> Vec<StepView> {
    decided.iter().map(|one| StepView::new(one.contact, &one.step)).collect()
}

fn show(steps: &Vec<StepView>, output: Output) -> anyhow::Result<()> {
    output.show(steps, |steps| {
        let heads = ["due", "invoice", "step", "channel", "decision", "reason"];
        columns(&heads, &steps.iter().map(StepView::row).collect::<Vec<_>>())
    })
}

async fn policy(deps: &Dependencies, change: ChangePolicy, output: Output) -> anyhow::Result<()> {
    let ChangePolicy { account, steps, start, stop, backlog, no_backlog, holidays, promise_days, .. } =
        change;
    let change = PolicyChange {
        steps: steps.map(|steps| steps.0),
        started: (start || stop).then_some(start),
        backlog: (backlog || no_backlog).then_some(backlog),
        holidays: holidays.map(|holidays| holidays.0),
        model_consent: change.ask_language_model.map(|on| model_consent(&deps.settings, on)).transpose()?,
    };
    let change = ReminderSettingsChange { policy: change, time_zone: None, promise_days };
    let output = if change == ReminderSettingsChange::default() { output.of_reading() } else { output };
    let audited = deps.audited(account, audit::communications::settings_changed(&change.policy));
    let changed = audited.reminder_service().change_settings(account, &change, None).await?;
    let policy = changed.policy;
    let shown = PolicyView::new(account, &policy, &changed.time_zone, changed.promise_days);
    output.show(&shown, |shown| sheet(shown, &policy))
}

fn model_consent(settings: &Settings, on: bool) -> anyhow::Result<ModelConsent> {
    if !on {
        return Ok(ModelConsent::Withdrawn);
    }
    let model = language_model(settings)?;
    let model =
        model.context("no language model is set: set COUNTINGHOUSE_LANGUAGE_MODEL_URL and _NAME first")?;
    Ok(ModelConsent::Given { host: model.host().to_owned() })
}

fn sheet(shown: &PolicyView, policy: &ReminderPolicy) -> String {
    let steps: Vec<String> = policy.steps.iter().map(Step::to_string).collect();
    let state = if shown.started { "started" } else { "stopped" };
    let late = if shown.backlog { "reminded of" } else { "left out" };
    [
        format!("{state}: {} ({})", steps.join(","), shown.timezone),
        format!("invoices that were over 30 days late at the start: {late}"),
        format!("holidays: {}", policy.holidays_text()),
        format!("days within which customers may promise to pay: {}", shown.promise_days),
        format!(
            "language model that reads unclear messages: {}",
            shown.language_model.as_deref().unwrap_or("none")
        ),
    ]
    .join("\n")
}

impl PolicyView {
    pub(super) fn new(
        account: AccountId,
        policy: &ReminderPolicy,
        zone: &TimeZone,
        promise_days: u16,
    ) -> Self {
        let step = |step: &Step| PolicyStepView {
            days: step.key.days,
            channel: step.key.channel.as_str(),
            tone: step.tone.as_str(),
        };
        Self {
            account_id: account.to_string(),
            started: policy.started_at.is_some(),
            steps: policy.steps.iter().map(step).collect(),
            timezone: zone.name().to_owned(),
            backlog: policy.backlog,
            holidays: policy.holidays.iter().copied().map(clock::date_text).collect(),
            promise_days,
            language_model: policy.language_model_host.clone(),
        }
    }
}
