//! The statement that claims an idempotency key, and what is looked up and locked together with it.

use contacts::ContactReference;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Binary, Bool, Integer, Nullable, Text};
use idempotency::Ticket;
use store_schema::rows::{ClaimRow, ContactRow};
use store_schema::types::{RowId, Uid};

use crate::dialect;

/// What is looked up and locked in one round trip.
pub(crate) struct Wanted {
    pub(crate) claim: Option<ClaimKey<true>>,
    pub(crate) account: RowId,
    /// The contacts to find.
    pub(crate) contact: Option<ContactReference>,
    /// Whether the account's sequence advances by one number, unless a claimed key is not fresh.
    pub(crate) takes_number: bool,
}

/// What was found.
#[derive(Default)]
pub(crate) struct FoundRows {
    pub(crate) claim: Option<ClaimRow>,
    pub(crate) contacts: Vec<ContactRow>,
    /// The number after the one that was taken.
    pub(crate) next: Option<i64>,
}

/// Locks a key until the transaction ends (with `LOCK`), and reads its stored response, in one statement.
///
/// The response is read in the snapshot from before the lock. A response committed in between, by a request
/// with the same key, is missed here; the unique index reports it when this request's response is stored.
///
/// Each of the two variants is one constant statement, so each connection prepares it once.
#[derive(QueryId)]
pub(crate) struct ClaimKey<const LOCK: bool> {
    lock_name: String,
    account: RowId,
    operation: &'static str,
    key: String,
}

impl<const LOCK: bool> ClaimKey<LOCK> {
    pub(super) fn new(account: RowId, ticket: &Ticket) -> Self {
        let (operation, key) = (ticket.operation.name(), ticket.key.as_str());
        Self {
            lock_name: format!("{} {operation} {key}", account.0),
            account,
            operation,
            key: key.to_owned(),
        }
    }
}

impl<const LOCK: bool> Query for ClaimKey<LOCK> {
    type SqlType = (Bool, Nullable<Binary>, Nullable<Integer>, Nullable<Binary>);
}

impl<const LOCK: bool> QueryFragment<dialect::Db> for ClaimKey<LOCK> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, dialect::Db>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        if LOCK {
            dialect::push_try_lock(&self.lock_name, out.reborrow())?;
        } else {
            out.push_sql("FALSE");
        }
        out.push_sql(
            " AS locked, stored.fingerprint, stored.status, stored.body \
             FROM (SELECT 1 AS one) AS one LEFT JOIN idempotency_keys AS stored ON stored.account_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND stored.operation = ");
        out.push_bind_param::<Text, _>(self.operation)?;
        out.push_sql(" AND stored.key = ");
        out.push_bind_param::<Text, _>(&self.key)
    }
}
