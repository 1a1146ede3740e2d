//! Why a transport cannot be set up: an error of the operator's settings.

use std::path::PathBuf;

/// Why a transport cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
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
