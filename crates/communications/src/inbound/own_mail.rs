//! Mail that an account writes itself, among the mail of its customers.

use escalations::Channel;
use kernel::StoreResult;

use super::matching::Match;
use super::parsed_message::ParsedMessage;
use super::receive::InboundService;
use crate::address::Address;

impl InboundService {
    /// Whether the account wrote a mail itself: its owner answered a customer, and a copy went to a reply
    /// address of the service. An address that the account wrote to is a customer's, even if it is also the
    /// account's.
    pub(super) async fn is_own(&self, parsed: &ParsedMessage, found: &Match) -> StoreResult<bool> {
        let (Match::One(matched), Some(sender)) = (found, &parsed.sender) else {
            return Ok(false);
        };
        let was_written_to = matched.written_to.as_ref().is_some_and(|(_, address)| address == sender);
        if parsed.channel != Channel::Email || was_written_to {
            return Ok(false);
        }
        if *sender == self.mail_from {
            return Ok(true);
        }
        let letterhead = self.invoicing.reads.letterhead(matched.account).await?;
        let own = letterhead.email.as_deref().and_then(|email| Address::parse(Channel::Email, email).ok());
        Ok(own.as_ref() == Some(sender))
    }
}
