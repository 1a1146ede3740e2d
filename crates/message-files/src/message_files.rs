//! The folder of messages.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use communications::{Channel, MailCopies, MailCopy};
use kernel::Clock;

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

    pub(crate) async fn write(&self, message: &MessageFile<'_>) -> io::Result<()> {
        let (folder, name, bytes) = (self.folder.clone(), message.name(), message.json()?);
        let write = move || private_files::write_atomically(&folder, &name, &bytes);
        tokio::task::spawn_blocking(write).await.map_err(io::Error::other).flatten()
    }
}

#[async_trait]
impl MailCopies for MessageFiles {
    async fn keep(&self, copy: &MailCopy) -> Result<(), String> {
        let file = MessageFile {
            message: copy.id,
            account: copy.account,
            channel: Channel::Email,
            from: &copy.from,
            to: &copy.to,
            text: &copy.text,
            at: copy.at,
        };
        self.write(&file).await.map_err(|error| error.to_string())
    }
}
