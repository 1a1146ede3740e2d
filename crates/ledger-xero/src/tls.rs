//! Whom we believe to be Xero: rustls on ring, with the system's roots.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::settings::SettingsFault;

/// The TLS of outgoing calls. It names its provider, so that it works whichever the process has installed.
pub(crate) fn client_config(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SettingsFault> {
    let mut roots = RootCertStore::empty();
    // A system's list has certificates that rustls cannot read now and then; the others do. Without any,
    // calls fail and say so.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in CertificateDer::pem_slice_iter(extra_ca_pem.unwrap_or_default()) {
        let certificate = certificate.map_err(|fault| SettingsFault::ExtraCa(fault.to_string()))?;
        let added = roots.add(certificate);
        added.map_err(|fault| SettingsFault::ExtraCa(fault.to_string()))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SettingsFault::Client(Box::new(error)))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
