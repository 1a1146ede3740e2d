//! A lent connection.

pub(super) use postgres_pool::PooledConnection as Pooled;
