//! What the bench and the torture both stand on: the binary of the profile `dist` as a process, a temporary
//! PostgreSQL, an authority for receivers, a thin HTTP client, and the way in which results are shown.

pub(crate) mod authority;
pub(crate) mod build;
pub(crate) mod client;
pub(crate) mod cluster;
pub(crate) mod database;
pub(crate) mod database_kind;
pub(crate) mod markdown;
pub(crate) mod progress;
pub(crate) mod raw_request;
pub(crate) mod request;
pub(crate) mod service_process;
