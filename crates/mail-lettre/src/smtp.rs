//! Mail by SMTP (RFC 5321).

mod knock;

use std::error::Error as _;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::{Certificate, TlsParameters};
use mail::{MailTransport, MailTransportError, QueuedMail};
use tokio::time::timeout;

use crate::compose::compose;
use crate::connections::Connections;
use crate::conversation::{Failure, Patience, hand_over};
use crate::sender::Sender;
use crate::setup_error::SetupError;
use crate::smtp_url::SmtpUrl;

/// Hands mail to the operator's mail server.
///
/// What fails before the server has let us in (the network, TLS, the password) is temporary: the operator can mend it and no
/// mail is at fault. Once a mail is being handed over, a 4xx is temporary and a 5xx is for good, save those by which a server asks
/// for a log-in or for TLS.
pub struct SmtpTransport {
    connections: Connections,
    sender: Sender,
    patience: Patience,
}

const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(15),
    command: Duration::from_secs(15),
    content: Duration::from_secs(90),
    farewell: Duration::from_secs(1),
};

impl SmtpTransport {
    /// A transport to the server at `url`, in the name of `sender`; `extra_ca` is a file of PEM certificates that are trusted beside the
    /// system's. Nothing is connected yet.
    ///
    /// # Errors
    /// A [`SetupError`], when the certificates cannot be used.
    pub fn new(url: SmtpUrl, sender: Sender, extra_ca: Option<&Path>) -> Result<Self, SetupError> {
        let mut tls = TlsParameters::builder(url.host.clone());
        if let Some(path) = extra_ca {
            tls = tls.add_root_certificate(certificates(path)?);
        }
        let tls = tls.build().map_err(SetupError::Tls)?;
        Ok(Self {
            connections: Connections::new(url, tls),
            sender,
            patience: PATIENCE,
        })
    }

    fn temporary(&self, error: &Error) -> MailTransportError {
        MailTransportError::Temporary(self.said(error))
    }

    fn refused(&self, error: &Error) -> MailTransportError {
        let code = error.status().map(u16::from);
        // 530, 534, 538: log in, or speak TLS, first (RFC 4954, section 6; RFC 3207, section 4); 535: that log-in is no good.
        let ours_to_mend = matches!(code, Some(530 | 534 | 535 | 538));
        if error.is_permanent() && !ours_to_mend {
            MailTransportError::Permanent(self.said(error))
        } else {
            self.temporary(error)
        }
    }

    /// What the server or the network said, with the password blanked should either have repeated it.
    fn said(&self, error: &Error) -> String {
        let code = error.status().map(|code| code.to_string());
        let mut said = vec![code.unwrap_or_else(|| error.to_string())];
        let mut source = error.source();
        while let Some(error) = source {
            let text = error.to_string();
            if !said.iter().any(|earlier| earlier.contains(&text)) {
                said.push(text);
            }
            source = error.source();
        }
        let said = said.join(" ");
        match &self.connections.url.login {
            Some(login) => said.replace(&login.password, "[redacted]"),
            None => said,
        }
    }

    fn too_slow(&self, step: &str, limit: Duration) -> MailTransportError {
        let (server, seconds) = (&self.connections.url, limit.as_secs());
        MailTransportError::Temporary(format!(
            "{server:?} did not answer to {step} within {seconds} s"
        ))
    }

    fn failed(&self, failure: &Failure) -> MailTransportError {
        match failure {
            Failure::Smtp(error) => self.refused(error),
            Failure::Slow(step, limit) => self.too_slow(step, *limit),
            Failure::Letters => MailTransportError::Permanent(
                "the address has letters that the mail server does not know (SMTPUTF8)".to_owned(),
            ),
        }
    }
}

#[async_trait]
impl MailTransport for SmtpTransport {
    async fn send(&self, mail: &QueuedMail) -> Result<(), MailTransportError> {
        let mime = compose(&self.sender, mail)
            .map_err(|error| MailTransportError::Permanent(error.to_string()))?;
        let (envelope, bytes) = (mime.envelope(), mime.formatted());
        let limit = self.patience.connect;
        let mut connection = match timeout(limit, self.connections.take()).await {
            Ok(taken) => taken.map_err(|error| self.temporary(&error))?,
            Err(_elapsed) => return Err(self.too_slow("our knocking", limit)),
        };
        hand_over(&mut connection, envelope, &bytes, self.patience)
            .await
            .map_err(|failure| self.failed(&failure))?;
        self.connections.keep(connection);
        Ok(())
    }
}

fn certificates(path: &Path) -> Result<Certificate, SetupError> {
    let pem = std::fs::read(path).map_err(|source| SetupError::CaFile {
        path: path.to_owned(),
        source,
    })?;
    // An empty list would be taken without a word, and every connection refused afterwards.
    if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
        return Err(SetupError::NoCertificate(path.to_owned()));
    }
    Certificate::from_pem(&pem).map_err(SetupError::Tls)
}

impl fmt::Debug for SmtpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpTransport")
            .field("server", &self.connections.url)
            .field("sender", &self.sender)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
