//! Why a transport cannot be set up: an error of the operator's settings.

use std::path::PathBuf;

use crate::sender::NotASender;
use crate::smtp_url::BadSmtpUrl;

/// Why a transport cannot be set up. No message holds the URL's password.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The URL of the mail server.
    #[error("the URL of the mail server {0}")]
    Url(#[from] BadSmtpUrl),
    /// The sender's address.
    #[error("the sender of mail {0}")]
    Sender(#[from] NotASender),
    /// The file of further certificates cannot be read.
    #[error("the certificates in {path} cannot be read")]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file of further certificates holds none.
    #[error("{0} holds no certificate in PEM form")]
    NoCertificate(PathBuf),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up")]
    Tls(#[source] lettre::transport::smtp::Error),
    /// The folder cannot be made.
    #[error("the folder {path} cannot be made")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}
