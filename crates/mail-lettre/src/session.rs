//! Sending one mail on a connection: sender, recipient, content (RFC 5321, section 3.3).
//!
//! lettre has this too, but after a refusal it sends `QUIT` and waits for the answer: when the server then
//! answers nothing, the refusal is lost. Here each command has its own timeout, and the refusal is returned
//! first.

use std::time::Duration;

use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailParameter};
use tokio::time::timeout;

/// How long to wait for the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// For connecting, TLS and the log-in together.
    pub(crate) connect: Duration,
    /// For the answer to a command.
    pub(crate) command: Duration,
    /// For the answer to the content. Servers scan for viruses before they answer, and a mail that is cut off
    /// here may arrive twice.
    pub(crate) content: Duration,
    /// For the answer to `QUIT`.
    pub(crate) quit: Duration,
}

/// Why a mail was not sent.
pub(crate) enum SendError {
    /// The server refused, or the network failed.
    Smtp(Error),
    /// The server did not answer to a command within its timeout.
    Timeout(&'static str, Duration),
    /// The address is not ASCII, and the server has no SMTPUTF8.
    NotAscii,
}

/// Sends a mail. After an error the connection must not be used again.
pub(crate) async fn send_mail(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    timeouts: Timeouts,
) -> Result<(), SendError> {
    let sent = run_commands(connection, envelope, mail, timeouts).await;
    if let Err(SendError::Smtp(_)) = &sent {
        // The mail has failed already, whatever the server answers to this.
        let _quit = timeout(timeouts.quit, connection.quit()).await;
    }
    sent
}

async fn run_commands(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    timeouts: Timeouts,
) -> Result<(), SendError> {
    let limit = timeouts.command;
    let parameters = parameters(connection, envelope)?;
    let from = Mail::new(envelope.from().cloned(), parameters);
    answered("MAIL", limit, connection.command(from)).await?;
    for to in envelope.to() {
        let to = Rcpt::new(to.clone(), Vec::new());
        answered("RCPT", limit, connection.command(to)).await?;
    }
    answered("DATA", limit, connection.command(Data)).await?;
    answered("the content", timeouts.content, connection.message(mail)).await
}

/// Mails are composed in ASCII throughout; only an address may need more of the server (RFC 6531).
fn parameters(
    connection: &AsyncSmtpConnection,
    envelope: &Envelope,
) -> Result<Vec<MailParameter>, SendError> {
    let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
    if envelope.from().into_iter().chain(envelope.to()).all(is_ascii) {
        return Ok(Vec::new());
    }
    let server = connection.server_info();
    if server.supports_feature(Extension::SmtpUtfEight) {
        Ok(vec![MailParameter::SmtpUtfEight])
    } else {
        Err(SendError::NotAscii)
    }
}

async fn answered<T>(
    command: &'static str,
    limit: Duration,
    answer: impl Future<Output = Result<T, Error>>,
) -> Result<(), SendError> {
    match timeout(limit, answer).await {
        Ok(Ok(_positive)) => Ok(()),
        Ok(Err(error)) => Err(SendError::Smtp(error)),
        Err(_elapsed) => Err(SendError::Timeout(command, limit)),
    }
}
