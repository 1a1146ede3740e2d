//! The certificate and key for serving HTTPS, and the authorities of outgoing connections.

use std::path::Path;

use anyhow::{Context as _, bail};
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ParsedCertificate;
use rustls::{RootCertStore, ServerConfig};

/// Reads a certificate chain and its private key, both PEM, for TLS 1.2 and 1.3.
///
/// # Errors
/// One line that names the setting and the file, and says what is wrong with it.
pub fn server_config(certificate: &Path, key: &Path) -> anyhow::Result<ServerConfig> {
    ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(read_chain(certificate)?, read_key(key)?)
        .context("COUNTINGHOUSE_TLS_CERT_FILE and COUNTINGHOUSE_TLS_KEY_FILE do not belong together")
}

/// Checks that PEM text has certificates, and that each can be trusted as an authority.
///
/// # Errors
/// What is wrong with it.
pub fn check_authorities(pem: &[u8]) -> anyhow::Result<()> {
    let mut authorities = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        authorities.add(certificate?)?;
    }
    anyhow::ensure!(!authorities.is_empty(), "there is no PEM certificate in it");
    Ok(())
}

fn read_chain(file: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let name = file.display();
    let chain = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| format!("COUNTINGHOUSE_TLS_CERT_FILE: cannot read {name}"))?;
    let Some(own) = chain.first() else {
        bail!("COUNTINGHOUSE_TLS_CERT_FILE: there is no certificate in {name}");
    };
    ParsedCertificate::try_from(own)
        .with_context(|| format!("COUNTINGHOUSE_TLS_CERT_FILE: the first certificate in {name} is none"))?;
    Ok(chain)
}

fn read_key(file: &Path) -> anyhow::Result<PrivateKeyDer<'static>> {
    let name = file.display();
    let key = PrivateKeyDer::from_pem_file(file)
        .with_context(|| format!("COUNTINGHOUSE_TLS_KEY_FILE: cannot read {name}"))?;
    any_supported_type(&key).with_context(|| {
        format!("COUNTINGHOUSE_TLS_KEY_FILE: the key in {name} is of no kind that is known")
    })?;
    Ok(key)
}
