//! What audit entries say of changes, for the dashboard and the operator's commands.

pub mod communications;
pub mod endpoints;
pub mod gateways;
pub(crate) mod invoices;
