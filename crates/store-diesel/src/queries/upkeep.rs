//! Upkeep of the database.

use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer};
use kernel::{StoreError, StoreResult};
use store_schema::ports::{DatabaseKind, MetadataKey, Migrations, PoolStatus, Upkeep};
use store_schema::schema::{applied_migrations, service_metadata as metadata};

use super::database::Database;
use super::run_statements::RunStatements as _;
use crate::dialect::{self, Db};
use crate::migrations;

#[async_trait]
impl Upkeep for Database {
    async fn ping(&self) -> StoreResult<()> {
        let mut connection = self.pool.read_shared().await?;
        let _one: i32 = connection.fetch_one(diesel::select(sql::<Integer>("1"))).await?;
        Ok(())
    }

    async fn migrations(&self) -> StoreResult<Migrations> {
        // Runs on the thread of the health checks, and takes no connection of a serving thread.
        let mut connection = self.pool.read_shared().await?;
        let has_begun: bool =
            connection.fetch_one(diesel::select(sql::<Bool>(migrations::HAS_BEGUN))).await?;
        let applied = if has_begun {
            let query = applied_migrations::table
                .order(applied_migrations::version)
                .select(applied_migrations::version);
            connection.fetch_all(query).await?
        } else {
            Vec::new()
        };
        store_schema::migration_set::sort::<Db>(&migrations::MIGRATIONS, applied).map_err(StoreError::Failed)
    }

    async fn migrate_up(&self) -> StoreResult<Migrations> {
        migrations::up(&self.pool).await?;
        self.migrations().await
    }

    async fn migrate_down(&self) -> StoreResult<Migrations> {
        migrations::down(&self.pool).await?;
        self.migrations().await
    }

    async fn placement_faults(&self) -> StoreResult<Vec<String>> {
        migrations::placement_faults(&self.pool).await
    }

    async fn metadata(&self, key: MetadataKey) -> StoreResult<Option<Vec<u8>>> {
        let mut connection = self.pool.read().await?;
        let query = metadata::table.filter(metadata::name.eq(key.name())).select(metadata::value);
        connection.fetch_optional(query).await
    }

    async fn metadata_or_insert(&self, key: MetadataKey, value: &[u8]) -> StoreResult<Vec<u8>> {
        let mut connection = self.pool.write().await?;
        let statement = diesel::insert_into(metadata::table)
            .values((metadata::name.eq(key.name()), metadata::value.eq(value)))
            .on_conflict_do_nothing();
        connection.execute(statement).await?;
        drop(connection);
        Ok(self.metadata(key).await?.unwrap_or_default())
    }

    async fn replace_metadata(&self, key: MetadataKey, old: &[u8], new: &[u8]) -> StoreResult<()> {
        let stands = metadata::table.filter(metadata::name.eq(key.name())).filter(metadata::value.eq(old));
        let mut connection = self.pool.write().await?;
        connection.execute(diesel::update(stands).set(metadata::value.eq(new))).await?;
        Ok(())
    }

    async fn set_metadata(&self, key: MetadataKey, value: &[u8]) -> StoreResult<()> {
        let mut connection = self.pool.write().await?;
        let statement = diesel::insert_into(metadata::table)
            .values((metadata::name.eq(key.name()), metadata::value.eq(value)))
            .on_conflict(metadata::name)
            .do_update()
            .set(metadata::value.eq(value));
        connection.execute(statement).await?;
        Ok(())
    }

    async fn roll_backs_ended(&self) {
        self.pool.roll_backs_ended().await;
    }

    fn kind(&self) -> DatabaseKind {
        dialect::KIND
    }

    fn pool_status(&self) -> PoolStatus {
        self.pool.status()
    }
}
