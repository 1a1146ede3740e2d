//! `/partner/accounts`: create, read, list, amend and deactivate accounts, rotate a key.

mod account_body;
mod amend;
mod create;
mod deactivate;
mod get;
mod list;
mod rotate_key;
mod view;

pub use view::{AccountView, KeyInfoView};

use crate::operation::Operation;

pub(crate) fn operations() -> [Operation; 6] {
    [
        create::operation(),
        list::operation(),
        get::operation(),
        amend::operation(),
        deactivate::operation(),
        rotate_key::operation(),
    ]
}
