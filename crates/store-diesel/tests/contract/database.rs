//! The database of a test: its own and migrated, on each engine.

use std::any::Any;
use std::time::Duration;

use diesel::Connection;
use diesel::connection::SimpleConnection;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use kernel::Id;
use store_diesel::{Announce, DatabaseKind, Layout, Store, StoreOptions};
use tokio::runtime::Runtime;

/// A store on a database of its own.
pub(crate) struct TestDatabase {
    pub(crate) store: Store,
    pub(crate) url: String,
    pub(crate) layout: Layout,
    _dropped_with_the_test: Box<dyn Any>,
}

/// Runs a test on SQLite, on PostgreSQL where it is installed, and on a Citus cluster as [`on_citus`] does.
pub(crate) fn on_both(test: impl AsyncFn(&TestDatabase)) {
    on_one_server(&test);
    on_citus(&test);
}

/// Runs a test without a cluster, for plans and times of a single server.
pub(crate) fn on_one_server(test: impl AsyncFn(&TestDatabase)) {
    on_sqlite(&test);
    on_postgres(&test);
}

/// Runs a test on a Citus cluster, with `REQUIRE_CITUS=1`.
pub(crate) fn on_citus(test: impl AsyncFn(&TestDatabase)) {
    let Some(cluster) = testkit::citus::cluster() else {
        return;
    };
    let database = cluster.create_from_template("store_diesel", |url| {
        runtime().block_on(async {
            let store = open_as(url, Layout::ByAccount).await;
            store.upkeep.migrate_up().await.unwrap();
        });
    });
    let (url, layout) = (database.url(), Layout::ByAccount);
    runtime().block_on(async {
        let store = open_as(&url, layout).await;
        let db = TestDatabase { store, url, layout, _dropped_with_the_test: Box::new(database) };
        test(&db).await;
    });
}

pub(crate) fn on_sqlite(test: impl AsyncFn(&TestDatabase)) {
    runtime().block_on(async {
        let (guard, url) = testkit::sqlite::temporary();
        let store = open(&url).await;
        store.upkeep.migrate_up().await.unwrap();
        let layout = Layout::OneServer;
        let db = TestDatabase { store, url, layout, _dropped_with_the_test: Box::new(guard) };
        test(&db).await;
    });
}

pub(crate) fn on_postgres(test: impl AsyncFn(&TestDatabase)) {
    let Some(server) = testkit::postgres::server() else {
        return;
    };
    let url = server.create_from_template("store_diesel", |url| {
        runtime().block_on(async {
            let store = open(url).await;
            store.upkeep.migrate_up().await.unwrap();
        });
    });
    runtime().block_on(async {
        let (store, layout) = (open(&url).await, Layout::OneServer);
        let db = TestDatabase { store, url, layout, _dropped_with_the_test: Box::new(()) };
        test(&db).await;
    });
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

pub(crate) async fn open(url: &str) -> Store {
    open_as(url, Layout::OneServer).await
}

pub(crate) async fn open_as(url: &str, layout: Layout) -> Store {
    open_to_announce(url, layout, Announce::Here).await
}

async fn open_to_announce(url: &str, layout: Layout, announce: Announce) -> Store {
    let options = StoreOptions {
        layout,
        announce,
        // In one test fifty creations wait for one sequence, on a busy machine.
        acquire_timeout: Duration::from_secs(60),
        ..StoreOptions::default()
    };
    store_diesel::open(url, &options).await.unwrap()
}

impl TestDatabase {
    pub(crate) fn is_postgres(&self) -> bool {
        self.store.upkeep.kind() == DatabaseKind::Postgres
    }

    /// The same database, opened as by another process.
    pub(crate) async fn another_process(&self) -> Store {
        open_as(&self.url, self.layout).await
    }

    /// The same database, opened as by a command, which announces deliveries to every process, and therefore
    /// uses only the coordinator of a cluster.
    pub(crate) async fn a_command(&self) -> Store {
        open_to_announce(&self.url, self.layout, Announce::Everywhere).await
    }

    /// An id as an SQL literal.
    pub(crate) fn literal<E>(&self, id: Id<E>) -> String {
        let digits = id.uuid().simple();
        if self.is_postgres() { format!("'{digits}'") } else { format!("x'{digits}'") }
    }

    /// Runs a count that no port offers: `sql` selects one number as `count`.
    pub(crate) async fn count(&self, sql: &str) -> i64 {
        #[derive(diesel::QueryableByName)]
        struct Counted {
            #[diesel(sql_type = diesel::sql_types::BigInt)]
            count: i64,
        }
        let counted: Counted = if self.is_postgres() {
            let mut connection = AsyncPgConnection::establish(&self.url).await.unwrap();
            let query = diesel::sql_query(sql);
            diesel_async::RunQueryDsl::get_result(query, &mut connection).await.unwrap()
        } else {
            let path = self.url.strip_prefix("sqlite://").unwrap();
            let mut connection = diesel::SqliteConnection::establish(path).unwrap();
            connection.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
            let query = diesel::sql_query(sql);
            diesel::RunQueryDsl::get_result(query, &mut connection).unwrap()
        };
        counted.count
    }

    /// The columns that contain a text, in either case, also within bytes.
    pub(crate) async fn columns_with(&self, text: &str) -> Vec<String> {
        let columns = if self.is_postgres() {
            "SELECT table_name || ' ' || CASE data_type \
             WHEN 'bytea' THEN 'encode(\"' || column_name || '\", ''escape'')' \
             ELSE '\"' || column_name || '\"' END AS text \
             FROM information_schema.columns \
             WHERE table_schema = 'public' AND data_type IN ('text', 'bytea')"
        } else {
            "SELECT own.name || ' CAST(\"' || of.name || '\" AS text)' AS text \
             FROM sqlite_master own, pragma_table_info(own.name) of \
             WHERE own.type = 'table' AND lower(of.type) IN ('text', 'blob')"
        };
        let has = |column: &String| {
            let (table, value) = column.split_once(' ').unwrap();
            let name = value.split('"').nth(1).unwrap();
            format!(
                "SELECT '{table}.{name}' AS text WHERE EXISTS \
                 (SELECT 1 FROM {table} WHERE lower({value}) LIKE '%{}%')",
                text.to_lowercase()
            )
        };
        let all: Vec<String> = self.texts(columns).await.iter().map(has).collect();
        assert!(!all.is_empty(), "no columns are known");
        let mut found = self.texts(&all.join(" UNION ALL ")).await;
        found.sort_unstable();
        found
    }

    /// Runs a query that selects texts as `text`.
    async fn texts(&self, sql: &str) -> Vec<String> {
        #[derive(diesel::QueryableByName)]
        struct Selected {
            #[diesel(sql_type = diesel::sql_types::Text)]
            text: String,
        }
        let found: Vec<Selected> = if self.is_postgres() {
            let mut connection = AsyncPgConnection::establish(&self.url).await.unwrap();
            diesel_async::RunQueryDsl::load(diesel::sql_query(sql), &mut connection).await.unwrap()
        } else {
            let path = self.url.strip_prefix("sqlite://").unwrap();
            let mut connection = diesel::SqliteConnection::establish(path).unwrap();
            connection.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
            diesel::RunQueryDsl::load(diesel::sql_query(sql), &mut connection).unwrap()
        };
        found.into_iter().map(|one| one.text).collect()
    }

    /// Executes SQL that no port offers.
    pub(crate) async fn execute(&self, sql: &str) {
        if self.is_postgres() {
            let mut connection = AsyncPgConnection::establish(&self.url).await.unwrap();
            connection.batch_execute(sql).await.unwrap();
        } else {
            let path = self.url.strip_prefix("sqlite://").unwrap();
            let mut connection = diesel::SqliteConnection::establish(path).unwrap();
            connection.batch_execute(&format!("PRAGMA busy_timeout = 5000; {sql}")).unwrap();
        }
    }
}
