//! The authorities that a TLS connection to Redis trusts: the system's and the operator's.

use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

/// Both lists as PEM text, which the library uses instead of the system's list.
///
/// Certificates of the system's list that TLS cannot use are left out, as they are without an extra file; a
/// fault in the operator's file is an error.
pub(crate) fn beside_the_systems(extra: &Path) -> io::Result<Vec<u8>> {
    let mut roots = RootCertStore::empty();
    let mut bundle = String::new();
    for certificate in rustls_native_certs::load_native_certs().certs {
        if roots.add(certificate.clone()).is_ok() {
            write_pem(&mut bundle, &certificate);
        }
    }
    let file = std::fs::read(extra)?;
    let mut found = false;
    for certificate in CertificateDer::pem_slice_iter(&file) {
        let certificate = certificate.map_err(io::Error::other)?;
        roots.add(certificate.clone()).map_err(io::Error::other)?;
        write_pem(&mut bundle, &certificate);
        found = true;
    }
    if found { Ok(bundle.into_bytes()) } else { Err(io::Error::other("it holds no PEM certificate")) }
}

fn write_pem(bundle: &mut String, certificate: &CertificateDer<'_>) {
    bundle.push_str("-----BEGIN CERTIFICATE-----\n");
    bundle.push_str(&STANDARD.encode(certificate));
    bundle.push_str("\n-----END CERTIFICATE-----\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operators_certificates_come_beside_the_systems() {
        let own = rcgen::generate_simple_self_signed(["redis.example.com".to_owned()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, own.cert.pem()).unwrap();
        let bundle = beside_the_systems(&file).unwrap();
        let last = CertificateDer::pem_slice_iter(&bundle).last().unwrap();
        assert_eq!(&last.unwrap(), own.cert.der());
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert!(beside_the_systems(&file).is_err());
        std::fs::write(&file, "no certificate").unwrap();
        assert!(beside_the_systems(&file).is_err());
    }
}
