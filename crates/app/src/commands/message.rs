//! `message`: messages to and from customers.

mod view;

use std::io::Read as _;

use anyhow::{Context as _, bail};
use communications::{HandleError, InboundService, Incoming, MessageId, MessageState};
use kernel::Operator;

pub(super) use self::view::MessageView;
use super::open;
use crate::cli::communications::{MessageCommand, QuarantineCommand};
use crate::cli::receive::ReceiveAs;
use crate::output::{Output, columns};
use crate::settings::Settings;

/// The maximum size of a received message, in bytes.
const MAX_BYTES: u64 = 25 * 1024 * 1024;
/// The maximum number of messages in quarantine that are listed.
const MAX_QUARANTINED: u32 = 1_000;

/// Runs a command on messages.
pub async fn run(settings: Settings, command: MessageCommand, output: Output) -> anyhow::Result<()> {
    let deps = open(settings).await?;
    let urls = deps.public_urls().await?;
    let inbound = deps.inbound(&urls)?;
    match command {
        MessageCommand::List { account, contact, limit } => {
            deps.operator_accounts().account(Operator::at_the_command_line(), account).await?;
            let limit = usize::try_from(limit)?;
            let found = inbound.reads.messages(account, contact, None, limit).await?;
            let shown: Vec<_> = found.iter().map(MessageView::of_message).collect();
            output.of_reading().show(&shown, |shown| list(shown))
        }
        MessageCommand::Show { id } => {
            let shown = look_up(&inbound, id).await?.with_text(&inbound, id).await?;
            output.of_reading().show(&shown, MessageView::sheet)
        }
        MessageCommand::Receive(kind) => {
            let id = inbound.receive(read(kind)?).await?;
            inbound.handle(id).await.map_err(explained)?;
            output.show(&look_up(&inbound, id).await?, MessageView::sheet)
        }
        MessageCommand::Quarantine(command) => quarantine(&inbound, command, output).await,
    }
}

fn explained(error: HandleError) -> anyhow::Error {
    anyhow::Error::new(error)
        .context("the message is stored and not worked on yet; the service does it later")
}

/// Reads a message from standard input.
fn read(kind: ReceiveAs) -> anyhow::Result<Incoming> {
    let mut content = Vec::new();
    std::io::stdin()
        .take(MAX_BYTES + 1)
        .read_to_end(&mut content)
        .context("standard input cannot be read")?;
    if u64::try_from(content.len()).is_ok_and(|read| read > MAX_BYTES) {
        bail!("a message has at most 25 MiB");
    }
    Ok(match kind {
        ReceiveAs::Mail => Incoming::Mail(content),
        ReceiveAs::Sms(from) => {
            let text = String::from_utf8_lossy(&content).trim().to_owned();
            Incoming::Sms { from, text, attachments: 0, opts_out: false, provider_id: None }
        }
    })
}

async fn quarantine(
    inbound: &InboundService,
    command: QuarantineCommand,
    output: Output,
) -> anyhow::Result<()> {
    match command {
        QuarantineCommand::List => {
            let waiting = inbound.inbox.quarantined(MAX_QUARANTINED).await?;
            let shown: Vec<_> = waiting.into_iter().map(MessageView::of_quarantined).collect();
            output.of_reading().show(&shown, |shown| {
                let rows: Vec<_> = shown.iter().map(MessageView::quarantine_row).collect();
                columns(&["message", "channel", "detail", "candidates"], &rows)
            })
        }
        QuarantineCommand::Assign { id, account } => {
            inbound.assign(id, account).await?;
            output.show(&look_up(inbound, id).await?, MessageView::sheet)
        }
        QuarantineCommand::Drop { id } => {
            inbound.drop_quarantined(id).await?;
            output.show(&look_up(inbound, id).await?, MessageView::sheet)
        }
    }
}

/// A message of an account, or a received message that has no account.
async fn look_up(inbound: &InboundService, id: MessageId) -> anyhow::Result<MessageView> {
    let item = inbound.inbox.item(id).await?;
    let message = match item.as_ref().map(|item| item.stored_as) {
        Some(Some((account, message))) => inbound.reads.message(account, message).await?,
        Some(None) => None,
        None => inbound.reads.message_by_id(id).await?,
    };
    match (message, item) {
        (Some(message), _) => Ok(MessageView::of_message(&message)),
        (None, Some(item)) if item.state == MessageState::Quarantined => {
            Ok(MessageView::of_item(&item).may_be_for(&inbound.inbox.candidates(id).await?))
        }
        (None, Some(item)) => Ok(MessageView::of_item(&item)),
        (None, None) => bail!("there is no message with this id"),
    }
}

fn list(shown: &[MessageView]) -> String {
    let heads = ["message", "direction", "channel", "state", "contact", "says"];
    columns(&heads, &shown.iter().map(MessageView::row).collect::<Vec<_>>())
}
