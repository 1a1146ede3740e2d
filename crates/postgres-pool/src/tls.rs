//! TLS to the database.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::DatabaseUrl;
use crate::options::{ConfigError, Source};

/// The TLS configuration for connections to the address. `extra` is trusted in addition to the usual
/// authorities.
pub(crate) fn connector(
    address: &DatabaseUrl,
    extra: Option<&Path>,
) -> Result<MakeRustlsConnect, ConfigError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|source| ConfigError::Setup(source.into()))?;
    let builder = if address.verifies_server {
        builder.with_root_certificates(authorities(address.root_certificates.as_deref(), extra)?)
    } else {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
    };
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

fn authorities(instead: Option<&Path>, extra: Option<&Path>) -> Result<RootCertStore, ConfigError> {
    let mut roots = RootCertStore::empty();
    if instead.is_none() {
        // Certificates of the system's store that cannot be parsed are ignored.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    for file in [instead, extra].into_iter().flatten() {
        let unreadable = |source: Source| ConfigError::Certificates { file: file.to_owned(), source };
        let certificates = CertificateDer::pem_file_iter(file)
            .and_then(|certificates| certificates.collect::<Result<Vec<_>, _>>())
            .map_err(|source| unreadable(source.into()))?;
        for certificate in certificates {
            roots.add(certificate).map_err(|source| unreadable(source.into()))?;
        }
    }
    Ok(roots)
}

/// Accepts any certificate, as libpq's `require` does. The server must still prove that it has the private
/// key of the certificate.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
