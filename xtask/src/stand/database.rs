//! A throw-away database with the schema in it.

use std::path::Path;

use app::settings::Settings;
use app::settings::values::Secret;
use app::wiring::House;
use store_diesel::Announce;

use super::cluster::Cluster;
use super::kind::Kind;

/// A database, and the service's use cases over it.
pub(crate) struct Database {
    /// The server, where there is one; it goes with this.
    pub(crate) cluster: Option<Cluster>,
    /// The settings of a service on it.
    pub(crate) settings: Settings,
    pub(crate) house: House,
}

impl Database {
    /// Starts one; a file of SQLite is made in the folder. `None` where there is no PostgreSQL to start.
    pub(crate) async fn start(kind: Kind, folder: &Path) -> anyhow::Result<Option<Self>> {
        let cluster = match kind {
            Kind::Sqlite => None,
            Kind::Postgres => match Cluster::start()? {
                Some(cluster) => Some(cluster),
                None => return Ok(None),
            },
        };
        let url = match &cluster {
            Some(cluster) => cluster.url(),
            None => format!("sqlite://{}", folder.join("countinghouse.db").display()),
        };
        let mut settings = Settings::read()?;
        settings.database_url = Secret::new(url);
        settings.data_dir = folder.to_path_buf();
        let house = House::open(&settings, Announce::Everywhere).await?;
        let house = house.with_schema(true).await?;
        Ok(Some(Self {
            cluster,
            settings,
            house,
        }))
    }
}
