//! Mail as files, if no mail server is configured.

use std::io;
use std::path::PathBuf;

use async_trait::async_trait;
use mail::{MailId, MailTransport, MailTransportError, RenderedMail};

use crate::compose::compose;
use crate::sender::SenderAddress;
use crate::setup_error::SetupError;

/// Writes each mail as `{id}.eml` into a folder.
#[derive(Debug, Clone)]
pub struct EmlTransport {
    folder: PathBuf,
    sender: SenderAddress,
}

impl EmlTransport {
    /// A transport into a folder, which is created if it is missing.
    ///
    /// # Errors
    /// A [`SetupError`] when the folder cannot be created.
    pub fn new(folder: impl Into<PathBuf>, sender: SenderAddress) -> Result<Self, SetupError> {
        let folder = folder.into();
        private_files::create_folder(&folder)
            .map_err(|source| SetupError::Folder { path: folder.clone(), source })?;
        Ok(Self { folder, sender })
    }
}

#[async_trait]
impl MailTransport for EmlTransport {
    fn message_id(&self, id: MailId) -> String {
        self.sender.message_id(id)
    }

    fn from_address(&self) -> String {
        self.sender.address()
    }

    async fn send(&self, mail: &RenderedMail) -> Result<(), MailTransportError> {
        let mime = compose(&self.sender, mail)?;
        let (folder, name) = (self.folder.clone(), format!("{}.eml", mail.id));
        // The file is readable only by its owner: a mail holds the link to a payment page.
        let write = move || private_files::write_atomically(&folder, &name, &mime.formatted());
        let writing = tokio::task::spawn_blocking(write);
        let failed = |error: io::Error| {
            MailTransportError::Temporary(format!("the .eml file cannot be written: {error}"))
        };
        writing.await.map_err(io::Error::other).flatten().map_err(failed)
    }
}

#[cfg(test)]
mod tests;
