//! Forms that were sent: claiming one, recording its result, deleting old ones.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use idempotency::{Begun, Submission, Submissions};
use kernel::StoreError;
use time::OffsetDateTime;

use super::database::Database;
use super::old_rows::Old;
use crate::schema::form_submissions as forms;
use crate::types::{RowId, RowInstant};

/// A submission that was claimed.
#[derive(Insertable)]
#[diesel(table_name = forms)]
struct FormSubmissionRow {
    account_id: RowId,
    once: RowId,
    fingerprint: Vec<u8>,
    begun_at: RowInstant,
}

#[async_trait]
impl Submissions for Database {
    async fn begin(&self, submission: &Submission, now: OffsetDateTime) -> Result<Begun, StoreError> {
        let row = FormSubmissionRow {
            account_id: submission.account.into(),
            once: RowId(submission.token.uuid()),
            fingerprint: submission.fingerprint.as_bytes().to_vec(),
            begun_at: RowInstant(now),
        };
        let mut connection = self.pool.of(row.account_id).write().await?;
        let insert = diesel::insert_into(forms::table).values(&row).on_conflict_do_nothing();
        let inserted = insert.execute(connection.conn()?).await;
        if connection.settle(inserted)? == 1 {
            return Ok(Begun::Fresh);
        }
        let found = forms::table
            .find((row.account_id, row.once))
            .select((forms::fingerprint, forms::result))
            .get_result::<(Vec<u8>, Option<String>)>(connection.conn()?)
            .await;
        Ok(match connection.settle(found.optional())? {
            // It was released in this moment.
            None => Begun::Unfinished,
            Some((fingerprint, _)) if fingerprint != row.fingerprint => Begun::OtherContent,
            Some((_, Some(result))) => Begun::Finished(result),
            Some((_, None)) => Begun::Unfinished,
        })
    }

    async fn finish(&self, submission: &Submission, result: &str) -> Result<(), StoreError> {
        let claimed = forms::table.find((RowId::from(submission.account), RowId(submission.token.uuid())));
        let mut connection = self.pool.of(submission.account.into()).write().await?;
        let update = diesel::update(claimed).set(forms::result.eq(Some(result)));
        let updated = update.execute(connection.conn()?).await;
        connection.settle(updated).map(|_one| ())
    }

    async fn release(&self, submission: &Submission) -> Result<(), StoreError> {
        let claimed = forms::table.find((RowId::from(submission.account), RowId(submission.token.uuid())));
        let mut connection = self.pool.of(submission.account.into()).write().await?;
        let delete = diesel::delete(claimed.filter(forms::result.is_null()));
        let deleted = delete.execute(connection.conn()?).await;
        connection.settle(deleted).map(|_one| ())
    }

    async fn forget_before(&self, instant: OffsetDateTime, most: u32) -> Result<u64, StoreError> {
        let old = Old {
            table: "form_submissions",
            key: "account_id, once",
            condition: "begun_at < $1",
            order: "begun_at",
        };
        old.remove(&self.pool, instant, most).await
    }
}
