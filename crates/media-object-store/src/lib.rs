//! Logos in an object store: a folder, or S3.
