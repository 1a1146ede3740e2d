//! Ending reminders to the addresses of a contact that wants no more messages.

use contacts::{Contact, ContactId};
use escalations::Channel;
use kernel::{Id, Ids, StoreResult};
use time::OffsetDateTime;

use crate::address::Address;
use crate::address_hold::{AddressHold, CloseReason};
use crate::message::Message;
use crate::ports::CommunicationsTx;

/// The present address of a contact for a channel, which does not change before the transaction ends.
pub(crate) async fn present_address(
    tx: &mut dyn CommunicationsTx,
    contact: Option<ContactId>,
    channel: Channel,
) -> StoreResult<Option<Address>> {
    let Some(contact) = contact else {
        return Ok(None);
    };
    let contact = tx.invoicing().contacts().lock(contact).await?;
    Ok(contact.and_then(|contact| address_of(&contact, channel)))
}

/// Closes, in the account of a message that opts out, the address that it came from and the present one of
/// its contact, to which reminders go: the contact may write from another mailbox. `evidence` are the words
/// that are stored. An address that the owner opened again after `since` stays open. `false` if there is
/// neither address. The caller has locked the contact's preferences.
pub(crate) async fn close_addresses(
    tx: &mut dyn CommunicationsTx,
    message: &Message,
    present: Option<&Address>,
    evidence: &str,
    since: OffsetDateTime,
    (ids, now): (&dyn Ids, OffsetDateTime),
) -> StoreResult<bool> {
    let from = Some(&message.address).filter(|address| !address.as_str().is_empty());
    let present = present.filter(|present| Some(*present) != from);
    for address in from.into_iter().chain(present) {
        let way = (message.channel, address.clone());
        let hold = AddressHold::closing(
            Id::new(ids, now),
            message.account,
            way,
            CloseReason::OptedOut,
            evidence,
            now,
        );
        // An address that is closed already stays closed.
        let _closed = tx.preferences().close_address(&hold, since).await?;
    }
    Ok(from.or(present).is_some())
}

/// The present address of a contact for a channel.
pub(crate) fn address_of(contact: &Contact, channel: Channel) -> Option<Address> {
    match channel {
        Channel::Email => contact.email.as_ref().map(Address::from),
        Channel::Sms | Channel::Voice => {
            contact.phone.as_ref().and_then(|phone| Address::parse(channel, phone.as_str()).ok())
        }
    }
}
