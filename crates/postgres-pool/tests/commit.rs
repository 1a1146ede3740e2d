//! COMMIT with last statements, tested against a server.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

use std::any::TypeId;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection as _};
use futures_util::future::BoxFuture;
use postgres_pool::{LastStatement, Pool, PoolOptions, PooledConnection};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

diesel::table! {
    notes (id) {
        id -> Integer,
    }
}

async fn insert(connection: &mut PooledConnection, id: i32) {
    let statement = diesel::insert_into(notes::table).values(notes::id.eq(id));
    let inserted = statement.execute(connection.start_statement()).await;
    connection.end_statement();
    inserted.unwrap();
}

async fn ids(connection: &mut PooledConnection) -> Vec<i32> {
    let query = notes::table.select(notes::id).order(notes::id);
    let ids = query.load(connection.start_statement()).await;
    connection.end_statement();
    ids.unwrap()
}

#[tokio::test]
async fn commit_with_last_statements_is_all_or_nothing() {
    let Some(server) = testkit::postgres::server() else {
        return;
    };
    let url = server.create_from_template("postgres_pool", |_url| {});
    let options = PoolOptions { max_connections: 1, ..PoolOptions::default() };
    let pool = Pool::new(&url, &options).unwrap();
    let mut connection = pool.get().await.unwrap();
    let table = "CREATE TABLE notes (id integer PRIMARY KEY)";
    connection.start_statement().batch_execute(table).await.unwrap();
    connection.end_statement();
    // First unprepared, then prepared; each with last statements that succeed and with one that fails.
    let mut expected = Vec::new();
    for (first, last) in [(0, 0), (1, 2), (3, 2), (4, 5), (6, 5)] {
        connection.begin().unwrap();
        insert(&mut connection, first).await;
        let last_statement = diesel::insert_into(notes::table).values(notes::id.eq(last));
        let of_another_type = diesel::insert_into(notes::table).values((notes::id.eq(last + 100),));
        let committed = connection.commit(vec![Box::new(last_statement), Box::new(of_another_type)]).await;
        let is_new = first != last && !expected.contains(&last);
        assert_eq!(committed.is_ok(), is_new, "{first} and {last}");
        if is_new {
            expected.extend([first, last, last + 100]);
            expected.sort_unstable();
        } else {
            connection.roll_back(());
            connection = pool.get().await.unwrap();
        }
        assert_eq!(ids(&mut connection).await, expected);
    }
}

/// A statement whose first poll returns the response, as when the thread did not run for a while.
struct AnsweredAtOnce<S>(S);

impl<S: LastStatement + 'static> LastStatement for AnsweredAtOnce<S> {
    fn cached_as(&self) -> Option<TypeId> {
        self.0.cached_as()
    }

    fn execute(self: Box<Self>, connection: &AsyncPgConnection) -> BoxFuture<'_, QueryResult<usize>> {
        let executing = Box::new(self.0).execute(connection);
        Box::pin(async { block_in_place(|| Handle::current().block_on(executing)) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_of_last_statement_are_counted_however_soon_it_is_answered() {
    let Some(server) = testkit::postgres::server() else {
        return;
    };
    let url = server.create_from_template("postgres_pool", |_url| {});
    let options = PoolOptions { max_connections: 1, ..PoolOptions::default() };
    let mut connection = Pool::new(&url, &options).unwrap().get().await.unwrap();
    let table = "CREATE TABLE notes (id integer PRIMARY KEY)";
    connection.start_statement().batch_execute(table).await.unwrap();
    connection.end_statement();
    // First unprepared, then prepared.
    for id in [0, 10] {
        connection.begin().unwrap();
        let statement = diesel::insert_into(notes::table).values(notes::id.eq(id));
        let of_another_type = diesel::insert_into(notes::table).values((notes::id.eq(id + 1),));
        let last: Vec<Box<dyn LastStatement>> =
            vec![Box::new(AnsweredAtOnce(statement)), Box::new(of_another_type)];
        assert_eq!(connection.commit(last).await.unwrap(), [1, 1]);
    }
    assert_eq!(ids(&mut connection).await, [0, 1, 10, 11]);
}

#[tokio::test]
async fn connection_dropped_in_transaction_is_closed() {
    let Some(server) = testkit::postgres::server() else {
        return;
    };
    let url = server.create_from_template("postgres_pool", |_url| {});
    let options = PoolOptions { max_connections: 1, ..PoolOptions::default() };
    let pool = Pool::new(&url, &options).unwrap();
    for _ in 0..2 {
        let mut connection = pool.get().await.unwrap();
        connection.begin().unwrap();
        let table = "CREATE TABLE notes (id integer PRIMARY KEY)";
        connection.start_statement().batch_execute(table).await.unwrap();
        connection.end_statement();
    }
}
