//! Mail by SMTP (RFC 5321).

use std::error::Error as _;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use mail::{MailId, MailTransport, MailTransportError, RenderedMail};
use tokio::time::{Instant, timeout};

use crate::compose::compose;
use crate::sender::SenderAddress;
use crate::session::{SmtpConnections, SmtpSendError, Timeouts, name_sender, send_mail};
use crate::setup_error::SetupError;
use crate::smtp_url::SmtpUrl;

/// Hands mail to the operator's mail server.
///
/// A failure before the mail itself (the network, TLS, the log-in, the sender) is temporary: the operator can
/// correct it. For the mail itself a 4xx is temporary and a 5xx is permanent, except those by which a server
/// asks for a log-in or for TLS. Without an answer to the content, it is unknown whether the server has the
/// mail.
pub struct SmtpTransport {
    connections: SmtpConnections,
    sender: SenderAddress,
    timeouts: Timeouts,
}

/// In the error of a response that is not UTF-8.
const NOT_UTF_8: &str = "did not contain valid UTF-8";

const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(15),
    command: Duration::from_secs(15),
    content: Duration::from_secs(90),
    quit: Duration::from_secs(1),
};

impl SmtpTransport {
    /// A transport to the server at `url`, in the name of `sender`; `extra_ca` is a file of PEM certificates
    /// that are trusted in addition to the system's. It does not connect yet.
    ///
    /// # Errors
    /// A [`SetupError`] when the certificates cannot be used.
    pub fn new(url: SmtpUrl, sender: SenderAddress, extra_ca: Option<&Path>) -> Result<Self, SetupError> {
        let mut tls = TlsParameters::builder(url.host.clone());
        if let Some(path) = extra_ca {
            tls = tls.add_root_certificate(certificates(path)?);
        }
        let tls = tls.build().map_err(SetupError::Tls)?;
        Ok(Self { connections: SmtpConnections::new(url, tls), sender, timeouts: TIMEOUTS })
    }

    /// Connects, encrypts, logs in and names the sender as for a mail, and sends none.
    ///
    /// # Errors
    /// The error of the server or the network, as if a mail had been sent.
    pub async fn probe(&self) -> Result<(), MailTransportError> {
        let mut connection = self.connect().await?;
        let sender = self.sender.under_name(None).email;
        let named = name_sender(&mut connection, Some(&sender), &[], self.timeouts.command).await;
        // What was asked is known already, whatever the server responds to this.
        let _quit = timeout(self.timeouts.quit, connection.quit()).await;
        named.map_err(|error| self.failed(&error))
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, MailTransportError> {
        let limit = self.timeouts.connect;
        match timeout(limit, self.connections.take()).await {
            Ok(taken) => taken.map_err(|error| self.temporary(&error)),
            Err(_elapsed) => Err(MailTransportError::Temporary(self.timed_out("the connection", limit))),
        }
    }

    fn temporary(&self, error: &Error) -> MailTransportError {
        MailTransportError::Temporary(self.text(error))
    }

    fn refused(&self, error: &Error) -> MailTransportError {
        let code = error.status().map(u16::from);
        // 530, 534, 538: log in, or use TLS, first (RFC 4954, section 6; RFC 3207, section 4); 535: the
        // log-in was refused.
        let is_configuration = matches!(code, Some(530 | 534 | 535 | 538));
        if error.is_permanent() && !is_configuration {
            MailTransportError::Permanent(self.text(error))
        } else {
            self.temporary(error)
        }
    }

    /// The error of the server or the network. A server may repeat the password, which is redacted.
    fn text(&self, error: &Error) -> String {
        let code = error.status().map(|code| code.to_string());
        let mut texts = vec![code.unwrap_or_else(|| error.to_string())];
        let mut source = error.source();
        while let Some(error) = source {
            let text = error.to_string();
            if !texts.iter().any(|earlier| earlier.contains(&text)) {
                texts.push(text);
            }
            source = error.source();
        }
        let text = texts.join(" ");
        match &self.connections.url.login {
            Some(login) => text.replace(&login.password, "[redacted]"),
            None => text,
        }
    }

    fn timed_out(&self, command: &str, limit: Duration) -> String {
        let (server, seconds) = (&self.connections.url, limit.as_secs());
        format!("{server:?} did not answer to {command} within {seconds} s")
    }

    /// An answer to the content that is no text is the same at the next attempt. If it says that the mail was
    /// accepted, each attempt is one more mail to the recipient. Its code cannot be known: lettre drops it.
    fn unanswered(&self, error: &Error) -> MailTransportError {
        // TLS fails with this kind of error too.
        if self.text(error).contains(NOT_UTF_8) {
            let reason = "the server's answer is not UTF-8, so that it is unknown whether it took the mail";
            return MailTransportError::Permanent(reason.to_owned());
        }
        MailTransportError::Unknown(self.text(error))
    }

    fn failed(&self, error: &SmtpSendError) -> MailTransportError {
        match error {
            SmtpSendError::Smtp(error) => self.refused(error),
            SmtpSendError::Sender(error) => self.temporary(error),
            SmtpSendError::Timeout(command, limit) => {
                MailTransportError::Temporary(self.timed_out(command, *limit))
            }
            // Another process may have sent the mail.
            SmtpSendError::ProcessPaused => {
                MailTransportError::Unknown("the process was paused before the content was sent".to_owned())
            }
            SmtpSendError::ContentTimeout(limit) => {
                MailTransportError::Unknown(self.timed_out("the content", *limit))
            }
            SmtpSendError::Unanswered(error) => self.unanswered(error),
            SmtpSendError::NotAscii => MailTransportError::Permanent(
                "the address has letters that the mail server does not know (SMTPUTF8)".to_owned(),
            ),
            SmtpSendError::SenderNotAscii => MailTransportError::Temporary(
                "the sender's address has letters that the mail server does not know (SMTPUTF8)".to_owned(),
            ),
        }
    }
}

#[async_trait]
impl MailTransport for SmtpTransport {
    fn message_id(&self, id: MailId) -> String {
        self.sender.message_id(id)
    }

    fn from_address(&self) -> String {
        self.sender.address()
    }

    async fn send(&self, mail: &RenderedMail) -> Result<(), MailTransportError> {
        let mime = compose(&self.sender, mail)?;
        let (envelope, bytes) = (mime.envelope(), mime.formatted());
        let began = Instant::now();
        let mut connection = self.connect().await?;
        let sent = send_mail(&mut connection, envelope, &bytes, self.timeouts, began).await;
        sent.map_err(|error| self.failed(&error))?;
        self.connections.keep(connection);
        Ok(())
    }
}

fn certificates(path: &Path) -> Result<Certificate, SetupError> {
    let pem = std::fs::read(path).map_err(|source| SetupError::CaFile { path: path.to_owned(), source })?;
    // An empty list would be accepted silently, and then every connection refused.
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
