//! Connections to the mail server: made when needed, kept for the next mail after one that was sent.
//!
//! A connection on which sending failed or was cancelled is dropped: the next command on it would read the
//! answer to an earlier one.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::{Instant, timeout};

use crate::smtp_url::{SmtpUrl, Tls};

/// Servers close idle connections after minutes; half a minute serves a series of mails.
const MAX_IDLE: Duration = Duration::from_secs(30);
const MAX_KEPT: usize = 10;
/// For the answer of a kept connection; after that a new one is made.
const NOOP_TIMEOUT: Duration = Duration::from_secs(3);
/// For each address of the host, so that an unreachable one leaves time for the next.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct Connections {
    pub(crate) url: SmtpUrl,
    tls: TlsParameters,
    kept: Mutex<Vec<(Instant, AsyncSmtpConnection)>>,
}

impl Connections {
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
        let url = &self.url;
        let (server, client) = ((url.host.as_str(), url.port), ClientId::default());
        let tls = || self.tls.clone();
        let implicit = (url.tls == Tls::Implicit).then(tls);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(ADDRESS_TIMEOUT), &client, implicit, None)
                .await?;
        let starts = match url.tls {
            Tls::Required => true,
            Tls::Opportunistic => connection.can_starttls(),
            Tls::Implicit | Tls::None => false,
        };
        if starts {
            connection.starttls(tls(), &client).await?;
        }
        if let Some(login) = &url.login {
            let credentials = Credentials::new(login.user.clone(), login.password.clone());
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            connection.auth(&mechanisms, &credentials).await?;
        }
        Ok(connection)
    }
}
