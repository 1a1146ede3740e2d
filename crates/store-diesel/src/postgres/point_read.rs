//! A query that finds one row by its unique key, and is answered at once.
//!
//! Such a query needs no connection to itself: it goes down its thread's line (see [`line`](super::line)), if there is one.

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use kernel::StoreError;

use super::line::OnLine;
use super::queries::Lease;
use crate::errors::store_error;

/// Where one query is run.
pub(super) enum PointRead {
    /// On the thread's line.
    Line(OnLine),
    /// On a connection of its own, for whoever has no line.
    Lease(Box<Lease>),
}

impl PointRead {
    /// The connection, to run the query on. [`PointRead::settle`] takes its result.
    pub(super) fn conn(&mut self) -> Result<&AsyncPgConnection, StoreError> {
        match self {
            Self::Line(line) => Ok(line.connection()),
            Self::Lease(lease) => lease.conn().map(|connection| &*connection),
        }
    }

    /// Takes the result of the query.
    pub(super) fn settle<T>(&mut self, result: QueryResult<T>) -> Result<T, StoreError> {
        match self {
            Self::Line(line) => {
                line.is_answered();
                result.map_err(store_error)
            }
            Self::Lease(lease) => lease.settle(result),
        }
    }
}
