//! Servers that only read: a standby, or a database that was switched to read-only.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

use diesel_async::SimpleAsyncConnection as _;
use postgres_pool::{Pool, PoolOptions};

/// A pool of one connection to a database of its own; `None` without PostgreSQL.
fn pool() -> Option<Pool> {
    let url = testkit::postgres::server()?.create_from_template("postgres_pool", |_url| {});
    let options = PoolOptions { max_connections: 1, ..PoolOptions::default() };
    Some(Pool::new(&url, &options).unwrap())
}

#[tokio::test]
async fn connection_to_a_database_that_only_reads_is_not_kept() {
    let Some(pool) = pool() else {
        return;
    };
    let mut switching = pool.connect_unpooled().await.unwrap();
    let read_only = |on: &str| {
        format!(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = {on}', \
             current_database()); END $$"
        )
    };
    switching.batch_execute(&read_only("on")).await.unwrap();
    assert!(pool.get().await.is_err());
    switching.batch_execute(&read_only("off")).await.unwrap();
    let mut connection = pool.get().await.unwrap();
    let created = connection.start_statement().batch_execute("CREATE TABLE notes (id integer)").await;
    connection.end_statement();
    created.unwrap();
}

#[tokio::test]
async fn connection_whose_server_begins_to_refuse_writes_is_not_lent_again() {
    let Some(pool) = pool() else {
        return;
    };
    let create = "CREATE TABLE notes (id integer)";
    let mut connection = pool.get().await.unwrap();
    let switched = "SET default_transaction_read_only = on";
    connection.start_statement().batch_execute(switched).await.unwrap();
    connection.end_statement();
    connection.begin().unwrap();
    let refused = connection.start_statement().batch_execute(create).await.unwrap_err();
    connection.end_statement();
    connection.note_failure(&refused);
    connection.roll_back(());
    let mut other = pool.get().await.unwrap();
    other.start_statement().batch_execute(create).await.unwrap();
    other.end_statement();
}
