//! Knocking at the mail server's door: all that a mail needs, but for the mail.

use mail::MailTransportError;
use tokio::time::timeout;

use super::SmtpTransport;

impl SmtpTransport {
    /// Connects, encrypts and logs in as for a mail, and says good-bye without sending one.
    ///
    /// # Errors
    /// What the server or the network said, as if a mail had been sent.
    pub async fn knock(&self) -> Result<(), MailTransportError> {
        let limit = self.patience.connect;
        let mut connection = match timeout(limit, self.connections.take()).await {
            Ok(taken) => taken.map_err(|error| self.temporary(&error))?,
            Err(_elapsed) => return Err(self.too_slow("our knocking", limit)),
        };
        // Politeness alone, so what comes of it is nobody's business.
        let _farewell = timeout(self.patience.farewell, connection.quit()).await;
        Ok(())
    }
}
