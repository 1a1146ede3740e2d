//! Mail: queued inside a transaction, leased and settled outside any.

use ::mail::{
    Lease as MailLease, LeasedMail, MailQueue, Outcome, OutgoingMail, QueuedMail, Recorded,
};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, PartnerId, StoreError};
use time::{Duration, OffsetDateTime};

use super::endpoints::HasAccounts as _;
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;
use super::{Database, dialect};
use crate::errors::failed;
use crate::rows::{LeasedMailRow, message};
use crate::schema::outgoing_mail as table;
use crate::types::{Instant, RowId, RowInstant};

const WAITING: &str = "waiting";

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
        if !self.scope.hold(&mut self.tx, mail.account).await? {
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
            table::about.eq(mail.about.map(RowId)),
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

#[async_trait]
impl MailQueue for Database {
    async fn lease_due(
        &self,
        now: OffsetDateTime,
        lease_for: Duration,
        most: u32,
    ) -> Result<Vec<LeasedMail>, StoreError> {
        // A lease moves the time at which the mail is due to the lease's own end: nothing else is needed to hold it.
        let query = format!(
            "WITH due AS MATERIALIZED (SELECT account_id, id FROM outgoing_mail \
             WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at LIMIT $2{}) \
             UPDATE outgoing_mail SET attempts = attempts + 1, due_at = $3 \
             WHERE (account_id, id) IN (SELECT account_id, id FROM due) \
             RETURNING account_id, id, about, message, queued_at, attempts",
            dialect::SKIP_LOCKED,
        );
        let query = diesel::sql_query(query)
            .bind::<Instant, _>(RowInstant(now))
            .bind::<BigInt, _>(i64::from(most))
            .bind::<Instant, _>(RowInstant(now + lease_for));
        let mut lease = self.pool.write().await?;
        let rows = query.load::<LeasedMailRow>(lease.conn()?).await;
        let rows = lease.settle(rows)?;
        let mails: Result<Vec<_>, _> = rows.into_iter().map(LeasedMail::try_from).collect();
        let mut mails = mails?;
        mails.sort_by_key(|leased| (leased.mail.queued_at, leased.mail.id));
        Ok(mails)
    }

    async fn record(&self, of: MailLease, outcome: &Outcome) -> Result<Recorded, StoreError> {
        let waiting = table::table
            .filter(table::account_id.eq(RowId::from(of.account)))
            .filter(table::id.eq(RowId::from(of.id)))
            .filter(table::state.eq(WAITING));
        let latest = waiting.filter(table::attempts.eq(i64::from(of.attempt)));
        let mut lease = self.pool.write().await?;
        let connection = lease.conn()?;
        let recorded = match outcome {
            Outcome::Sent { at } => {
                diesel::update(waiting)
                    .set((
                        table::state.eq("sent"),
                        table::finished_at.eq(Some(RowInstant(*at))),
                        table::message.eq(None::<String>),
                        table::reason.eq(None::<String>),
                    ))
                    .execute(connection)
                    .await
            }
            Outcome::Retry {
                next_attempt_at,
                reason,
                ..
            } => {
                diesel::update(latest)
                    .set((
                        table::due_at.eq(RowInstant(*next_attempt_at)),
                        table::reason.eq(Some(reason)),
                    ))
                    .execute(connection)
                    .await
            }
            Outcome::GivenUp { at, reason } => {
                diesel::update(latest)
                    .set((
                        table::state.eq("given_up"),
                        table::finished_at.eq(Some(RowInstant(*at))),
                        table::reason.eq(Some(reason)),
                    ))
                    .execute(connection)
                    .await
            }
        };
        Ok(match lease.settle(recorded)? {
            0 => Recorded::LeaseLost,
            _ => Recorded::Done,
        })
    }
}
