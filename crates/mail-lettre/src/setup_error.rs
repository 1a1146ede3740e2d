//! Why a transport cannot be set up: an error of the operator's settings.

use std::path::PathBuf;

/// Why a transport cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("the certificates in {path} cannot be read")]
    CaFile { path: PathBuf, source: std::io::Error },
    /// The file of additional certificates holds none.
    #[error("{0} holds no certificate in PEM form")]
    NoCertificate(PathBuf),
    #[error("TLS cannot be set up")]
    Tls(#[source] lettre::transport::smtp::Error),
    #[error("the folder {path} cannot be made")]
    Folder { path: PathBuf, source: std::io::Error },
}
