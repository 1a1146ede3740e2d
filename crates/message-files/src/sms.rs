//! Text messages as files.

use async_trait::async_trait;
use communications::{Channel, OutgoingSms, SmsError, SmsSender};

use crate::message_file::MessageFile;
use crate::message_files::MessageFiles;

const FROM: &str = "sandbox";

#[async_trait]
impl SmsSender for MessageFiles {
    fn from(&self) -> &str {
        FROM
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
