//! Text messages as files.

use async_trait::async_trait;
use communications::{Channel, OutgoingSms, Permit, SmsError, SmsSender};

use crate::message_file::MessageFile;
use crate::message_files::MessageFiles;

const FROM: &str = "sandbox";

#[async_trait]
impl SmsSender for MessageFiles {
    fn from(&self) -> &str {
        FROM
    }

    async fn remind(&self, permit: Permit, sms: &OutgoingSms) -> Result<Option<String>, SmsError> {
        if !permit.covers(sms.account, Channel::Sms, &sms.to) {
            return Err(SmsError::Refused("the permit is for another message".to_owned()));
        }
        self.answer(sms).await
    }

    async fn answer(&self, sms: &OutgoingSms) -> Result<Option<String>, SmsError> {
        let file = MessageFile {
            message: sms.message,
            account: sms.account,
            channel: Channel::Sms,
            from: FROM,
            to: sms.to.as_str(),
            text: sms.text.as_str(),
            at: self.clock.now(),
        };
        let written = self.write(&file).await;
        written.map_err(|error| SmsError::NotAccepted(format!("the file cannot be written: {error}")))?;
        Ok(None)
    }
}
