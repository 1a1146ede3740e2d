//! `audit list`: the audit entries of an account.

use kernel::{Operator, instant_text};
use serde::Serialize;
use serde_json::Value;
use sessions::AuditEntry;

use super::open;
use crate::cli::AuditCommand;
use crate::output::{Output, columns};
use crate::settings::Settings;

/// An audit entry as commands print it.
#[derive(Serialize)]
pub(super) struct EntryView {
    at: String,
    actor: String,
    address: Option<String>,
    action: String,
    before: Option<Value>,
    after: Option<Value>,
}

/// Runs a command on audit entries.
pub async fn run(settings: Settings, command: AuditCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let AuditCommand::List { account, limit } = command;
    // A mistyped id must give an error, not an empty list.
    deps.operator_accounts().account(Operator::at_the_command_line(), account).await?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let entries = deps.store.audit.list(account, None, limit).await?;
    let shown: Vec<EntryView> = entries.into_iter().map(EntryView::from).collect();
    output.of_reading().show(&shown, |shown| list(shown))
}

impl From<AuditEntry> for EntryView {
    fn from(entry: AuditEntry) -> Self {
        Self {
            at: instant_text(entry.at),
            actor: entry.actor,
            address: entry.address,
            action: entry.action,
            before: entry.before,
            after: entry.after,
        }
    }
}

fn list(entries: &[EntryView]) -> String {
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string).unwrap_or_default();
    let row = |entry: &EntryView| {
        vec![
            entry.at.clone(),
            entry.actor.clone(),
            entry.address.clone().unwrap_or_default(),
            entry.action.clone(),
            text(&entry.before),
            text(&entry.after),
        ]
    };
    let heads = ["at", "actor", "address", "action", "before", "after"];
    columns(&heads, &entries.iter().map(row).collect::<Vec<_>>())
}
