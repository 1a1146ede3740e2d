//! One call over HTTP: bounded in time and in size.

use std::sync::Arc;
use std::time::Duration;

use outbox::error_chain;
use payments::GatewayError;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::settings::SettingsFault;

/// What a call of the port has in total, however many calls of Stripe it takes.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(15);
/// The largest answer that is read. A page of 20 charges with all that is asked for is some 200 kB.
const LARGEST_ANSWER: usize = 4 * 1024 * 1024;

/// An answer that came whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn client(extra_ca_pem: Option<&[u8]>) -> Result<Client, SettingsFault> {
    Client::builder()
        .tls_backend_preconfigured(client_config(extra_ca_pem)?)
        .user_agent(concat!("Countinghouse/", env!("CARGO_PKG_VERSION")))
        .timeout(TIMEOUT)
        // A redirect would carry the key to wherever it points.
        .redirect(Policy::none())
        .no_proxy()
        .build()
        .map_err(|error| SettingsFault::Client(Box::new(error)))
}

/// The TLS of outgoing calls. It names its provider, so that it works whichever the process has installed.
fn client_config(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SettingsFault> {
    let mut roots = RootCertStore::empty();
    // A system's list has certificates that rustls cannot read now and then; the others do.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in CertificateDer::pem_slice_iter(extra_ca_pem.unwrap_or_default()) {
        let certificate = certificate.map_err(|fault| SettingsFault::ExtraCa(fault.to_string()))?;
        roots.add(certificate).map_err(|fault| SettingsFault::ExtraCa(fault.to_string()))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SettingsFault::Client(Box::new(error)))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Makes a call and reads the answer, whatever its status.
pub(crate) async fn send(request: RequestBuilder) -> Result<Answer, GatewayError> {
    let mut response = request.send().await.map_err(lost)?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        if body.len().saturating_add(chunk.len()) > LARGEST_ANSWER {
            let text = format!("Stripe answered {status} with more than {LARGEST_ANSWER} bytes");
            return Err(GatewayError::Unreachable(text));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, body })
}

fn lost(error: reqwest::Error) -> GatewayError {
    GatewayError::Unreachable(format!("no answer from Stripe: {}", error_chain(&error.without_url())))
}
