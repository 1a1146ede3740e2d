//! Sets up the client and the authorities that it trusts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};

use crate::guard::AddressGuard;

/// Why the client cannot be set up: an error in the operator's settings.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("the certificates in {path} cannot be read")]
    CaFile { path: PathBuf, source: pem::Error },
    /// The file of additional certificates has a certificate that is not of an authority.
    #[error("{path} holds a certificate that cannot be trusted")]
    Certificate { path: PathBuf, source: rustls::Error },
    /// The file of additional certificates has no certificate.
    #[error("{0} holds no certificate in PEM form")]
    NoCertificate(PathBuf),
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// The time limit for connecting. It is divided among the addresses of a name, so that one silent address
/// leaves time for the next.
const CONNECTING: Duration = Duration::from_secs(15);

/// How long an idle connection is kept. It is still open during a burst of events, and closed before the
/// receiver closes it, which common ones do after five seconds: a request sent at that moment would be a
/// failed attempt.
const IDLE: Duration = Duration::from_secs(4);

/// How many idle connections to one host are kept.
const IDLE_PER_HOST: usize = 4;

/// Creates the client, with the guard as its resolver.
///
/// Connections are pooled by scheme, host and port. This does not bypass the guard: the address was checked
/// when the connection was opened, and a connection keeps its peer. If a name resolves differently later,
/// open connections still lead to the checked address, and every new connection is checked again.
///
/// Only HTTP/1.1: a hanging receiver delays only its own request, there are no streams to reset and no
/// windows to fill, and every HTTPS server supports it. At most 100 headers and 408 KiB of them are read,
/// which are hyper's limits; reqwest offers no smaller ones.
///
/// The memory cost of a request while its receiver hangs, measured with a thousand requests on Linux
/// (resident memory of the whole process): 33 KiB without any response, 35 KiB when the response stops in the
/// middle of its body, and 520 KiB when a hostile receiver sends headers up to that limit and then hangs. So
/// the number of concurrent requests bounds the memory: a thousand take 33 MiB, or half a GiB if all are
/// hostile.
pub(crate) fn client(guard: AddressGuard, tls: ClientConfig) -> Result<reqwest::Client, SetupError> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .https_only(true)
        .http1_only()
        // As the contract spells them. HTTP header names are case-insensitive, but not every receiver
        // complies.
        .http1_title_case_headers()
        .dns_resolver(Arc::new(guard))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECTING)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .build()
        .map_err(SetupError::Client)
}

/// The TLS configuration of every connection, with verified certificates. `extra_ca` is trusted in addition
/// to the system's authorities.
pub(crate) fn tls(extra_ca: Option<&Path>) -> Result<ClientConfig, SetupError> {
    // The provider is given explicitly, so that the process-wide default does not matter.
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(SetupError::Tls)?
        .with_root_certificates(authorities(extra_ca)?)
        .with_no_client_auth();
    Ok(config)
}

fn authorities(extra_ca: Option<&Path>) -> Result<RootCertStore, SetupError> {
    let mut roots = RootCertStore::empty();
    // Unreadable certificates in the system's store are ignored.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let Some(file) = extra_ca else {
        return Ok(roots);
    };
    let path = || file.to_owned();
    let certificates = CertificateDer::pem_file_iter(file)
        .and_then(|certificates| certificates.collect::<Result<Vec<_>, _>>())
        .map_err(|source| SetupError::CaFile { path: path(), source })?;
    if certificates.is_empty() {
        return Err(SetupError::NoCertificate(path()));
    }
    for certificate in certificates {
        let added = roots.add(certificate);
        added.map_err(|source| SetupError::Certificate { path: path(), source })?;
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert!(matches!(authorities(Some(&file)), Err(SetupError::CaFile { .. })));
        std::fs::write(&file, "nothing here").unwrap();
        assert!(matches!(
            authorities(Some(&file)),
            Err(SetupError::NoCertificate(path)) if path == file
        ));
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        std::fs::write(&file, pem).unwrap();
        assert!(matches!(authorities(Some(&file)), Err(SetupError::Certificate { .. })));
    }
}
