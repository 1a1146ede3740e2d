//! The folder of messages.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use communications::{Channel, MessageId};
use kernel::{AccountId, Clock};
use time::OffsetDateTime;

use crate::message_file::MessageFile;

/// Writes each message as a file into a folder.
#[derive(Clone)]
pub struct MessageFiles {
    folder: PathBuf,
    pub(crate) clock: Arc<dyn Clock>,
}

impl MessageFiles {
    /// Messages go into this folder, which is created where it is missing. The clock dates text messages.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn new(folder: impl Into<PathBuf>, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let folder = folder.into();
        private_files::create_folder(&folder)?;
        Ok(Self { folder, clock })
    }

    /// Notes an e-mail. Noting it again, as after a crash, replaces the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn write_mail(
        &self,
        message: MessageId,
        account: AccountId,
        from: &str,
        to: &str,
        text: &str,
        at: OffsetDateTime,
    ) -> io::Result<()> {
        let channel = Channel::Email;
        self.write(&MessageFile { message, account, channel, from, to, text, at }).await
    }

    pub(crate) async fn write(&self, message: &MessageFile<'_>) -> io::Result<()> {
        let (folder, name, bytes) = (self.folder.clone(), message.name(), message.json()?);
        let write = move || private_files::write_atomically(&folder, &name, &bytes);
        tokio::task::spawn_blocking(write).await.map_err(io::Error::other).flatten()
    }
}
