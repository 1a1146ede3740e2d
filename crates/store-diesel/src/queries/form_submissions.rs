//! Form submissions: claiming one, recording its result, deleting old ones.

use async_trait::async_trait;
use diesel::prelude::*;
use idempotency::{Submission, SubmissionClaim, Submissions};
use kernel::StoreResult;
use store_schema::schema::form_submissions as forms;
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::database::Database;
use super::old_rows::Old;
use super::run_statements::RunStatements as _;

/// A claimed submission.
#[derive(Insertable)]
#[diesel(table_name = forms)]
struct FormSubmissionRow {
    account_id: RowId,
    token: RowId,
    fingerprint: Vec<u8>,
    begun_at: RowInstant,
}

#[async_trait]
impl Submissions for Database {
    async fn begin(&self, submission: &Submission, now: OffsetDateTime) -> StoreResult<SubmissionClaim> {
        let row = FormSubmissionRow {
            account_id: submission.account.into(),
            token: RowId(submission.token.uuid()),
            fingerprint: submission.fingerprint.as_bytes().to_vec(),
            begun_at: RowInstant(now),
        };
        let mut connection = self.pool.of(row.account_id).write().await?;
        let insert = diesel::insert_into(forms::table).values(&row).on_conflict_do_nothing();
        let inserted = connection.execute(insert).await?;
        if inserted == 1 {
            return Ok(SubmissionClaim::Fresh);
        }
        let query =
            forms::table.find((row.account_id, row.token)).select((forms::fingerprint, forms::result));
        drop(connection);
        let mut connection = self.pool.of(row.account_id).read().await?;
        let found: Option<(Vec<u8>, Option<String>)> = connection.fetch_optional(query).await?;
        Ok(match found {
            // Another request released the submission in between.
            None => SubmissionClaim::Unfinished,
            Some((fingerprint, _)) if fingerprint != row.fingerprint => SubmissionClaim::OtherContent,
            Some((_, Some(result))) => SubmissionClaim::Finished(result),
            Some((_, None)) => SubmissionClaim::Unfinished,
        })
    }

    async fn finish(&self, submission: &Submission, result: &str) -> StoreResult<()> {
        let claimed = forms::table.find((RowId::from(submission.account), RowId(submission.token.uuid())));
        let mut connection = self.pool.of(submission.account.into()).write().await?;
        let update = diesel::update(claimed).set(forms::result.eq(Some(result)));
        connection.execute(update).await?;
        Ok(())
    }

    async fn release(&self, submission: &Submission) -> StoreResult<()> {
        let claimed = forms::table.find((RowId::from(submission.account), RowId(submission.token.uuid())));
        let mut connection = self.pool.of(submission.account.into()).write().await?;
        let delete = diesel::delete(claimed.filter(forms::result.is_null()));
        connection.execute(delete).await?;
        Ok(())
    }

    async fn prune(&self, instant: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        let old = Old {
            table: "form_submissions",
            key: "account_id, token",
            condition: "begun_at < $1",
            order: "begun_at",
        };
        old.remove(&self.pool, instant, limit).await
    }
}
