//! `escalation`: raise and resolve escalations.

use escalations::{Escalation, NewEscalation, Notes};
use http_api::EscalationView;
use kernel::{Named as _, instant_text};

use super::open;
use crate::cli::EscalationCommand;
use crate::output::Output;
use crate::settings::Settings;

/// Runs a command on escalations.
pub async fn run(settings: Settings, command: EscalationCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let service = deps.escalation_service(&deps.public_urls().await?);
    let escalation = match command {
        EscalationCommand::Raise(raise) => {
            let new = NewEscalation {
                escalation_type: raise.escalation_type,
                channel: raise.channel,
                statement: raise.statement,
                invoice: raise.invoice,
                contact: raise.contact,
            };
            service.raise(raise.account, new).await?
        }
        EscalationCommand::Resolve(resolve) => {
            service.resolve(resolve.account, resolve.id, resolve.outcome, resolve.notes).await?
        }
    };
    output.show(&EscalationView::from(&escalation), |_shown| sheet(&escalation))
}

fn sheet(escalation: &Escalation) -> String {
    let resolution = escalation.resolution.as_ref();
    let notes = resolution.and_then(|resolution| resolution.notes.as_ref());
    let rows = [
        ("escalation", Some(escalation.id.to_string())),
        ("account", Some(escalation.account.to_string())),
        ("status", Some(escalation.status().as_str().to_owned())),
        ("type", Some(escalation.escalation_type.as_str().to_owned())),
        ("priority", Some(escalation.priority.as_str().to_owned())),
        ("channel", Some(escalation.channel.as_str().to_owned())),
        ("invoice", escalation.invoice.map(|id| id.to_string())),
        ("contact", escalation.contact.map(|id| id.to_string())),
        ("raised", Some(instant_text(escalation.created_at))),
        ("statement", Some(escalation.statement.as_str().to_owned())),
        ("resolved", resolution.map(|resolution| instant_text(resolution.at))),
        ("outcome", resolution.map(|resolution| resolution.outcome.as_str().to_owned())),
        ("notes", notes.map(Notes::as_str).map(str::to_owned)),
    ];
    let row = |(name, value): (&str, Option<String>)| {
        // Further lines of a value are indented to its first line.
        let value = value?.replace('\n', &format!("\n{:<13} ", ""));
        Some(format!("{name:<13} {value}"))
    };
    rows.into_iter().filter_map(row).collect::<Vec<_>>().join("\n")
}
