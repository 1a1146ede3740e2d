//! Erasing a contact's data from rows other than its own.

use ::contacts::ContactId;
use ::invoices::InvoicedContact;
use communications::{Address, Channel};
use diesel::prelude::*;
use kernel::{SingleLine, StoreError};
use store_schema::rows::invoiced_contact_to_json;
use store_schema::schema::{address_holds, contacts, invoices, messages};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{Locked, execute_together};

/// Anonymizes the copies of a contact in drafts. Issued invoices keep theirs.
pub(super) async fn of_drafts(
    tx: &mut Transaction,
    account: RowId,
    contact: ContactId,
    mark: &str,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    let anonymous = InvoicedContact {
        id: contact,
        external_id: None,
        name: SingleLine::from_stored(mark.to_owned()),
        email: None,
        phone: None,
        address: None,
    };
    let statement = diesel::update(invoices::table)
        .filter(invoices::account_id.eq(account))
        .filter(invoices::contact_id.eq(RowId::from(contact)))
        .filter(invoices::status.eq("DRAFT"))
        .set((
            invoices::contact.eq(invoiced_contact_to_json(&anonymous)),
            invoices::updated_at.eq(RowInstant(at)),
        ));
    tx.execute(statement).await.map(|_count| ())
}

/// Overwrites the stored reasons for closing and reopening the addresses of a contact: its present ones, and
/// those of its messages, which have not been erased yet. Closed addresses stay closed.
pub(super) async fn of_holds(
    tx: &mut Transaction,
    account: RowId,
    contact: ContactId,
    mark: &str,
) -> Result<(), StoreError> {
    let contact = RowId::from(contact);
    let own = contacts::table
        .filter(contacts::account_id.eq(account))
        .filter(contacts::id.eq(contact))
        .select((contacts::email, contacts::phone));
    let found: Option<(Option<String>, Option<String>)> = tx.fetch_optional(Locked(own)).await?;
    let (email, phone) = found.unwrap_or_default();
    let written_to = messages::table
        .filter(messages::account_id.eq(account))
        .filter(messages::contact_id.eq(contact))
        .select(messages::address)
        .distinct();
    let mut addresses: Vec<String> = tx.fetch_all(written_to).await?;
    addresses.extend(
        [(Channel::Email, email), (Channel::Sms, phone)]
            .into_iter()
            .filter_map(|(channel, text)| Some(Address::parse(channel, &text?).ok()?.as_str().to_owned())),
    );
    let holds = || {
        address_holds::table
            .filter(address_holds::account_id.eq(account))
            .filter(address_holds::address.eq_any(&addresses))
    };
    let opened = holds().filter(address_holds::lifted_how.is_not_null());
    let removed = execute_together!(
        tx.conn().await?;
        diesel::update(holds()).set(address_holds::how.eq(mark)),
        diesel::update(opened).set(address_holds::lifted_how.eq(mark))
    );
    tx.settle(removed).map(|_counts| ())
}
