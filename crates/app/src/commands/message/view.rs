//! A message as commands print it.

use communications::{
    Channel, ClassifiedBy, InboundService, InboxItem, Message, MessageId, MessageState, QuarantineCandidate,
    Quarantined, Understood,
};
use kernel::{Named as _, clock, instant_text};
use serde::Serialize;

/// A message of an account, or a received message that has no account.
#[derive(Debug, Default, Serialize)]
pub(crate) struct MessageView {
    message_id: String,
    account_id: Option<String>,
    contact_id: Option<String>,
    invoice_id: Option<String>,
    channel: &'static str,
    direction: &'static str,
    state: &'static str,
    classification: Option<ClassificationView>,
    /// Who classified the message, unless the rules did.
    #[serde(rename = "read_by", skip_serializing_if = "Option::is_none")]
    classified_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<String>>,
    /// Further text that `show` prints.
    #[serde(skip)]
    detail: Option<String>,
    /// Who sent a message that has no account, and the accounts that it may be for.
    #[serde(skip)]
    from: Option<String>,
    #[serde(skip)]
    may_be_for: Option<String>,
    #[serde(skip)]
    attachments: u32,
    #[serde(skip)]
    own_text: Option<String>,
}

/// The classification of a message.
#[derive(Debug, Serialize)]
struct ClassificationView {
    #[serde(rename = "type")]
    says: &'static str,
    sure: bool,
    evidence: String,
    date: Option<String>,
    version: u32,
    /// The classification by the rules, if the owner corrected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_from: Option<&'static str>,
}

impl From<&Understood> for ClassificationView {
    fn from(understood: &Understood) -> Self {
        Self {
            says: understood.says().as_str(),
            sure: understood.sure,
            evidence: understood.evidence.clone(),
            date: understood.date.map(clock::date_text),
            version: understood.version,
            corrected_from: understood.corrected.map(|_| understood.message_type.as_str()),
        }
    }
}

impl MessageView {
    pub(crate) fn of_message(message: &Message) -> Self {
        Self {
            message_id: message.id.to_string(),
            account_id: Some(message.account.to_string()),
            contact_id: message.contact.map(|id| id.to_string()),
            invoice_id: message.invoice.map(|id| id.to_string()),
            channel: message.channel.as_str(),
            direction: message.direction.as_str(),
            state: message.state.as_str(),
            classification: message.understood.as_ref().map(ClassificationView::from),
            classified_by: message
                .understood
                .as_ref()
                .filter(|understood| understood.classified_by != ClassifiedBy::Rules)
                .map(|understood| understood.classified_by.as_str()),
            detail: message.detail.clone(),
            attachments: message.attachments,
            own_text: Some(match message.text_removed_at {
                Some(at) => format!("(text removed at {})", instant_text(at)),
                None => message.text.clone(),
            }),
            ..Self::default()
        }
    }

    pub(super) fn of_item(item: &InboxItem) -> Self {
        let shown = Self::of_nobody(item.id, item.channel, item.state, item.detail.clone());
        Self { from: item.sender.as_ref().map(|sender| sender.as_str().to_owned()), ..shown }
    }

    pub(super) fn of_quarantined(item: Quarantined) -> Self {
        let shown = Self::of_nobody(item.id, item.channel, MessageState::Quarantined, item.detail);
        Self { candidates: Some(accounts(&item.candidates)), ..shown }
    }

    /// Adds the accounts that a message in quarantine may be assigned to, for people; as JSON, only the list
    /// of messages in quarantine has them.
    pub(super) fn may_be_for(self, candidates: &[QuarantineCandidate]) -> Self {
        Self { may_be_for: Some(accounts(candidates).join(", ")), ..self }
    }

    /// A received message that has no account.
    fn of_nobody(id: MessageId, channel: Channel, state: MessageState, detail: Option<String>) -> Self {
        Self {
            message_id: id.to_string(),
            channel: channel.as_str(),
            direction: "in",
            state: state.as_str(),
            detail,
            ..Self::default()
        }
    }

    /// Adds the message's text; for a message that has no account, it is read from the raw bytes.
    pub(super) async fn with_text(self, inbound: &InboundService, id: MessageId) -> anyhow::Result<Self> {
        if let Some(text) = self.own_text.clone() {
            return Ok(Self { text: Some(text), ..self });
        }
        let Some(content) = inbound.inbox.item(id).await?.and_then(|item| item.content) else {
            let kept = "the text is no longer kept";
            let detail = self.detail.as_ref().map_or_else(|| kept.to_owned(), |why| format!("{why}; {kept}"));
            return Ok(Self { text: Some(String::new()), detail: Some(detail), ..self });
        };
        let mail = inbound.mail.read(&content).filter(|_| self.channel == "email");
        let text = mail.map_or_else(|| String::from_utf8_lossy(&content).into_owned(), |mail| mail.text);
        Ok(Self { text: Some(text), ..self })
    }

    pub(crate) fn row(&self) -> Vec<String> {
        let says = self.classification.as_ref().map_or("", |one| one.says);
        vec![
            self.message_id.clone(),
            self.direction.to_owned(),
            self.channel.to_owned(),
            self.state.to_owned(),
            self.contact_id.clone().unwrap_or_default(),
            says.to_owned(),
        ]
    }

    /// The row of a message in quarantine.
    pub(super) fn quarantine_row(&self) -> Vec<String> {
        let candidates = self.candidates.as_ref().map(|all| all.join(", ")).unwrap_or_default();
        let detail = self.detail.clone().unwrap_or_default();
        vec![self.message_id.clone(), self.channel.to_owned(), detail, candidates]
    }

    pub(crate) fn sheet(&self) -> String {
        let says = self.classification.as_ref().map(|one| {
            let sure = if one.sure { "sure" } else { "unsure" };
            format!("{} ({sure}): {}", one.says, one.evidence)
        });
        let rows = [
            ("message", Some(self.message_id.clone())),
            ("account", self.account_id.clone()),
            ("contact", self.contact_id.clone()),
            ("invoice", self.invoice_id.clone()),
            ("channel", Some(self.channel.to_owned())),
            ("direction", Some(self.direction.to_owned())),
            ("state", Some(self.state.to_owned())),
            ("detail", self.detail.clone()),
            ("from", self.from.clone()),
            ("candidates", self.may_be_for.clone()),
            ("attachments", (self.attachments > 0).then(|| self.attachments.to_string())),
            ("says", says),
            ("read by", self.classified_by.map(str::to_owned)),
            ("text", self.text.clone()),
        ];
        let row = |(name, value): (&str, Option<String>)| Some(format!("{name:<13} {}", value?));
        rows.into_iter().filter_map(row).collect::<Vec<_>>().join("\n")
    }
}

fn accounts(candidates: &[QuarantineCandidate]) -> Vec<String> {
    candidates.iter().map(|one| one.account.to_string()).collect()
}
