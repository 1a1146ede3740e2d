//! Certificate authorities of the tests, and the certificates that they issue.

use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

/// The authority that the servers of the tests trust.
pub(crate) static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| Authority::new("trusted"));
/// An authority that no server trusts.
pub(crate) static STRANGER: LazyLock<Authority> = LazyLock::new(|| Authority::new("unknown"));

pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new(name: &str) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        // Two authorities with the same name would be mistaken for one with wrong signatures.
        let name = format!("The tests' {name} authority");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).expect("a certificate");
        Self { pem: certificate.pem(), issuer: Issuer::new(params, key) }
    }

    /// Its certificate, as PEM.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// TLS for a server on this machine.
    pub(crate) fn server_config(&self) -> Arc<ServerConfig> {
        let key = KeyPair::generate().expect("a key");
        let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let params = CertificateParams::new(names).expect("parameters");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        Arc::new(config.expect("a configuration"))
    }
}
