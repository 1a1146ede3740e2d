//! Mail: queued inside a transaction.

use ::mail::schedule::SCHEDULE;
use ::mail::{LeasedMail, OutgoingMail, QueuedMail};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, PartnerId, StoreError};

use super::endpoints::HasAccounts as _;
use super::outbox::{Kept, Table, WAITING};
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;
use crate::errors::failed;
use crate::rows::{LeasedMailRow, message};
use crate::schema::outgoing_mail as table;
use crate::types::{RowId, RowInstant};

#[async_trait]
impl OutgoingMail for UnitOfWork<AccountId> {
    async fn queue(&mut self, mail: &QueuedMail) -> Result<(), StoreError> {
        let account = self.account();
        queue(&mut self.tx, account, mail).await
    }
}

#[async_trait]
impl OutgoingMail for UnitOfWork<PartnerId> {
    async fn queue(&mut self, mail: &QueuedMail) -> Result<(), StoreError> {
        if !self.scope.lock(&mut self.tx, mail.account).await? {
            return Err(failed("the mail is of another partner's account"));
        }
        queue(&mut self.tx, mail.account.into(), mail).await
    }
}

async fn queue(tx: &mut Transaction, account: RowId, mail: &QueuedMail) -> Result<(), StoreError> {
    let written = diesel::insert_into(table::table)
        .values((
            table::account_id.eq(account),
            table::id.eq(RowId::from(mail.id)),
            table::resource_id.eq(mail.about.map(RowId)),
            table::message.eq(message::to_json(&mail.message)),
            table::queued_at.eq(RowInstant(mail.queued_at)),
            table::state.eq(WAITING),
            table::attempts.eq(0_i64),
            table::due_at.eq(RowInstant(mail.queued_at)),
        ))
        .execute(tx.conn().await?)
        .await;
    tx.settle(written).map(|_one| ())
}

impl Kept for QueuedMail {
    type Row = LeasedMailRow;

    const TABLE: Table = Table {
        name: "outgoing_mail",
        columns: "account_id, id, resource_id, message, queued_at, attempts",
        done: "sent",
        emptied: Some("message"),
        held_at_most: Some(SCHEDULE.give_up_after),
    };

    fn leased(row: LeasedMailRow) -> Result<LeasedMail, StoreError> {
        row.try_into()
    }
}
