//! A certificate authority for tests, and the certificates that it issues.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

/// The authority that the tests' clients trust.
pub(super) static AUTHORITY: LazyLock<Authority> = LazyLock::new(Authority::new);

static NUMBER: AtomicUsize = AtomicUsize::new(1);

pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: Certificate,
    pem: String,
}

impl Authority {
    pub(super) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        // Two authorities of one name would count as one authority with invalid signatures.
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let name = format!("Authority {number} of the tests");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        let pem = certificate.pem();
        Self { issuer: Issuer::new(params, key), certificate, pem }
    }

    /// Its certificate as PEM.
    pub(super) fn pem(&self) -> &[u8] {
        self.pem.as_bytes()
    }

    /// TLS for a server, with a certificate for a name, valid from one year to another.
    pub(super) fn server(&self, name: &str, (from, until): (i32, i32)) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(from, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Self::serving(&certificate, &key)
    }

    /// TLS for a server that shows the authority's own certificate.
    pub(super) fn as_server(&self) -> Arc<ServerConfig> {
        Self::serving(&self.certificate, self.issuer.key())
    }

    fn serving(certificate: &Certificate, key: &KeyPair) -> Arc<ServerConfig> {
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        Arc::new(config.unwrap())
    }
}
