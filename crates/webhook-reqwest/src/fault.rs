//! Why there was no response.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};

/// Why there was no response, in words for the owner of the target.
///
/// No text contains an address that a name resolved to, since that would reveal the internal network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFault {
    /// The guard refused the target.
    #[error("the target leads to an address that is not public")]
    NotPublic,
    /// The name has no address, or its name servers cannot be reached.
    #[error("the host name does not resolve")]
    Unresolved,
    /// Nothing listens on the port.
    #[error("the connection was refused")]
    Refused,
    /// There is no route to the host.
    #[error("the host cannot be reached")]
    NoRoute,
    /// The host did not respond to the attempt to connect.
    #[error("no connection could be made in time")]
    NotConnected,
    /// The issuer of the certificate is not trusted, or an intermediate certificate is missing.
    #[error("TLS failed: the certificate's issuer is not trusted (is the whole chain being sent?)")]
    UnknownIssuer,
    /// The certificate has expired.
    #[error("TLS failed: the certificate has expired")]
    Expired,
    /// The certificate is not valid yet.
    #[error("TLS failed: the certificate is not valid yet")]
    NotValidYet,
    /// The certificate is for other names.
    #[error("TLS failed: the certificate is not for this host name")]
    WrongName,
    /// The port does not speak TLS.
    #[error("TLS failed: the port does not speak TLS")]
    NotTls,
    /// Another failure of the handshake.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The connection ended before a response came.
    #[error("the connection broke off before a response came")]
    NoResponse,
    /// The response is not HTTP, or exceeds the limit on headers.
    #[error("the response is not HTTP, or its headers are too large")]
    NotHttp,
    /// The connection ended in the middle of the response.
    #[error("the response broke off")]
    BrokeOff,
}

impl CallFault {
    /// The fault of a request that got no response.
    pub(crate) fn of_request(error: &reqwest::Error) -> Self {
        let causes = || causes(error);
        if let Some(fault) = causes().find_map(|cause| cause.downcast_ref::<Self>()) {
            return fault.clone();
        }
        if let Some(tls) = causes().find_map(|cause| cause.downcast_ref::<rustls::Error>()) {
            return Self::of_tls(tls);
        }
        if error.is_connect() && error.is_timeout() {
            return Self::NotConnected;
        }
        if error.is_connect() {
            // The client's layers wrap I/O errors in each other; the innermost is the system's.
            let io = causes().filter_map(|cause| cause.downcast_ref::<io::Error>());
            return Self::of_connecting(io.last());
        }
        match causes().find_map(|cause| cause.downcast_ref::<hyper::Error>()) {
            Some(http) if http.is_parse() => Self::NotHttp,
            _ => Self::NoResponse,
        }
    }

    /// The fault of a TLS connection made without the HTTP client.
    pub(crate) fn of_io(error: &io::Error) -> Self {
        let tls = causes(error).find_map(|cause| cause.downcast_ref::<rustls::Error>());
        tls.map_or_else(|| Self::of_connecting(Some(error)), Self::of_tls)
    }

    fn of_connecting(io: Option<&io::Error>) -> Self {
        use io::ErrorKind;
        match io.map(io::Error::kind) {
            Some(ErrorKind::TimedOut) => Self::NotConnected,
            Some(ErrorKind::ConnectionRefused) => Self::Refused,
            Some(
                ErrorKind::UnexpectedEof
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe,
            ) => Self::Tls("the host ended the connection during the handshake".to_owned()),
            _ => Self::NoRoute,
        }
    }

    fn of_tls(error: &rustls::Error) -> Self {
        use CertificateError as Certificate;
        use rustls::Error as Tls;
        match error {
            Tls::InvalidCertificate(why) => match why {
                Certificate::UnknownIssuer => Self::UnknownIssuer,
                Certificate::Expired | Certificate::ExpiredContext { .. } => Self::Expired,
                Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => Self::NotValidYet,
                Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => Self::WrongName,
                why => Self::Tls(certificate_fault(why).to_owned()),
            },
            Tls::InvalidMessage(_) => Self::NotTls,
            Tls::AlertReceived(alert) => Self::Tls(alert_fault(*alert).to_owned()),
            Tls::PeerIncompatible(_) => Self::Tls("TLS 1.2 or 1.3 is needed".to_owned()),
            _ => Self::Tls("the handshake went wrong".to_owned()),
        }
    }
}

/// What is wrong with a certificate. The words of the TLS library are for programmers.
fn certificate_fault(why: &CertificateError) -> &'static str {
    use CertificateError as Certificate;
    match why {
        // The types of these errors are not public; only their text tells them.
        Certificate::Other(error) if error.to_string().contains("CaUsedAsEndEntity") => {
            "the certificate is a certificate authority's own: have that authority sign one for this host name"
        }
        Certificate::Other(error) if error.to_string().contains("UnsupportedCertVersion") => {
            "the certificate is not of X.509 version 3: make one with this host name as an alternative name"
        }
        Certificate::BadEncoding => "the certificate cannot be read",
        Certificate::Revoked => "the certificate was revoked",
        Certificate::BadSignature => "the certificate's signature is wrong",
        Certificate::InvalidPurpose | Certificate::InvalidPurposeContext { .. } => {
            "the certificate is not one for servers"
        }
        Certificate::UnsupportedSignatureAlgorithmContext { .. }
        | Certificate::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "the certificate is signed in a way that is not supported"
        }
        _ => "the certificate is not valid",
    }
}

/// What the host refused the handshake for.
fn alert_fault(alert: AlertDescription) -> &'static str {
    match alert {
        AlertDescription::ProtocolVersion => "the host offers neither TLS 1.2 nor 1.3",
        AlertDescription::InsufficientSecurity => "the host offers no encryption that we know",
        AlertDescription::HandshakeFailure => {
            "the host refused the handshake: it and we share no encryption, or it wants a certificate from us"
        }
        AlertDescription::UnrecognisedName => "the host does not serve this host name",
        AlertDescription::CertificateRequired => "the host wants a certificate from us",
        AlertDescription::InternalError => "the host has an internal error",
        _ => "the host refused the handshake",
    }
}

/// An error with all its causes. An I/O error that wraps another error does not list that error among its
/// causes, so it is looked up here.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| -> Option<&'a (dyn Error + 'static)> {
        let error: &'a (dyn Error + 'static) = *error;
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let held = held.map(|held| -> &'a (dyn Error + 'static) { held });
        held.or_else(|| error.source())
    })
}
