//! Reading messages and preferences outside any transaction.

use ::invoices::{InvoiceId, InvoiceStatus};
use async_trait::async_trait;
use communications::{
    Address, AddressHold, Channel, CommunicationsReads, Consent, ContactPreferences, MailSubject, Message,
    MessageId, MessagePosition, ReplyToken,
};
use contacts::ContactId;
use diesel::dsl::{AsSelect, SqlTypeOf, auto_type, case_when, exists, not};
use diesel::prelude::*;
use diesel::sql_types::Text;
use kernel::{AccountId, Named as _, StoreError, StoreResult};
use store_schema::rows::row_ref::RowRef;
use store_schema::rows::{AddressHoldRow, ConsentRow, MessageRow};
use store_schema::schema::{address_holds, invoices, jobs, message_invoices, messages};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::columns::{columns_of, sorted_by};
use super::database::Database;
use super::pooled_connection::PooledConnection;
use super::preferences;
use super::run_statements::RunStatements as _;
use crate::dialect::Db;

/// The states of messages that an attempt to send has ended for.
const ATTEMPTED: [&str; 3] = ["sent", "delivered", "failed"];

/// A message that waits in its queue although an attempt to send it began: its contact may open the link,
/// answer it or opt out, and it may come back, before it is recorded as sent.
#[auto_type]
fn is_on_its_way() -> _ {
    messages::state.eq("queued").and(messages::began_at.is_not_null())
}

/// A mail, or a text message that did not fail or that the provider may have accepted: one that it refused
/// was not sent.
#[auto_type]
fn may_have_been_accepted() -> _ {
    messages::state
        .ne("failed")
        .or(messages::channel.eq("email"))
        .or(messages::began_at.is_not_null())
        .or(messages::provider_id.is_not_null())
}

type MessageQuery<'a> = messages::BoxedQuery<'a, Db, SqlTypeOf<AsSelect<MessageRow, Db>>>;

fn every<'a>() -> MessageQuery<'a> {
    messages::table.select(columns_of::<MessageRow>()).into_boxed()
}

fn every_of<'a>(account: AccountId) -> MessageQuery<'a> {
    every().filter(messages::account_id.eq(RowId::from(account)))
}

async fn fetch_all(connection: &mut PooledConnection, query: MessageQuery<'_>) -> StoreResult<Vec<Message>> {
    let found: Vec<MessageRow> = connection.fetch_all(query).await?;
    found.into_iter().map(Message::try_from).collect()
}

async fn fetch_optional(
    connection: &mut PooledConnection,
    query: MessageQuery<'_>,
) -> StoreResult<Option<Message>> {
    let found: Option<MessageRow> = connection.fetch_optional(query).await?;
    found.map(Message::try_from).transpose()
}

/// The messages about an invoice. The join of both tables would let SQLite begin with all messages of the
/// account.
#[auto_type]
fn about(account: RowId, invoice: RowId) -> _ {
    message_invoices::table
        .filter(message_invoices::account_id.eq(account))
        .filter(message_invoices::invoice_id.eq(invoice))
        .select(message_invoices::message_id)
}

#[async_trait]
impl CommunicationsReads for Database {
    async fn message(&self, account: AccountId, id: MessageId) -> StoreResult<Option<Message>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = every_of(account).filter(messages::id.eq(RowId::from(id)));
        fetch_optional(&mut connection, query).await
    }

    async fn message_by_id(&self, id: MessageId) -> StoreResult<Option<Message>> {
        let mut connection = self.pool.read().await?;
        let query = every().filter(messages::id.eq(RowId::from(id))).limit(1);
        fetch_optional(&mut connection, query).await
    }

    async fn messages(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        after: Option<MessagePosition>,
        limit: usize,
    ) -> StoreResult<Vec<Message>> {
        let mut query =
            every_of(account).order(messages::id.desc()).limit(i64::try_from(limit).unwrap_or(i64::MAX));
        if let Some(contact) = contact {
            query = query.filter(messages::contact_id.eq(RowId::from(contact)));
        }
        if let Some(after) = after {
            query = query.filter(messages::id.lt(RowId::from(after)));
        }
        let mut connection = self.pool.of(account.into()).read().await?;
        fetch_all(&mut connection, query).await
    }

    async fn unread(
        &self,
        account: AccountId,
        contact: Option<ContactId>,
        limit: usize,
    ) -> StoreResult<Vec<Message>> {
        let mut query = every_of(account)
            .filter(messages::is_unread)
            .order(sorted_by("id").desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX));
        if let Some(contact) = contact {
            query = query.filter(messages::contact_id.eq(RowId::from(contact)));
        }
        let mut connection = self.pool.of(account.into()).read().await?;
        fetch_all(&mut connection, query).await
    }

    async fn outgoing(&self, after: Option<MessagePosition>, limit: usize) -> StoreResult<Vec<Message>> {
        let mut query = every()
            .filter(messages::direction.eq("out"))
            .filter(messages::state.eq_any(ATTEMPTED))
            .order(messages::id.desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX));
        if let Some(after) = after {
            query = query.filter(messages::id.lt(RowId::from(after)));
        }
        let mut connection = self.pool.read().await?;
        fetch_all(&mut connection, query).await
    }

    async fn message_by_token(&self, token: &ReplyToken) -> StoreResult<Option<Message>> {
        let mut connection = self.pool.of(token.account().into()).read().await?;
        let query = every_of(token.account()).filter(messages::reply_token.eq(token.reveal())).limit(1);
        fetch_optional(&mut connection, query).await
    }

    async fn messages_by_internet_id(&self, ids: &[String]) -> StoreResult<Vec<Message>> {
        let mut connection = self.pool.read().await?;
        let query = every()
            .filter(messages::internet_id.eq_any(ids))
            .filter(messages::direction.eq("out"))
            .order(messages::id.desc());
        fetch_all(&mut connection, query).await
    }

    async fn latest_to(
        &self,
        channel: Channel,
        address: &Address,
        since: OffsetDateTime,
    ) -> StoreResult<Vec<Message>> {
        let newer = diesel::alias!(messages as newer);
        let contact = newer.field(messages::contact_id);
        let to_same_contact =
            contact.eq(messages::contact_id).or(contact.is_null().and(messages::contact_id.is_null()));
        let has_newer = newer
            .filter(newer.field(messages::account_id).eq(messages::account_id))
            .filter(to_same_contact)
            .filter(newer.field(messages::address).eq(address.as_str()))
            .filter(newer.field(messages::channel).eq(channel.as_str()))
            .filter(newer.field(messages::direction).eq("out"))
            .filter(newer.field(messages::state).eq_any(ATTEMPTED).or(
                newer.field(messages::state).eq("queued").and(newer.field(messages::began_at).is_not_null()),
            ))
            .filter(
                newer
                    .field(messages::state)
                    .ne("failed")
                    .or(newer.field(messages::channel).eq("email"))
                    .or(newer.field(messages::began_at).is_not_null())
                    .or(newer.field(messages::provider_id).is_not_null()),
            )
            .filter(newer.field(messages::id).gt(messages::id));
        let mut connection = self.pool.read().await?;
        let query = every()
            .filter(messages::address.eq(address.as_str()))
            .filter(messages::channel.eq(channel.as_str()))
            .filter(messages::direction.eq("out"))
            .filter(messages::state.eq_any(ATTEMPTED).or(is_on_its_way()))
            .filter(may_have_been_accepted())
            .filter(messages::written_at.ge(RowInstant(since)))
            .filter(not(exists(has_newer)))
            .order(messages::id.desc());
        fetch_all(&mut connection, query).await
    }

    async fn accounts_that_wrote_to(
        &self,
        channel: Channel,
        address: &Address,
    ) -> StoreResult<Vec<AccountId>> {
        let mut connection = self.pool.read().await?;
        let query = messages::table
            .filter(messages::address.eq(address.as_str()))
            .filter(messages::channel.eq(channel.as_str()))
            .filter(messages::direction.eq("out"))
            .filter(messages::state.eq_any(ATTEMPTED).or(is_on_its_way()))
            .select(messages::account_id)
            .distinct()
            .order(messages::account_id);
        let found: Vec<RowId> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(RowId::id).collect())
    }

    async fn subject_of_mail(&self, account: AccountId, mail: MessageId) -> StoreResult<Option<MailSubject>> {
        let of_job =
            invoices::account_id.eq(jobs::account_id).and(invoices::id.nullable().eq(jobs::resource_id));
        let stored = messages::account_id.eq(jobs::account_id).and(messages::id.eq(jobs::id));
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = jobs::table
            .inner_join(invoices::table.on(of_job))
            .left_join(messages::table.on(stored))
            .filter(jobs::account_id.eq(RowId::from(account)))
            .filter(jobs::id.eq(RowId::from(mail)))
            .select((
                invoices::contact_id,
                invoices::id,
                invoices::status,
                columns_of::<Option<MessageRow>>(),
            ));
        let found: Option<(Option<RowId>, RowId, String, Option<MessageRow>)> =
            connection.fetch_optional(query).await?;
        let Some((contact, invoice, status, stored)) = found else {
            return Ok(None);
        };
        let stored = stored.map(Message::try_from).transpose()?;
        let is_cancelled = status == InvoiceStatus::Cancelled.as_str();
        Ok(Some(MailSubject { contact: contact.map(RowId::id), invoice: invoice.id(), is_cancelled, stored }))
    }

    async fn channel_of_link(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Option<Channel>> {
        // A text message about several invoices has the link to one of them.
        let account = RowId::from(account);
        // The account itself, not a column with it: from a column in a query within OR, a cluster does not
        // see that one server has all the rows.
        let any = || "%".into_sql::<Text>();
        let has_its_link = invoices::table
            .filter(invoices::account_id.eq(account))
            .filter(invoices::id.eq(message_invoices::invoice_id))
            .filter(messages::text.like(any().concat(invoices::pay_token).concat(any())));
        let has_other_link = message_invoices::table
            .filter(message_invoices::account_id.eq(account))
            .filter(message_invoices::message_id.eq(messages::id))
            .filter(message_invoices::invoice_id.ne(RowId::from(invoice)))
            .filter(exists(has_its_link));
        // The message may have waited long before it was sent.
        let sent_at = case_when(messages::began_at.is_not_null(), messages::began_at.assume_not_null())
            .otherwise(messages::written_at);
        let mut connection = self.pool.of(account).read().await?;
        let query = messages::table
            .filter(messages::account_id.eq(account))
            .filter(messages::id.eq_any(about(account, invoice.into())))
            .filter(messages::purpose.eq_any(["reminder", "service"]))
            .filter(
                messages::channel
                    .eq("email")
                    .or(messages::channel.eq("sms").and(not(exists(has_other_link)))),
            )
            .filter(messages::state.eq_any(["sent", "delivered"]).or(is_on_its_way()))
            .order((sent_at.desc(), messages::id.desc()))
            .select((messages::id, messages::channel))
            .limit(1);
        let found: Option<(RowId, String)> = connection.fetch_optional(query).await?;
        let channel = |(id, channel): (RowId, String)| {
            let row_ref = RowRef { table: "messages", id };
            row_ref.named("channel", &channel)
        };
        found.map(channel).transpose()
    }

    async fn mails_about(
        &self,
        account: AccountId,
        invoice: InvoiceId,
        address: &Address,
        limit: usize,
    ) -> StoreResult<Vec<String>> {
        let account = RowId::from(account);
        let mut connection = self.pool.of(account).read().await?;
        let query = messages::table
            .filter(messages::account_id.eq(account))
            .filter(messages::id.eq_any(about(account, invoice.into())))
            .filter(messages::channel.eq("email"))
            .filter(messages::direction.eq("out"))
            .filter(messages::address.eq(address.as_str()))
            .filter(messages::state.eq_any(["sent", "delivered"]))
            .filter(messages::internet_id.is_not_null())
            .order(sorted_by("id").desc())
            .select(messages::internet_id.assume_not_null())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX));
        let mut found: Vec<String> = connection.fetch_all(query).await?;
        found.reverse();
        Ok(found)
    }

    async fn invoice_by_number(
        &self,
        account: AccountId,
        contact: ContactId,
        numbers: &[String],
    ) -> StoreResult<Option<InvoiceId>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = invoices::table
            .filter(invoices::account_id.eq(RowId::from(account)))
            .filter(invoices::contact_id.eq(RowId::from(contact)))
            .filter(invoices::number.eq_any(numbers))
            .order(invoices::id)
            .select(invoices::id)
            .limit(1);
        let found: Option<RowId> = connection.fetch_optional(query).await?;
        Ok(found.map(RowId::id))
    }

    async fn preferences(&self, account: AccountId, contact: ContactId) -> StoreResult<ContactPreferences> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = connection.fetch_all(preferences::consents(account.into(), contact.into())).await?;
        preferences::of_consents(contact, found)
    }

    async fn consents(&self, account: AccountId, contact: ContactId) -> StoreResult<Vec<Consent>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = preferences::consents(account.into(), contact.into());
        let found: Vec<ConsentRow> = connection.fetch_all(query).await?;
        found.into_iter().map(Consent::try_from).collect()
    }

    async fn addresses(
        &self,
        account: AccountId,
        contact: ContactId,
    ) -> StoreResult<Vec<(Channel, Address)>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = messages::table
            .filter(messages::account_id.eq(RowId::from(account)))
            .filter(messages::contact_id.eq(RowId::from(contact)))
            .select((messages::channel, messages::address))
            .distinct();
        let found: Vec<(String, String)> = connection.fetch_all(query).await?;
        let found = found.into_iter().map(|(channel, address)| {
            let channel = Channel::parse(&channel).map_err(|fault| StoreError::Failed(fault.into()))?;
            Ok((channel, Address::from_stored(address)))
        });
        found.collect()
    }

    async fn address_holds(
        &self,
        account: AccountId,
        channel: Channel,
        address: &Address,
    ) -> StoreResult<Vec<AddressHold>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = address_holds::table
            .filter(address_holds::account_id.eq(RowId::from(account)))
            .filter(address_holds::address.eq(address.as_str()))
            .filter(address_holds::channel.eq(channel.as_str()))
            .order(address_holds::id.desc())
            .select(columns_of::<AddressHoldRow>());
        let found: Vec<AddressHoldRow> = connection.fetch_all(query).await?;
        found.into_iter().map(AddressHold::try_from).collect()
    }
}
