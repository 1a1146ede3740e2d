//! Mail as files, where no mail server is set.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use mail::{MailTransport, MailTransportError, RenderedMail};

use crate::compose::compose;
use crate::sender::Sender;
use crate::setup_error::SetupError;

/// Writes each mail as `{id}.eml` into a folder.
#[derive(Debug, Clone)]
pub struct EmlTransport {
    folder: PathBuf,
    sender: Sender,
}

impl EmlTransport {
    /// A transport into a folder, which is made if it is not there.
    ///
    /// # Errors
    /// A [`SetupError`], when the folder cannot be made.
    pub fn new(folder: impl Into<PathBuf>, sender: Sender) -> Result<Self, SetupError> {
        let folder = folder.into();
        make_private(&folder).map_err(|source| SetupError::Folder { path: folder.clone(), source })?;
        Ok(Self { folder, sender })
    }
}

#[async_trait]
impl MailTransport for EmlTransport {
    async fn send(&self, mail: &RenderedMail) -> Result<(), MailTransportError> {
        let mime = compose(&self.sender, mail)?;
        let (folder, name) = (self.folder.clone(), mail.id.to_string());
        let writing =
            tokio::task::spawn_blocking(move || write_atomically(&folder, &name, &mime.formatted()));
        let failed = |error: io::Error| {
            MailTransportError::Temporary(format!("the .eml file cannot be written: {error}"))
        };
        writing.await.map_err(io::Error::other).flatten().map_err(failed)
    }
}

/// Makes the folder readable by its owner only.
fn make_private(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Writes a file completely or not at all, also across a power cut. Writing it again does no harm.
fn write_atomically(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    make_private(folder)?;
    let unfinished = folder.join(format!(".{name}.tmp"));
    let mut file = open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, folder.join(format!("{name}.eml")))?;
    // The folder holds the new name.
    File::open(folder)?.sync_all()
}

/// Opens a file readable by its owner only: a mail holds the link to a payment page.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests;
