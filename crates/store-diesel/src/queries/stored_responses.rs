//! Stored responses: claiming a key, storing a response, deleting old ones.

use async_trait::async_trait;
use contacts::ContactReference;
use diesel::prelude::*;
use diesel::sql_types::{Binary, Text};
use idempotency::{
    Claim, IdempotentOutcome, Rewrite, StoredResponse, StoredResponseStore, StoredResponses,
    StoredResponsesTx, Ticket,
};
use kernel::{AccountId, StoreResult};
use store_schema::rows::{ClaimRow, StoredResponseRow};
use store_schema::schema::idempotency_keys as table;
use store_schema::types::Uid;
use time::OffsetDateTime;

use super::claim_statement::{ClaimKey, FoundRows, Wanted};
use super::database::Database;
use super::old_rows::Old;
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::claim_key::claim_key;
use crate::dialect::{POSITION_IN_BODY_BEGIN, POSITION_IN_BODY_END};

/// The key of a stored response within its account.
#[derive(QueryableByName)]
struct FoundKey {
    #[diesel(sql_type = Text)]
    operation: String,
    #[diesel(sql_type = Text)]
    key: String,
}

#[async_trait]
impl StoredResponseStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn StoredResponsesTx>> {
        Ok(Box::new(UnitOfWork::of_account(self, account)))
    }

    async fn prune(&self, instant: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        let old = Old {
            table: "idempotency_keys",
            key: "account_id, operation, key",
            condition: "stored_at < $1",
            order: "stored_at",
        };
        old.remove(&self.pool, instant, limit).await
    }
}

#[async_trait]
impl StoredResponses for UnitOfWork<AccountId> {
    async fn claim(&mut self, ticket: &Ticket) -> StoreResult<Claim> {
        self.claim_with(Some(ticket), None, false).await.map(|(claim, _none)| claim)
    }

    async fn store(&mut self, ticket: &Ticket, response: &StoredResponse) -> StoreResult<()> {
        self.tx.store_response(StoredResponseRow::new(self.account(), ticket, response));
        Ok(())
    }

    async fn rewrite(&mut self, containing: &str, rewrite: &Rewrite<'_>) -> StoreResult<()> {
        let account = self.account();
        let found = diesel::sql_query(format!(
            "SELECT operation, key FROM idempotency_keys WHERE account_id = $1 \
             AND {POSITION_IN_BODY_BEGIN}$2{POSITION_IN_BODY_END} > 0"
        ));
        let found = found.bind::<Uid, _>(account).bind::<Binary, _>(containing.as_bytes().to_vec());
        let found: Vec<FoundKey> = self.tx.fetch_all(found).await?;
        // One body at a time, since there may be many.
        for FoundKey { operation, key } in found {
            let one = table::table
                .filter(table::account_id.eq(account))
                .filter(table::operation.eq(operation))
                .filter(table::key.eq(key));
            let body: Option<Vec<u8>> = self.tx.fetch_optional(one.clone().select(table::body)).await?;
            if let Some(body) = body.and_then(|body| rewrite(&body)) {
                self.tx.execute(diesel::update(one).set(table::body.eq(body))).await?;
            }
        }
        Ok(())
    }
}

impl UnitOfWork<AccountId> {
    /// Claims a key, if there is one, and looks up and locks the rest in the same round trip.
    pub(super) async fn claim_with(
        &mut self,
        ticket: Option<&Ticket>,
        contact: Option<&ContactReference>,
        takes_number: bool,
    ) -> StoreResult<(Claim, FoundRows)> {
        let account = self.account();
        let mut wanted = Wanted { claim: None, account, contact: contact.cloned(), takes_number };
        if let Some(ticket) = ticket {
            let Some(in_flight_key) = self.in_flight_keys.take(account, ticket).await else {
                return Ok((self.claim_locked_in_this_process(ticket).await?, FoundRows::default()));
            };
            self.tx.keep_in_flight_key(in_flight_key);
            wanted.claim = Some(ClaimKey::new(account, ticket));
        } else if wanted.contact.is_none() && !wanted.takes_number {
            return Ok((Claim::Fresh, FoundRows::default()));
        }
        let mut found = claim_key(&mut self.tx, wanted).await?;
        let claim = match (ticket, found.claim.take()) {
            (Some(ticket), Some(claimed)) => {
                let locked = claimed.locked;
                // A stored response counts even if another request holds the key: that request is a replay,
                // which reads the response.
                match claimed.settled(account, ticket)? {
                    Some(settled) => Claim::Taken(settled),
                    None if locked => Claim::Fresh,
                    None => Claim::Taken(IdempotentOutcome::InFlight),
                }
            }
            _ => Claim::Fresh,
        };
        Ok((claim, found))
    }

    /// Handles a key that another request of this process holds: either the first request, which has no
    /// response yet, or a replay, which reads the stored response; then this request can read it too.
    async fn claim_locked_in_this_process(&self, ticket: &Ticket) -> StoreResult<Claim> {
        let mut connection = self.tx.read_outside_transaction().await?;
        let query = ClaimKey::<false>::new(self.account(), ticket);
        let found: ClaimRow = connection.fetch_one(query).await?;
        let settled = found.settled(self.account(), ticket)?;
        Ok(Claim::Taken(settled.unwrap_or(IdempotentOutcome::InFlight)))
    }
}
