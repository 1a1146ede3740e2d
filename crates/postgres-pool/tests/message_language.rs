//! The language in which the server writes its messages.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

use diesel::dsl::sql;
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl as _, SimpleAsyncConnection as _};
use postgres_pool::{Pool, PoolOptions};

async fn language(mut connection: &AsyncPgConnection) -> String {
    let shown = diesel::select(sql::<Text>("current_setting('lc_messages')"));
    shown.get_result(&mut connection).await.unwrap()
}

#[tokio::test]
async fn messages_are_english_where_the_role_may_say_so() {
    let Some(server) = testkit::postgres::server() else {
        return;
    };
    let url = server.create_database();
    // Each server knows POSIX, and it is not what the connections ask for.
    let setup = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lc_messages = ''POSIX''', current_database()); END $$; \
                 CREATE ROLE message_language LOGIN;";
    let as_superuser = Pool::new(&url, &PoolOptions::default()).unwrap();
    as_superuser.connect_unpooled().await.unwrap().batch_execute(setup).await.unwrap();
    let as_other = url.replace("postgres@", "message_language@");
    let as_other = Pool::new(&as_other, &PoolOptions::default()).unwrap();
    for (pool, expected) in [(as_superuser, "C"), (as_other, "POSIX")] {
        assert_eq!(language(pool.get().await.unwrap().start_statement()).await, expected);
        assert_eq!(language(&pool.connect_unpooled().await.unwrap()).await, expected);
    }
}
