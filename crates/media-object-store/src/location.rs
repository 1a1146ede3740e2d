//! Where logos are kept.

use std::path::{Path, PathBuf};

/// Where logos are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogoLocation {
    /// Files in a folder.
    Folder(PathBuf),
    /// Objects in a bucket, whose names begin with the prefix.
    Bucket {
        bucket: String,
        /// The prefix of each name; may be empty.
        prefix: String,
    },
}

/// The address is not that of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LocationFault {
    /// It has another form.
    #[error("must be s3://bucket or s3://bucket/prefix")]
    InvalidBucketUrl,
    /// This program was built without S3.
    #[error(
        "names a bucket, but this program was built without S3: build it with `--features s3`, or leave the setting out to keep \
         logos in the data directory"
    )]
    WithoutBuckets,
}

impl LogoLocation {
    /// Reads the address of a bucket, `s3://bucket/prefix`; without one, logos are files in `media/` under
    /// the data directory.
    ///
    /// # Errors
    /// A [`LocationFault`], in words that follow the name of a setting.
    pub fn parse(address: Option<&str>, data_dir: &Path) -> Result<Self, LocationFault> {
        let Some(address) = address else {
            return Ok(Self::Folder(data_dir.join("media")));
        };
        let rest = address.trim().strip_prefix("s3://");
        let rest = rest.ok_or(LocationFault::InvalidBucketUrl)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() || rest.contains(['?', '#', '@', ' ']) {
            return Err(LocationFault::InvalidBucketUrl);
        }
        if cfg!(feature = "s3") {
            Ok(Self::Bucket { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned() })
        } else {
            Err(LocationFault::WithoutBuckets)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_address_it_is_a_folder_of_the_data_directory() {
        let location = LogoLocation::parse(None, Path::new("data"));
        assert_eq!(location, Ok(LogoLocation::Folder(PathBuf::from("data/media"))));
    }

    #[test]
    fn an_address_names_a_bucket() {
        for bad in ["", "media", "https://x", "s3://", "s3:///a", "s3://b?x=1", "s3://k@b"] {
            let location = LogoLocation::parse(Some(bad), Path::new("data"));
            assert_eq!(location, Err(LocationFault::InvalidBucketUrl), "{bad}");
        }
        for (address, prefix) in [("s3://logos", ""), (" s3://logos/a/b/ ", "a/b")] {
            let location = LogoLocation::parse(Some(address), Path::new("data"));
            let expected = LogoLocation::Bucket { bucket: "logos".to_owned(), prefix: prefix.to_owned() };
            if cfg!(feature = "s3") {
                assert_eq!(location, Ok(expected));
            } else {
                assert_eq!(location, Err(LocationFault::WithoutBuckets));
            }
        }
    }
}
