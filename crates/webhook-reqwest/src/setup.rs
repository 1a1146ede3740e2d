//! The client as it is set up, and the authorities that it trusts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};

use crate::guard::Guard;

/// Why the client cannot be set up: an error of the operator's settings.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("the certificates in {path} cannot be read")]
    CaFile { path: PathBuf, source: pem::Error },
    /// A certificate in the file of further certificates is none of an authority.
    #[error("{path} holds a certificate that cannot be trusted")]
    Certificate { path: PathBuf, source: rustls::Error },
    /// The file of further certificates holds none.
    #[error("{0} holds no certificate in PEM form")]
    NoCertificate(PathBuf),
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// The most time to connect in. It is divided among the addresses of a name, so that one silent address
/// leaves time for the next.
const CONNECTING: Duration = Duration::from_secs(15);

/// How long an idle connection is kept. A burst of events finds it open; and it is gone before a receiver
/// gives it up, which common ones do after five seconds: a request written in that very moment would be a
/// failed attempt.
const IDLE: Duration = Duration::from_secs(4);

/// How many idle connections to one host are kept.
const IDLE_PER_HOST: usize = 4;

/// Makes the client, with the guard as its resolver.
///
/// Connections are pooled by scheme, host and port. That opens no way around the guard: the address at the
/// other end was checked when the connection was made, and a connection keeps its end. When a name leads
/// elsewhere later, what is open still leads to the checked address, and every new connection is checked
/// again.
///
/// HTTP/1.1 alone: a receiver that hangs holds up its own request and no other, there are no streams to reset
/// and no windows to fill, and every HTTPS server speaks it. Headers are read up to 100 in 408 KiB, which is
/// where hyper stops; reqwest offers no smaller bound.
///
/// What a request costs while its receiver hangs, measured with a thousand of them on Linux (resident memory
/// of the whole process): 33 KiB where nothing is answered, 35 KiB where an answer stops in the middle of its
/// body, and 520 KiB where a hostile receiver sends headers up to that bound and then hangs. So the number of
/// requests at once bounds the memory: a thousand are 33 MiB, and half a GiB if every single one is hostile.
pub(crate) fn client(guard: Guard, tls: ClientConfig) -> Result<reqwest::Client, SetupError> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .https_only(true)
        .http1_only()
        // As the contract spells them. Header names have no case in HTTP, but not every receiver knows.
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

/// TLS as every connection speaks it: with certificates that are checked. `extra_ca` is trusted beside the
/// system's authorities.
pub(crate) fn tls(extra_ca: Option<&Path>) -> Result<ClientConfig, SetupError> {
    // The provider is named, so that it does not matter which one the process was given, if any.
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
    // Single certificates of the system's store that cannot be read are none of ours.
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
