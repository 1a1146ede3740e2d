//! The TLS configuration of outgoing connections, and the authorities that they trust.

use std::sync::{Arc, LazyLock};

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Why a client cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The extra certificates are not PEM, or there are none.
    #[error("the extra certificates must be PEM: {0}")]
    ExtraCa(String),
    #[error("the HTTP client cannot be made")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The system's authorities, read once in a process: there are some hundred files of them, and several
/// clients.
static SYSTEM: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    // A system's list sometimes has certificates that rustls cannot read; the others are used. Without any,
    // calls fail with an error.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

/// The TLS configuration of a client that verifies certificates. It trusts the system's authorities, as they
/// were when the process first needed them, and those in `extra_ca_pem`. It names its provider, so that the
/// process-wide one does not matter.
///
/// # Errors
/// [`SetupError::ExtraCa`] when the extra certificates cannot be used.
pub fn tls_config(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SetupError> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| SetupError::Client(Box::new(error)))?;
    Ok(config.with_root_certificates(authorities(extra_ca_pem)?).with_no_client_auth())
}

fn authorities(extra_ca_pem: Option<&[u8]>) -> Result<Arc<RootCertStore>, SetupError> {
    let Some(pem) = extra_ca_pem else {
        return Ok(SYSTEM.clone());
    };
    let mut roots = RootCertStore::clone(&SYSTEM);
    let of_the_system = roots.len();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|fault| SetupError::ExtraCa(fault.to_string()))?;
        roots.add(certificate).map_err(|fault| SetupError::ExtraCa(fault.to_string()))?;
    }
    if roots.len() == of_the_system {
        return Err(SetupError::ExtraCa("they hold no certificate".to_owned()));
    }
    Ok(Arc::new(roots))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_certificates_that_are_none_are_refused() {
        for pem in ["", "nothing here", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert!(matches!(tls_config(Some(pem.as_bytes())), Err(SetupError::ExtraCa(_))), "{pem:?}");
        }
        assert!(tls_config(None).is_ok());
    }
}
