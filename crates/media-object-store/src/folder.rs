//! A folder of logos, which is created when the first one is stored.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use kernel::errors::Source;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;

/// The folder cannot be created or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep logos in {}", folder.display())]
pub struct FolderError {
    folder: PathBuf,
    #[source]
    source: Source,
}

/// A folder that may not exist yet.
pub(crate) struct Folder {
    folder: PathBuf,
    files: OnceLock<Arc<dyn ObjectStore>>,
}

impl Folder {
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), files: OnceLock::new() }
    }

    /// The files, if the folder exists.
    pub(crate) fn existing(&self) -> Result<Option<Arc<dyn ObjectStore>>, FolderError> {
        match self.files.get() {
            Some(files) => Ok(Some(files.clone())),
            None if self.folder.is_dir() => self.open().map(Some),
            None => Ok(None),
        }
    }

    /// The files; creates the folder, readable by its owner only, if it does not exist.
    pub(crate) fn create(&self) -> Result<Arc<dyn ObjectStore>, FolderError> {
        private_files::create_folder(&self.folder).map_err(|error| self.fault(error.into()))?;
        self.open()
    }

    /// Files are synced to disk before they count as stored: an account must not name a picture that was lost
    /// in a power cut.
    fn open(&self) -> Result<Arc<dyn ObjectStore>, FolderError> {
        let files =
            LocalFileSystem::new_with_prefix(&self.folder).map_err(|error| self.fault(error.into()))?;
        Ok(self.files.get_or_init(|| Arc::new(files.with_fsync(true))).clone())
    }

    fn fault(&self, source: Source) -> FolderError {
        FolderError { folder: self.folder.clone(), source }
    }
}
