//! `/contacts`: find or create, look up and read contacts.

mod create;
mod get;
mod look_up;
pub(crate) mod reference;
pub(crate) mod view;

use crate::operation::Operation;

pub(crate) fn operations() -> [Operation; 3] {
    [create::operation(), look_up::operation(), get::operation()]
}
