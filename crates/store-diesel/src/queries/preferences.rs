//! The consents and addresses of contacts, inside a transaction.

use ::contacts::ContactId;
use async_trait::async_trait;
use communications::{
    Address, AddressHold, AddressHoldId, Channel, CloseReason, Consent, ContactPreferences, MessageId,
    MessageState, Preferences,
};
use diesel::dsl::{AsSelect, SqlTypeOf};
use diesel::prelude::*;
use kernel::{AccountId, Named as _, SingleLine, StoreResult};
use store_schema::rows::{AddressHoldRow, ConsentRow};
use store_schema::schema::{
    address_holds, contact_consents, contact_preferences, contact_words, contacts, escalations,
    inbound_messages, messages, quarantine_candidates,
};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::erasure;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;
use crate::dialect::{Db, Locked, execute_together};

/// Locks the preferences of a contact, and inserts their row if it is missing. `false` when the account has
/// no such contact.
pub(super) async fn lock(tx: &mut Transaction, account: AccountId, contact: ContactId) -> StoreResult<bool> {
    Ok(!lock_all(tx, account, &[contact.into()]).await?.is_empty())
}

/// Does the same for several contacts, in the order of their ids. Returns the contacts that the account has.
pub(super) async fn lock_all(
    tx: &mut Transaction,
    account: AccountId,
    wanted: &[RowId],
) -> StoreResult<Vec<RowId>> {
    let account = RowId::from(account);
    let known = contacts::table.filter(contacts::account_id.eq(account)).into_boxed::<Db>();
    let locked = contact_preferences::table
        .filter(contact_preferences::account_id.eq(account))
        .order(contact_preferences::contact_id)
        .select(contact_preferences::contact_id)
        .into_boxed::<Db>();
    // A plan for any number of ids may read all contacts of the account.
    let (known, locked) = match wanted {
        [one] => {
            (known.filter(contacts::id.eq(*one)), locked.filter(contact_preferences::contact_id.eq(*one)))
        }
        _ => (
            known.filter(contacts::id.eq_any(wanted)),
            locked.filter(contact_preferences::contact_id.eq_any(wanted)),
        ),
    };
    let insert = diesel::insert_into(contact_preferences::table)
        .values(known.select((contacts::account_id, contacts::id)))
        .into_columns((contact_preferences::account_id, contact_preferences::contact_id))
        .on_conflict_do_nothing();
    tx.execute(insert).await?;
    tx.fetch_all(Locked(locked)).await
}

/// Every consent of a contact, newest first.
pub(super) fn consents(
    account: RowId,
    contact: RowId,
) -> contact_consents::BoxedQuery<'static, Db, SqlTypeOf<AsSelect<ConsentRow, Db>>> {
    contact_consents::table
        .filter(contact_consents::account_id.eq(account))
        .filter(contact_consents::contact_id.eq(contact))
        .order(contact_consents::id.desc())
        .select(columns_of::<ConsentRow>())
        .into_boxed()
}

/// The preferences that result from consents, which must be ordered newest first.
pub(super) fn of_consents(contact: ContactId, rows: Vec<ConsentRow>) -> StoreResult<ContactPreferences> {
    let mut latest: Vec<Consent> = Vec::new();
    for row in rows {
        let consent = Consent::try_from(row)?;
        if !latest.iter().any(|one| one.channel == consent.channel) {
            latest.push(consent);
        }
    }
    Ok(ContactPreferences { contact, consents: latest })
}

#[async_trait]
impl Preferences for UnitOfWork<AccountId> {
    async fn lock(&mut self, contact: ContactId) -> StoreResult<Option<ContactPreferences>> {
        if !lock(&mut self.tx, self.scope, contact).await? {
            return Ok(None);
        }
        let found = self.tx.fetch_all(consents(self.account(), contact.into())).await?;
        of_consents(contact, found).map(Some)
    }

    async fn record_consent(&mut self, consent: &Consent) -> StoreResult<()> {
        let row = ConsentRow::new(self.account(), consent);
        self.tx.execute(diesel::insert_into(contact_consents::table).values(&row)).await?;
        Ok(())
    }

    async fn erase(&mut self, contact: ContactId, mark: &str, at: OffsetDateTime) -> StoreResult<()> {
        let account = self.account();
        // Drafts first: amending a draft locks the draft before its contact.
        erasure::of_drafts(&mut self.tx, account, contact, mark, at).await?;
        erasure::of_holds(&mut self.tx, account, contact, mark).await?;
        // The contact is locked now, but copies of it may have been committed before that.
        erasure::of_drafts(&mut self.tx, account, contact, mark, at).await?;
        erasure::of_quarantine(&mut self.tx, account, contact).await?;
        let contact = RowId::from(contact);
        let own = contacts::table.find((account, contact));
        let about = escalations::account_id.eq(account).and(escalations::contact_id.eq(contact));
        let statements =
            diesel::update(escalations::table.filter(about)).set(escalations::customer_statement.eq(mark));
        let notes = diesel::update(escalations::table.filter(about))
            .filter(escalations::resolution_notes.is_not_null())
            .set(escalations::resolution_notes.eq(mark));
        let consents = contact_consents::table
            .filter(contact_consents::account_id.eq(account))
            .filter(contact_consents::contact_id.eq(contact));
        let words = contact_words::table
            .filter(contact_words::account_id.eq(account))
            .filter(contact_words::contact_id.eq(contact));
        let anonymous = diesel::update(own).set((
            contacts::name.eq(mark),
            contacts::email.eq(None::<String>),
            contacts::email_key.eq(None::<String>),
            contacts::phone.eq(None::<String>),
            contacts::external_id.eq(None::<String>),
            contacts::address.eq(None::<String>),
            contacts::updated_at.eq(RowInstant(at)),
        ));
        let mark = diesel::update(contact_preferences::table.find((account, contact)))
            .set(contact_preferences::erased_at.eq(RowInstant(at)));
        let erased = execute_together!(
            self.tx.conn().await?;
            statements,
            notes,
            diesel::delete(consents),
            diesel::delete(words),
            anonymous,
            mark
        );
        self.tx.settle(erased).map(|_counts| ())
    }

    async fn contacts_at(&mut self, channel: Channel, address: &Address) -> StoreResult<Vec<ContactId>> {
        let query = messages::table
            .filter(messages::account_id.eq(self.account()))
            .filter(messages::address.eq(address.as_str()))
            .filter(messages::channel.eq(channel.as_str()))
            .filter(messages::direction.eq("out"))
            .filter(messages::contact_id.is_not_null())
            .select(messages::contact_id.assume_not_null())
            .distinct()
            .order(messages::contact_id.assume_not_null());
        let found: Vec<RowId> = self.tx.fetch_all(query).await?;
        Ok(found.into_iter().map(RowId::id).collect())
    }

    async fn close_address(&mut self, hold: &AddressHold, since: OffsetDateTime) -> StoreResult<bool> {
        let opened = address_holds::table
            .filter(address_holds::account_id.eq(self.account()))
            .filter(address_holds::address.eq(hold.address.as_str()))
            .filter(address_holds::channel.eq(hold.channel.as_str()))
            .filter(address_holds::reason.eq(hold.reason.as_str()))
            .filter(address_holds::reopened_at.gt(RowInstant(since)))
            .select(address_holds::id)
            .limit(1);
        let opened: Option<RowId> = self.tx.fetch_optional(opened).await?;
        if opened.is_some() {
            return Ok(false);
        }
        let row = AddressHoldRow::from(hold);
        let insert = diesel::insert_into(address_holds::table).values(&row).on_conflict_do_nothing();
        let inserted = self.tx.execute(insert).await?;
        Ok(inserted > 0)
    }

    async fn open_address(
        &mut self,
        (channel, address): (Channel, &Address),
        reason: CloseReason,
        seen: Option<AddressHoldId>,
        because: &SingleLine<500>,
        at: OffsetDateTime,
    ) -> StoreResult<bool> {
        let mut statement = diesel::update(address_holds::table)
            .into_boxed()
            .filter(address_holds::account_id.eq(self.account()))
            .filter(address_holds::address.eq(address.as_str()))
            .filter(address_holds::channel.eq(channel.as_str()))
            .filter(address_holds::reason.eq(reason.as_str()))
            .filter(address_holds::reopened_at.is_null());
        if let Some(seen) = seen {
            statement = statement.filter(address_holds::id.eq(RowId::from(seen)));
        }
        let opened = statement.set((
            address_holds::reopened_at.eq(RowInstant(at)),
            address_holds::reopened_because.eq(because.as_str()),
        ));
        let updated = self.tx.execute(opened).await?;
        Ok(updated > 0)
    }

    async fn hold_for_quarantine(
        &mut self,
        inbound: MessageId,
        contact: Option<ContactId>,
        sender: Option<&Address>,
    ) -> StoreResult<bool> {
        // The sender of a mail is known only after the mail was parsed. The update also locks the row, so
        // that the message cannot leave the quarantine before its candidate is stored.
        let learned = diesel::update(inbound_messages::table)
            .filter(inbound_messages::id.eq(RowId::from(inbound)))
            .filter(inbound_messages::state.eq(MessageState::Stored.as_str()))
            .set(inbound_messages::sender.eq(sender.map(Address::as_str)));
        if self.tx.execute(learned).await? == 0 {
            return Ok(false);
        }
        let insert = diesel::insert_into(quarantine_candidates::table)
            .values((
                quarantine_candidates::account_id.eq(self.account()),
                quarantine_candidates::inbound_id.eq(RowId::from(inbound)),
                quarantine_candidates::contact_id.eq(contact.map(RowId::from)),
            ))
            .on_conflict_do_nothing();
        self.tx.execute(insert).await?;
        Ok(true)
    }
}
