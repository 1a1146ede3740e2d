//! An authority of this run's own, and a certificate of it for loopback.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;

/// TLS for a receiver, and the file that the service is to trust it by.
pub(crate) struct Authority {
    pub(crate) file: PathBuf,
    pub(crate) server: Arc<ServerConfig>,
}

impl Authority {
    /// Writes its own certificate into the folder.
    pub(crate) fn new(folder: &Path) -> anyhow::Result<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params
            .distinguished_name
            .push(DnType::CommonName, "Authority of the benchmark");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let file = folder.join("ca.pem");
        std::fs::write(&file, params.self_signed(&key)?.pem())?;
        let issuer = Issuer::new(params, key);

        let key = KeyPair::generate()?;
        let own = CertificateParams::new(vec!["127.0.0.1".to_owned()])?.signed_by(&key, &issuer)?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(anyhow::Error::msg)?;
        let server = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![own.der().clone()], key)
            .context("TLS for the receiver")?;
        Ok(Self {
            file,
            server: Arc::new(server),
        })
    }
}
