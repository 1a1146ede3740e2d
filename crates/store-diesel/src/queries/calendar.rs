//! Invoices of every account that the calendar moves.

use ::invoices::{Calendar, CalendarTx, Candidate, CandidatePlace, Status};
use async_trait::async_trait;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use kernel::StoreError;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::transaction::Purpose;
use super::unit_of_work::{EveryAccount, UnitOfWork};
use super::{Database, dialect};
use crate::rows::CandidateRow;
use crate::types::{Day, RowDay, RowId, RowInstant, Uid};

#[async_trait]
impl Calendar for Database {
    async fn begin(&self) -> Result<Box<dyn CalendarTx>, StoreError> {
        Ok(Box::new(UnitOfWork::with_purpose(self, EveryAccount, Purpose::Command)))
    }
}

#[async_trait]
impl CalendarTx for UnitOfWork<EveryAccount> {
    async fn candidates(
        &mut self,
        latest: Date,
        after: Option<CandidatePlace>,
        most: u32,
    ) -> Result<Vec<Candidate>, StoreError> {
        // Before the first place there is none: no day is earlier, no id is less.
        let (day, account, id) = match after {
            Some(place) => (
                place.status_changes_on,
                place.account.into(),
                place.id.into(),
            ),
            None => (
                time::macros::date!(0001 - 01 - 01),
                RowId(Uuid::nil()),
                RowId(Uuid::nil()),
            ),
        };
        let query = format!(
            "SELECT i.account_id, i.id, i.status, i.invoice_date, i.due_date, i.status_changes_on, a.time_zone \
             FROM invoices AS i JOIN accounts AS a ON a.id = i.account_id \
             WHERE i.status_changes_on <= $1 AND (i.status_changes_on, i.account_id, i.id) > ($2, $3, $4) \
             ORDER BY i.status_changes_on, i.account_id, i.id LIMIT $5{}",
            dialect::SKIP_HELD_INVOICES,
        );
        let found = diesel::sql_query(query)
            .bind::<Day, _>(RowDay(latest))
            .bind::<Day, _>(RowDay(day))
            .bind::<Uid, _>(account)
            .bind::<Uid, _>(id)
            .bind::<BigInt, _>(i64::from(most))
            .load::<CandidateRow>(self.tx.conn().await?)
            .await;
        let rows = self.tx.settle(found)?;
        rows.into_iter().map(Candidate::try_from).collect()
    }

    async fn move_to(
        &mut self,
        status: Status,
        invoices: &[CandidatePlace],
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let places = invoices
            .iter()
            .map(|place| (RowId::from(place.account), RowId::from(place.id)))
            .collect();
        let connection = self.tx.conn().await?;
        let moved = dialect::move_invoices(connection, status.as_str(), places, RowInstant(now));
        let moved = moved.await;
        self.tx.settle(moved)
    }
}
