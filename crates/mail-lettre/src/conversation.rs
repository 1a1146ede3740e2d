//! Handing one mail over on a connection: sender, recipient, content (RFC 5321, section 3.3).
//!
//! lettre has this too, but after a refusal it says `QUIT` and waits for the answer: a server that refuses a mail and falls
//! silent would have its refusal forgotten over the silence. Here each step has its own patience and the refusal comes first.

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
pub(crate) struct Patience {
    /// Until it has let us in.
    pub(crate) connect: Duration,
    /// Until it has answered a command.
    pub(crate) command: Duration,
    /// Until it has taken the content. Servers look for viruses before they say so, and a mail that is cut off here may arrive
    /// twice.
    pub(crate) content: Duration,
    /// Until it has said good-bye.
    pub(crate) farewell: Duration,
}

/// Why a mail was not handed over.
pub(crate) enum Failure {
    /// The server or the network said so.
    Smtp(Error),
    /// The server took longer than this for a step.
    Slow(&'static str, Duration),
    /// The address has letters that this server does not know.
    Letters,
}

/// Hands a mail over. After a failure the connection is of no more use.
pub(crate) async fn hand_over(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    patience: Patience,
) -> Result<(), Failure> {
    let handed_over = steps(connection, envelope, mail, patience).await;
    if let Err(Failure::Smtp(_)) = &handed_over {
        // Politeness alone, so what comes of it is nobody's business.
        let _farewell = timeout(patience.farewell, connection.quit()).await;
    }
    handed_over
}

async fn steps(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    patience: Patience,
) -> Result<(), Failure> {
    let limit = patience.command;
    let parameters = parameters(connection, envelope)?;
    let from = Mail::new(envelope.from().cloned(), parameters);
    step("MAIL", limit, connection.command(from)).await?;
    for to in envelope.to() {
        let to = Rcpt::new(to.clone(), Vec::new());
        step("RCPT", limit, connection.command(to)).await?;
    }
    step("DATA", limit, connection.command(Data)).await?;
    step("the content", patience.content, connection.message(mail)).await
}

/// Mails are composed in ASCII throughout; only an address may need more of the server (RFC 6531).
fn parameters(
    connection: &AsyncSmtpConnection,
    envelope: &Envelope,
) -> Result<Vec<MailParameter>, Failure> {
    let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
    if envelope
        .from()
        .into_iter()
        .chain(envelope.to())
        .all(is_ascii)
    {
        return Ok(Vec::new());
    }
    let server = connection.server_info();
    if server.supports_feature(Extension::SmtpUtfEight) {
        Ok(vec![MailParameter::SmtpUtfEight])
    } else {
        Err(Failure::Letters)
    }
}

async fn step<T>(
    name: &'static str,
    limit: Duration,
    answer: impl Future<Output = Result<T, Error>>,
) -> Result<(), Failure> {
    match timeout(limit, answer).await {
        Ok(Ok(_positive)) => Ok(()),
        Ok(Err(error)) => Err(Failure::Smtp(error)),
        Err(_elapsed) => Err(Failure::Slow(name, limit)),
    }
}
