//! What the addresses of a contact decide about its reminders: which unread messages are from them, and
//! which of them are closed.

use communications::{Address, Channel, CloseReason};
use diesel::dsl::{auto_type, case_when};
use diesel::prelude::*;
use kernel::{EmailAddress, StoreResult};
use store_schema::rows::row_ref::RowRef;
use store_schema::schema::{inbound_messages, messages, quarantine_candidates};
use store_schema::types::RowId;

/// A telephone number, normalised for comparison.
pub(super) fn phone_number(phone: Option<&str>) -> Option<Address> {
    phone.and_then(|phone| Address::parse(Channel::Sms, phone).ok())
}

/// The stored e-mail address and telephone number of a contact, normalised for comparison.
pub(super) fn addresses(email: Option<&str>, phone: Option<&str>) -> Vec<String> {
    let email = email.map(|email| Address::from(&EmailAddress::from_stored(email.to_owned())));
    email.into_iter().chain(phone_number(phone)).map(|address| address.as_str().to_owned()).collect()
}

/// The contact and the sender of each message in quarantine that may be from one of these contacts, or has
/// one of these addresses as its sender. A message that left the quarantine holds nothing any more, even if
/// the process ended before it removed its candidates.
#[auto_type]
pub(super) fn waiting_in_quarantine<'a>(account: RowId, ids: &'a [RowId], addresses: Vec<String>) -> _ {
    let states: [&'static str; 2] = ["stored", "quarantined"];
    let of_contacts =
        quarantine_candidates::contact_id.eq_any(ids).or(inbound_messages::sender.eq_any(addresses));
    quarantine_candidates::table
        .inner_join(inbound_messages::table.on(inbound_messages::id.eq(quarantine_candidates::inbound_id)))
        .filter(quarantine_candidates::account_id.eq(account))
        .filter(inbound_messages::state.eq_any(states))
        .filter(of_contacts)
        .select((quarantine_candidates::contact_id, inbound_messages::sender))
}

/// The contact of each unread message that is from one of these contacts, or is a text message from one of
/// these numbers: contacts may share a number. With it, the number of a text message.
#[auto_type]
pub(super) fn unread<'a>(account: RowId, ids: &'a [RowId], addresses: Vec<String>) -> _ {
    let is_text = messages::channel.eq("sms");
    let of_contacts = messages::contact_id.eq_any(ids).or(is_text.and(messages::address.eq_any(addresses)));
    let number = case_when(is_text, messages::address.nullable());
    messages::table
        .filter(messages::account_id.eq(account))
        .filter(messages::is_unread)
        .filter(of_contacts)
        .select((messages::contact_id, number))
}

/// Whether one of these messages is from a contact, or from one of its present addresses.
pub(super) fn is_of(
    (contact, own): (RowId, &[String]),
    messages: &[(Option<RowId>, Option<String>)],
) -> bool {
    messages.iter().any(|(sent_by, sender)| {
        *sent_by == Some(contact) || sender.as_ref().is_some_and(|sender| own.contains(sender))
    })
}

/// The closed channels of a contact's present addresses.
pub(super) fn closed(
    (contact, own): (RowId, &[String]),
    holds: &[(String, String, String)],
) -> StoreResult<Vec<(Channel, CloseReason)>> {
    let row_ref = RowRef { table: "address_holds", id: contact };
    let mut closed = Vec::new();
    for (address, channel, reason) in holds {
        if own.contains(address) {
            let channel = row_ref.named("channel", channel)?;
            closed.push((channel, row_ref.named("reason", reason)?));
        }
    }
    Ok(closed)
}
