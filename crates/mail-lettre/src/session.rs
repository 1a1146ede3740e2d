//! Connections to the mail server, opened when needed and kept for the next mail after a successful one; and
//! sending one mail on a connection: sender, recipient, content (RFC 5321, section 3.3).
//!
//! A connection on which sending failed or was cancelled is dropped: the next command on it would read the
//! response to an earlier one.
//!
//! lettre can send mails too, but after a refusal it sends `QUIT` and waits: if the server does not respond
//! to that, the refusal is lost. Here each command has its own timeout, and a refusal is always returned.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use tokio::time::{Instant, timeout};

use crate::smtp_url::{SmtpUrl, Tls};

/// Servers close idle connections after minutes; half a minute serves a series of mails.
const MAX_IDLE: Duration = Duration::from_secs(30);
const MAX_KEPT: usize = 10;
/// For the response on a kept connection; after that a new one is opened.
const NOOP_TIMEOUT: Duration = Duration::from_secs(3);
/// For connecting to each address of the host, so that an unreachable one leaves time for the next.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct SmtpConnections {
    pub(crate) url: SmtpUrl,
    tls: TlsParameters,
    kept: Mutex<Vec<(Instant, AsyncSmtpConnection)>>,
}

impl SmtpConnections {
    pub(crate) fn new(url: SmtpUrl, tls: TlsParameters) -> Self {
        Self { url, tls, kept: Mutex::default() }
    }

    /// A connection on which a mail can be sent: encrypted as far as the URL asks, and logged in.
    pub(crate) async fn take(&self) -> Result<AsyncSmtpConnection, Error> {
        while let Some(mut kept) = self.pop() {
            if timeout(NOOP_TIMEOUT, kept.test_connected()).await == Ok(true) {
                return Ok(kept);
            }
        }
        self.connect().await
    }

    /// Keeps a connection on which a mail was sent.
    pub(crate) fn keep(&self, connection: AsyncSmtpConnection) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT && !connection.has_broken() {
            kept.push((Instant::now(), connection));
        }
    }

    /// The connection that was used last.
    fn pop(&self) -> Option<AsyncSmtpConnection> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(since, _)| since.elapsed() < MAX_IDLE);
        kept.pop().map(|(_, connection)| connection)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let (url, client) = (&self.url, ClientId::default());
        let server = (url.host.as_str(), url.port);
        let implicit = (url.tls == Tls::Implicit).then(|| self.tls.clone());
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(ADDRESS_TIMEOUT), &client, implicit, None)
                .await?;
        if url.tls == Tls::Required || url.tls == Tls::Opportunistic && connection.can_starttls() {
            connection.starttls(self.tls.clone(), &client).await?;
        }
        if let Some(login) = &url.login {
            let credentials = Credentials::new(login.user.clone(), login.password.clone());
            connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await?;
        }
        Ok(connection)
    }
}

/// How long to wait for the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// For connecting, TLS and the log-in together.
    pub(crate) connect: Duration,
    /// For the response to a command.
    pub(crate) command: Duration,
    /// For the response to the content. Servers scan for viruses before they respond, and a mail whose
    /// attempt ends here may arrive twice.
    pub(crate) content: Duration,
    /// For the response to `QUIT`.
    pub(crate) quit: Duration,
}

/// Why a mail was not sent.
pub(crate) enum SmtpSendError {
    /// The server refused, or the network failed.
    Smtp(Error),
    /// The server refused the sender, or the network failed while it was named.
    Sender(Error),
    /// The network failed, or the server sent no valid response, after the content was sent: it may have
    /// accepted the mail.
    Unanswered(Error),
    /// The server did not respond to the content within its timeout: it may have accepted the mail.
    ContentTimeout(Duration),
    /// The server did not respond to a command within its timeout.
    Timeout(&'static str, Duration),
    /// The commands took longer than they may, though the server responded in time: the process was paused,
    /// and another one may have sent the mail.
    ProcessPaused,
    /// The address is not ASCII, and the server does not support SMTPUTF8.
    NotAscii,
    /// The sender's address is not ASCII, and the server does not support SMTPUTF8.
    SenderNotAscii,
}

/// Sends a mail, for which connecting began at `began`. After an error the connection must not be used again.
pub(crate) async fn send_mail(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    timeouts: Timeouts,
    began: Instant,
) -> Result<(), SmtpSendError> {
    let sent = run_commands(connection, envelope, mail, timeouts, began).await;
    if let Err(SmtpSendError::Smtp(_) | SmtpSendError::Sender(_)) = &sent {
        // The mail has failed already, whatever the server responds to this.
        let _quit = timeout(timeouts.quit, connection.quit()).await;
    }
    sent
}

async fn run_commands(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    timeouts: Timeouts,
    began: Instant,
) -> Result<(), SmtpSendError> {
    let limit = timeouts.command;
    name_sender(connection, envelope.from(), envelope.to(), limit).await?;
    for to in envelope.to() {
        let to = Rcpt::new(to.clone(), Vec::new());
        answered("RCPT", limit, connection.command(to)).await?;
    }
    answered("DATA", limit, connection.command(Data)).await?;
    let commands = u32::try_from(envelope.to().len()).unwrap_or(u32::MAX).saturating_add(2);
    if began.elapsed() > timeouts.connect.saturating_add(limit.saturating_mul(commands)) {
        return Err(SmtpSendError::ProcessPaused);
    }
    let sent = answered("the content", timeouts.content, connection.message(mail)).await;
    sent.map_err(|error| match error {
        SmtpSendError::Smtp(error) if error.status().is_none() => SmtpSendError::Unanswered(error),
        SmtpSendError::Timeout(_, limit) => SmtpSendError::ContentTimeout(limit),
        error => error,
    })
}

/// Begins a mail from this sender, if the server takes mail from it.
pub(crate) async fn name_sender(
    connection: &mut AsyncSmtpConnection,
    from: Option<&Address>,
    to: &[Address],
    limit: Duration,
) -> Result<(), SmtpSendError> {
    let mail = Mail::new(from.cloned(), parameters(connection, from, to)?);
    let named = answered("MAIL", limit, connection.command(mail)).await;
    named.map_err(|error| match error {
        SmtpSendError::Smtp(error) => SmtpSendError::Sender(error),
        error => error,
    })
}

/// Mails are composed in ASCII; only a non-ASCII address needs an extension of the server (RFC 6531).
fn parameters(
    connection: &AsyncSmtpConnection,
    from: Option<&Address>,
    to: &[Address],
) -> Result<Vec<MailParameter>, SmtpSendError> {
    let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
    let (sender_is_ascii, all_are_ascii) = (from.is_none_or(is_ascii), to.iter().all(is_ascii));
    match connection.server_info().supports_feature(Extension::SmtpUtfEight) {
        _ if sender_is_ascii && all_are_ascii => Ok(Vec::new()),
        true => Ok(vec![MailParameter::SmtpUtfEight]),
        false if sender_is_ascii => Err(SmtpSendError::NotAscii),
        false => Err(SmtpSendError::SenderNotAscii),
    }
}

async fn answered<T>(
    command: &'static str,
    limit: Duration,
    answer: impl Future<Output = Result<T, Error>>,
) -> Result<(), SmtpSendError> {
    match timeout(limit, answer).await {
        Ok(Ok(_positive)) => Ok(()),
        Ok(Err(error)) => Err(SmtpSendError::Smtp(error)),
        Err(_elapsed) => Err(SmtpSendError::Timeout(command, limit)),
    }
}
