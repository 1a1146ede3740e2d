//! The routes. The folders mirror the paths. The file of a handler also contains its request and response
//! types, its part of the OpenAPI document and the mapping of its use case's errors.

pub(crate) mod contacts;
pub(crate) mod docs;
pub(crate) mod escalations;
#[cfg(test)]
mod hostile_input;
pub(crate) mod invoices;
pub(crate) mod logos;
pub(crate) mod partner_accounts;
