//! The certificate and key that HTTPS is served with.

use std::path::Path;

use anyhow::Context as _;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Reads a certificate chain and its private key, both PEM, for TLS 1.2 and 1.3.
///
/// # Errors
/// One line that names the file and what is wrong with it.
pub fn server_config(certificate: &Path, key: &Path) -> anyhow::Result<ServerConfig> {
    let certificates = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| {
            format!(
                "COUNTINGHOUSE_TLS_CERT_FILE: cannot read {}",
                certificate.display()
            )
        })?;
    let private_key = PrivateKeyDer::from_pem_file(key)
        .with_context(|| format!("COUNTINGHOUSE_TLS_KEY_FILE: cannot read {}", key.display()))?;
    ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(certificates, private_key)
        .context(
            "COUNTINGHOUSE_TLS_CERT_FILE and COUNTINGHOUSE_TLS_KEY_FILE do not belong together",
        )
}
