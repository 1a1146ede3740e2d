//! A throw-away database with the schema in it.

use app::settings::Secret;
use app::settings::Settings;
use app::wiring::Dependencies;
use store_diesel::Announce;
use tempfile::TempDir;

use super::cluster::Cluster;
use super::kind::Kind;

/// A database, and the service's use cases over it.
pub(crate) struct Database {
    /// The data directory of a service on it, where the file of SQLite is. It goes with this.
    pub(crate) folder: TempDir,
    /// The server, where there is one; it goes with this.
    pub(crate) cluster: Option<Cluster>,
    /// The settings of a service on it.
    pub(crate) settings: Settings,
    pub(crate) deps: Dependencies,
}

impl Database {
    /// Starts one, in a folder whose name begins with the prefix. `None` where there is no PostgreSQL to start.
    pub(crate) async fn start(kind: Kind, prefix: &str) -> anyhow::Result<Option<Self>> {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let cluster = match kind {
            Kind::Sqlite => None,
            Kind::Postgres => match Cluster::start()? {
                Some(cluster) => Some(cluster),
                None => return Ok(None),
            },
        };
        let url = match &cluster {
            Some(cluster) => cluster.url(),
            None => format!(
                "sqlite://{}",
                folder.path().join("countinghouse.db").display()
            ),
        };
        let mut settings = Settings::read()?;
        settings.database_url = Some(Secret::new(url));
        settings.data_dir = folder.path().to_path_buf();
        let deps = Dependencies::open(&settings, Announce::Everywhere).await?;
        let deps = deps.with_schema(true).await?;
        Ok(Some(Self {
            folder,
            cluster,
            settings,
            deps,
        }))
    }
}
