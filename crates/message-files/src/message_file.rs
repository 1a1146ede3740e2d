//! The content of a file.

use communications::{Channel, MessageId};
use kernel::{AccountId, Named as _, instant_text};
use serde::Serialize;
use time::OffsetDateTime;

pub(crate) struct MessageFile<'a> {
    pub(crate) message: MessageId,
    pub(crate) account: AccountId,
    pub(crate) channel: Channel,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) text: &'a str,
    pub(crate) at: OffsetDateTime,
}

/// Programs that read the files rely on the names and the order of the fields.
#[derive(Serialize)]
struct Json<'a> {
    message_id: String,
    account_id: String,
    channel: &'static str,
    from: &'a str,
    to: &'a str,
    text: &'a str,
    at: String,
}

impl MessageFile<'_> {
    pub(crate) fn name(&self) -> String {
        format!("{}.json", self.message)
    }

    pub(crate) fn json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&Json {
            message_id: self.message.to_string(),
            account_id: self.account.to_string(),
            channel: self.channel.as_str(),
            from: self.from,
            to: self.to,
            text: self.text,
            at: instant_text(self.at),
        })
    }
}
