//! Messages of an account, inside a transaction.

use ::invoices::InvoiceId;
use async_trait::async_trait;
use communications::{
    CommunicationsStore, CommunicationsTx, Message, MessageId, Messages, RemovedMessage, StateChange,
    WaitingMail,
};
use contacts::ContactId;
use diesel::prelude::*;
use kernel::{AccountId, Named as _, StoreResult};
use store_schema::errors::failed;
use store_schema::rows::MessageRow;
use store_schema::rows::row_ref::RowRef;
use store_schema::schema::{accounts, inbound_messages, message_invoices, messages};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::erasure;
use super::id_lists::MAX_LISTED;
use super::reminder_account;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use super::update_message::UpdateMessage;
use crate::dialect::{Locked, insert_rows};

#[async_trait]
impl CommunicationsStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn CommunicationsTx>> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }
}

#[async_trait]
impl Messages for UnitOfWork<AccountId> {
    async fn insert(&mut self, message: &Message, invoices: &[InvoiceId]) -> StoreResult<()> {
        let row = self.message_row(message)?;
        self.tx.execute(diesel::insert_into(messages::table).values(&row)).await?;
        for invoice in invoices {
            let values = (
                message_invoices::account_id.eq(self.account()),
                message_invoices::message_id.eq(row.id),
                message_invoices::invoice_id.eq(RowId::from(*invoice)),
            );
            let insert = diesel::insert_into(message_invoices::table).values(values);
            self.tx.execute(insert).await?;
        }
        Ok(())
    }

    async fn insert_all(&mut self, messages: &[(Message, Vec<InvoiceId>)]) -> StoreResult<()> {
        let (mut rows, mut lists) = (Vec::new(), Vec::new());
        for (message, invoices) in messages {
            let row = self.message_row(message)?;
            lists.extend(invoices.iter().map(|invoice| {
                (
                    message_invoices::account_id.eq(row.account_id),
                    message_invoices::message_id.eq(row.id),
                    message_invoices::invoice_id.eq(RowId::from(*invoice)),
                )
            }));
            rows.push(row);
        }
        let inserted = insert_rows(self.tx.conn().await?, messages::table, rows).await;
        self.tx.settle(inserted)?;
        let inserted = insert_rows(self.tx.conn().await?, message_invoices::table, lists).await;
        self.tx.settle(inserted)
    }

    async fn lock(&mut self, id: MessageId) -> StoreResult<Option<Message>> {
        let row = Locked(
            messages::table.find((self.account(), RowId::from(id))).select(columns_of::<MessageRow>()),
        );
        let found: Option<MessageRow> = self.tx.fetch_optional(row).await?;
        found.map(Message::try_from).transpose()
    }

    async fn lock_texts_left(&mut self, now: OffsetDateTime) -> StoreResult<bool> {
        let own = Locked(accounts::table.filter(accounts::id.eq(self.account())).select((
            accounts::id,
            accounts::time_zone,
            accounts::monthly_message_limit,
        )));
        let Some(locked) = self.tx.fetch_optional(own).await? else {
            return Ok(false);
        };
        let left = reminder_account::has_texts_left(locked, now, self.tx.conn().await?).await;
        self.tx.settle(left)
    }

    async fn update(&mut self, message: &Message) -> StoreResult<()> {
        let row = self.message_row(message)?;
        self.tx.execute(UpdateMessage::new(&row)).await?;
        Ok(())
    }

    async fn remove_invoice(&mut self, id: MessageId, invoice: InvoiceId) -> StoreResult<()> {
        let statement = diesel::delete(message_invoices::table)
            .filter(message_invoices::account_id.eq(self.account()))
            .filter(message_invoices::message_id.eq(RowId::from(id)))
            .filter(message_invoices::invoice_id.eq(RowId::from(invoice)));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn find_inbound(
        &mut self,
        internet_id: Option<&str>,
        content_digest: &[u8; 32],
    ) -> StoreResult<Option<MessageId>> {
        let Some(internet_id) = internet_id else {
            return Ok(None);
        };
        let query = messages::table
            .filter(messages::account_id.eq(self.account()))
            .filter(messages::internet_id.eq(internet_id))
            .filter(messages::direction.eq("in"))
            .filter(messages::content_digest.eq(content_digest.as_slice()))
            .select(messages::id)
            .limit(1);
        let found: Option<RowId> = self.tx.fetch_optional(query).await?;
        Ok(found.map(RowId::id))
    }

    async fn settle_inbound(
        &mut self,
        inbound: MessageId,
        change: StateChange,
        message: MessageId,
    ) -> StoreResult<bool> {
        let statement = diesel::update(inbound_messages::table)
            .filter(inbound_messages::id.eq(RowId::from(inbound)))
            .filter(inbound_messages::state.eq(change.from.as_str()))
            .set((
                inbound_messages::state.eq(change.to.as_str()),
                inbound_messages::account_id.eq(self.account()),
                inbound_messages::message_id.eq(RowId::from(message)),
            ));
        let updated = self.tx.execute(statement).await?;
        Ok(updated > 0)
    }

    async fn erase(&mut self, contact: ContactId) -> StoreResult<Vec<RemovedMessage>> {
        let account = self.account();
        let own = messages::table
            .filter(messages::account_id.eq(account))
            .filter(messages::contact_id.eq(RowId::from(contact)));
        // Locked: an attempt at one of them may begin or end meanwhile, and an answer to one may be written.
        let columns = (messages::id, messages::state, messages::began_at);
        let found: Vec<(RowId, String, Option<RowInstant>)> =
            self.tx.fetch_all(Locked(own.order(messages::id).select(columns))).await?;
        let ids: Vec<RowId> = found.iter().map(|(id, ..)| *id).collect();
        let removed = found.into_iter().map(|(id, state, began_at)| {
            let row_ref = RowRef { table: "messages", id };
            let state = row_ref.named("state", &state)?;
            Ok(RemovedMessage { id: id.id(), state, began_at: began_at.map(|at| at.0) })
        });
        let removed = removed.collect::<StoreResult<_>>()?;
        for ids in ids.chunks(MAX_LISTED) {
            let lists = message_invoices::table
                .filter(message_invoices::account_id.eq(account))
                .filter(message_invoices::message_id.eq_any(ids));
            self.tx.execute(diesel::delete(lists)).await?;
            let statement = diesel::update(inbound_messages::table)
                .filter(inbound_messages::account_id.eq(account))
                .filter(inbound_messages::message_id.eq_any(ids))
                .set((
                    inbound_messages::content.eq(None::<Vec<u8>>),
                    inbound_messages::sender.eq(None::<String>),
                ));
            self.tx.execute(statement).await?;
        }
        self.tx.execute(diesel::delete(own)).await?;
        Ok(removed)
    }

    async fn give_up_mail(
        &mut self,
        contact: ContactId,
        sent: &[MessageId],
        reason: &str,
        now: OffsetDateTime,
    ) -> StoreResult<Vec<WaitingMail>> {
        let account = self.account();
        erasure::of_notices(&mut self.tx, account, contact, reason, now).await?;
        erasure::of_messages(&mut self.tx, account, contact, reason, now).await?;
        erasure::of_mail(&mut self.tx, (account, contact), sent, reason, now).await
    }
}

impl UnitOfWork<AccountId> {
    fn message_row(&self, message: &Message) -> StoreResult<MessageRow> {
        if message.account == self.scope {
            Ok(MessageRow::from(message))
        } else {
            Err(failed("the message is of another account"))
        }
    }
}
