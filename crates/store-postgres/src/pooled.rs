//! A lent connection: reads in one snapshot, and COMMIT.

use std::future::Ready;

use diesel::QueryResult;
use postgres_pool::LastStatement;
use store_schema::in_flight_keys::InFlightKey;
use store_schema::layout::Layout;
use store_schema::schema::{charges, idempotency_keys, payments};

use super::dialect::Connection;
use super::insert_invoice::{insert_generated, insert_generated_apart};
use super::publish::{Publish, publish_apart};
use super::queries::last_rows::LastRows;

pub(super) use postgres_pool::PooledConnection as Pooled;

/// The connection, to run one statement on.
pub(super) fn start_statement(pooled: &mut Pooled) -> Option<&mut Connection> {
    Some(pooled.start_statement())
}

/// `None`: the server commits a statement that is not in a transaction by itself.
pub(super) const fn commit_statement(_pooled: &mut Pooled) -> Option<Ready<QueryResult<()>>> {
    None
}

/// Begins a read-only transaction with one snapshot.
pub(super) async fn begin_reading(pooled: &mut Pooled) -> QueryResult<()> {
    pooled.begin_read_only()
}

/// Ends the read-only transaction.
pub(super) async fn end_reading(pooled: &mut Pooled) -> QueryResult<()> {
    pooled.end_read_only()
}

/// Writes the last rows and commits, in one round trip. The in-flight key stays with the transaction: after a
/// failed COMMIT it is released after the roll-back. Returns whether a published event has a delivery.
pub(super) async fn commit(
    pooled: &mut Pooled,
    mut last: LastRows,
    layout: Layout,
    everywhere: bool,
    _key: &mut Option<InFlightKey>,
) -> QueryResult<bool> {
    let mut published = false;
    if layout.is_distributed() {
        for publication in last.publications.drain(..) {
            let has_deliveries = publish_apart(pooled.start_statement(), &publication, everywhere).await;
            pooled.end_statement();
            published |= has_deliveries?;
        }
        if let Some((invoice, lines)) = last.invoice.take() {
            let inserted = insert_generated_apart(pooled.start_statement(), invoice, lines).await;
            pooled.end_statement();
            inserted?;
        }
    }
    let mut statements: Vec<Box<dyn LastStatement>> = Vec::new();
    for publication in last.publications {
        statements.push(match everywhere {
            true => Box::new(Publish::<true>(publication)),
            false => Box::new(Publish::<false>(publication)),
        });
    }
    let publications = statements.len();
    if let Some((invoice, lines)) = last.invoice {
        statements.push(Box::new(insert_generated(invoice, lines)));
    }
    if let Some((payment, invoice)) = last.paid {
        statements.push(Box::new(diesel::insert_into(payments::table).values(payment)));
        statements.push(Box::new(invoice));
    }
    for row in last.charges {
        statements.push(Box::new(diesel::insert_into(charges::table).values(row)));
    }
    for job in last.jobs {
        statements.push(Box::new(job));
    }
    if let Some(row) = last.response {
        statements.push(Box::new(diesel::insert_into(idempotency_keys::table).values(row)));
    }
    let changed = pooled.commit(statements).await?;
    Ok(published || changed.iter().take(publications).any(|rows| *rows > 0))
}
