//! The master key: 32 bytes that are kept outside the database.
//!
//! All keys that seal and open secrets are derived from it. For the embedded database it is created once,
//! beside the data; for PostgreSQL the operator sets it, since several processes must share it. The service
//! does not start with a key that does not fit the database.

use std::fs::DirBuilder;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::{SealingKeys, SecureRandom};
use ring::hmac;
use store_diesel::{DatabaseKind, MetadataKey, Upkeep};

use crate::new_file;
use crate::settings::{MasterKeyBytes, Settings};

const FILE: &str = "master.key";

/// The master key, and the previous one while secrets may still be sealed under it. Neither is ever printed
/// or logged.
pub struct MasterKey {
    present: [u8; 32],
    previous: Option<[u8; 32]>,
}

const CHECK: &str = "countinghouse master key check";

impl MasterKey {
    /// The key of a database: the one that is set, else the one in the data directory. For a new embedded
    /// database it is created.
    ///
    /// # Errors
    /// One line that says what is wrong with the key, that it is missing, or that it does not fit the
    /// database.
    pub async fn of_database(
        settings: &Settings,
        upkeep: &dyn Upkeep,
        random: &dyn SecureRandom,
    ) -> anyhow::Result<Self> {
        // Read before the file: a process that starts at the same time writes the file first.
        let is_new = upkeep.metadata(MetadataKey::MasterKeyCheck).await?.is_none();
        let key = match Self::present(settings, upkeep.kind())? {
            Some(key) => key,
            None if upkeep.kind() == DatabaseKind::Postgres => bail!(
                "COUNTINGHOUSE_MASTER_KEY must be set for PostgreSQL: 32 random bytes in base64, such as \
                 `openssl rand -base64 32` prints; keep it safe, and the same for every process"
            ),
            None if is_new => Self::with_previous(make(&Self::file(settings), random)?, settings),
            None => bail!(
                "there is no master key, and a new one would not fit this database: put the {FILE} that was kept \
                 apart into the data directory, or set COUNTINGHOUSE_MASTER_KEY"
            ),
        };
        key.check_database(upkeep).await?;
        Ok(key)
    }

    /// The key that is set, else, for the embedded database, the one in the data directory; `None` if there
    /// is none.
    ///
    /// # Errors
    /// One line that says what is wrong with the key.
    pub fn present(settings: &Settings, kind: DatabaseKind) -> anyhow::Result<Option<Self>> {
        let present = match &settings.master_key {
            Some(set) => Some(set.0),
            None if kind == DatabaseKind::Postgres => None,
            None => in_file(&Self::file(settings))?,
        };
        Ok(present.map(|present| Self::with_previous(present, settings)))
    }

    /// The file of the embedded database's key, used when no key is set.
    #[must_use]
    pub fn file(settings: &Settings) -> PathBuf {
        settings.data_dir.join(FILE)
    }

    fn with_previous(present: [u8; 32], settings: &Settings) -> Self {
        let previous = settings.master_key_previous.map(|key| key.0);
        Self { present, previous }
    }

    /// Whether the stored check value `kept` was made with the present key, or with the previous one, whose
    /// secrets can still be read.
    #[must_use]
    pub fn fits(&self, kept: &[u8]) -> bool {
        kept == self.derive(CHECK) || self.is_of_previous(kept)
    }

    /// Whether the stored check value `kept` was made with the previous key: `rekey` has not moved the
    /// database to the present one.
    #[must_use]
    pub fn is_of_previous(&self, kept: &[u8]) -> bool {
        self.check_of_previous().as_deref() == Some(kept)
    }

    /// Derives a key for one purpose. It reveals nothing about the master key or the keys for other purposes.
    #[must_use]
    pub fn derive(&self, purpose: &str) -> Vec<u8> {
        derive(&self.present, purpose)
    }

    /// The keys that seal secrets which must be readable again.
    #[must_use]
    pub fn sealing_keys(&self) -> SealingKeys {
        let key = |master| {
            let derived = derive(master, "countinghouse sealed secrets v1");
            // HMAC-SHA256 yields exactly 32 bytes.
            derived.first_chunk().copied().unwrap_or_default()
        };
        let previous = self.previous.as_ref().map(key);
        SealingKeys::new(&key(&self.present), previous.as_ref())
    }

    /// Logs that `rekey` is to be run, if secrets are still sealed under the previous key.
    ///
    /// # Errors
    /// When the database does not respond.
    pub async fn warn_before_rekey(&self, upkeep: &dyn Upkeep) -> anyhow::Result<()> {
        let kept = upkeep.metadata(MetadataKey::MasterKeyCheck).await?;
        if kept.is_some_and(|kept| self.is_of_previous(&kept)) {
            tracing::warn!(
                "secrets are still sealed under the previous master key: run `countinghouse rekey`"
            );
        }
        Ok(())
    }

    /// Checks that the database was used with this key before; a new database records the key's check value.
    /// A database that was used with the previous key fits too: `rekey` moves it to the present one.
    ///
    /// # Errors
    /// One line when the database was used with another key.
    async fn check_database(&self, upkeep: &dyn Upkeep) -> anyhow::Result<()> {
        let check = self.derive(CHECK);
        // Of two concurrent first starts with different keys, the second is refused.
        let key = MetadataKey::MasterKeyCheck;
        let kept = upkeep.metadata_or_insert(key, &check).await?;
        if self.fits(&kept) {
            return Ok(());
        }
        bail!(
            "the master key does not fit this database: set COUNTINGHOUSE_MASTER_KEY (or restore {FILE}) to the key that \
             the database was first used with, or that `countinghouse rekey` moved it to"
        )
    }

    /// Records that everything in the database is sealed under the present key.
    pub async fn record_as_present(&self, upkeep: &dyn Upkeep) -> anyhow::Result<()> {
        if let Some(old) = self.check_of_previous() {
            let new = self.derive(CHECK);
            let key = MetadataKey::MasterKeyCheck;
            upkeep.replace_metadata(key, &old, &new).await?;
        }
        Ok(())
    }

    fn check_of_previous(&self) -> Option<Vec<u8>> {
        let previous = self.previous.as_ref()?;
        Some(derive(previous, CHECK))
    }
}

fn derive(master: &[u8; 32], purpose: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, master);
    hmac::sign(&key, purpose.as_bytes()).as_ref().to_vec()
}

fn in_file(file: &Path) -> anyhow::Result<Option<[u8; 32]>> {
    match std::fs::read_to_string(file) {
        Ok(text) => parse(&text).map(Some).with_context(|| file.display().to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

fn parse(text: &str) -> anyhow::Result<[u8; 32]> {
    let key = MasterKeyBytes::parse(text).context("must be 32 bytes in base64 (44 characters)")?;
    Ok(key.0)
}

/// Creates a key and its file, or reads the one that another process created at the same time.
fn make(file: &Path, random: &dyn SecureRandom) -> anyhow::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    random.fill(&mut bytes);
    let folder = file.parent().context("the master key is in a directory")?;
    make_private_folder(folder)?;
    let cannot = || format!("cannot make {}", file.display());
    let mut new = new_file::begin(file).with_context(cannot)?;
    new.write_all(STANDARD.encode(bytes).as_bytes())?;
    match new_file::publish(new, file) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            parse(&std::fs::read_to_string(file)?).with_context(|| file.display().to_string())
        }
        Err(error) => Err(error).with_context(cannot),
    }
}

/// Creates the data directory, if it does not exist, readable by its owner only: it holds customers' data and
/// keys.
///
/// # Errors
/// One line that names the directory.
pub fn make_private_folder(folder: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("cannot make {}", folder.display()))
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::SystemRandom;

    fn key(byte: u8) -> MasterKey {
        MasterKey { present: [byte; 32], previous: None }
    }

    #[test]
    fn the_file_is_for_the_owner_alone_and_holds_the_text_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data").join(FILE);
        let made = make(&file, &SystemRandom::default()).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.len(), 44);
        assert_eq!(parse(&text).unwrap(), made);
        let folder = std::fs::metadata(file.parent().unwrap()).unwrap();
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
        let again = make(&file, &SystemRandom::default()).unwrap();
        assert_eq!(again, made, "the second process uses the key of the first");
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn each_purpose_has_a_separate_key() {
        let key = key(7);
        assert_ne!(key.derive("a"), key.derive("b"));
        assert!(!format!("{key:?}").contains('7'));
        let sealed = key.sealing_keys();
        let sealed = sealed.seal(&SystemRandom::default(), b"row", b"x");
        assert_eq!(key.sealing_keys().open(b"row", &sealed).unwrap(), b"x");
        let other = self::tests::key(8).sealing_keys();
        assert!(other.open(b"row", &sealed).is_err());
        let successor = MasterKey { present: [8; 32], previous: Some([7; 32]) };
        assert_eq!(successor.sealing_keys().open(b"row", &sealed).unwrap(), b"x");
    }
}
