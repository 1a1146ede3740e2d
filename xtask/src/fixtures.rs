//! Shared by bench and torture: the binary of the profile `dist` as a process, temporary databases, an HTTP
//! client, servers on loopback, load, and tables.

pub(crate) mod build;
pub(crate) mod client;
pub(crate) mod cluster;
pub(crate) mod database;
pub(crate) mod load;
pub(crate) mod loopback_server;
pub(crate) mod service_process;
pub(crate) mod terminal;
pub(crate) mod webhook_receiver;
