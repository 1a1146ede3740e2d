//! Mail: queued inside a transaction, in one statement.

use std::sync::OnceLock;

use ::mail::schedule::SCHEDULE;
use ::mail::{Audience, LeasedMail, NewMail, OutgoingMail, QueuedMail};
use async_trait::async_trait;
use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Nullable, Text};
use diesel_async::RunQueryDsl;
use kernel::{AccountId, PartnerId, StoreError};

use super::dialect::Db;
use super::endpoints::HasAccounts as _;
use super::letterheads;
use super::outbox::{Held, Kept, Table};
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;
use crate::errors::failed;
use crate::rows::LeasedMailRow;
use crate::types::{Instant, RowId, RowInstant, Uid};

#[async_trait]
impl OutgoingMail for UnitOfWork<AccountId> {
    async fn queue(&mut self, mail: NewMail) -> Result<(), StoreError> {
        let account = self.account();
        queue(&mut self.tx, account, mail).await
    }
}

#[async_trait]
impl OutgoingMail for UnitOfWork<PartnerId> {
    async fn queue(&mut self, mail: NewMail) -> Result<(), StoreError> {
        if !self.scope.lock(&mut self.tx, mail.account).await? {
            return Err(failed("the mail is of another partner's account"));
        }
        queue(&mut self.tx, mail.account.into(), mail).await
    }
}

async fn queue(tx: &mut Transaction, account: RowId, mail: NewMail) -> Result<(), StoreError> {
    let insert = InsertMail {
        account,
        id: mail.id.into(),
        resource_id: mail.resource_id.map(RowId),
        template: mail.template,
        audience: mail.audience,
        recipient: mail.to.as_str().to_owned(),
        payload: mail.payload,
        queued_at: RowInstant(mail.queued_at),
    };
    let written = insert.execute(tx.conn().await?).await;
    match tx.settle(written)? {
        1 => Ok(()),
        _ => Err(failed("the mail is of an account that is not there")),
    }
}

/// Inserts a mail, for a customer with the account's letterhead as it is now. The text is always the same, so
/// that it is prepared once on each connection.
#[derive(Debug)]
struct InsertMail {
    account: RowId,
    id: RowId,
    resource_id: Option<RowId>,
    template: &'static str,
    audience: Audience,
    recipient: String,
    payload: String,
    queued_at: RowInstant,
}

impl QueryId for InsertMail {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Db> for InsertMail {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        static LETTERHEAD: OnceLock<String> = OnceLock::new();
        out.push_sql(
            "INSERT INTO outgoing_mail (account_id, id, resource_id, template, recipient, payload, queued_at, due_at, state, \
             attempts, audience, letterhead) SELECT ",
        );
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Uid>, _>(&self.resource_id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(self.template)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.recipient)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.payload)?;
        out.push_sql(", ");
        out.push_bind_param::<Instant, _>(&self.queued_at)?;
        out.push_sql(", ");
        out.push_bind_param::<Instant, _>(&self.queued_at)?;
        out.push_sql(", 'waiting', 0, ");
        let audience: &'static str = self.audience.as_str();
        out.push_bind_param::<Text, _>(audience)?;
        out.push_sql(", CASE WHEN ");
        out.push_bind_param::<Text, _>(audience)?;
        out.push_sql(" = 'customer' THEN ");
        out.push_sql(LETTERHEAD.get_or_init(letterheads::json));
        out.push_sql(" END FROM ");
        out.push_sql(letterheads::FROM);
        out.push_bind_param::<Uid, _>(&self.account)
    }
}

/// Whether a mail is held: it is to a customer of an account that is disabled or has its communications off.
pub(super) const IS_HELD: &str = "(audience = 'customer' AND EXISTS (SELECT 1 FROM accounts \
    WHERE accounts.id = account_id AND (disabled_by_partner OR disabled_by_operator OR NOT communications_enabled)))";

impl Kept for QueuedMail {
    type Row = LeasedMailRow;

    const TABLE: Table = Table {
        name: "outgoing_mail",
        columns: "account_id, id, resource_id, template, recipient, payload, letterhead, queued_at, attempts",
        done: "sent",
        emptied: &["payload", "letterhead"],
        held: Some(Held {
            condition: IS_HELD,
            at_most: SCHEDULE.give_up_after,
            reason: "the account was switched off, or its communications were",
        }),
    };

    fn leased(row: LeasedMailRow) -> Result<LeasedMail, StoreError> {
        row.try_into()
    }
}
