//! `/escalations`: read an escalation. No operation of the API raises or resolves one.

mod get;
mod view;

pub use view::EscalationView;

use crate::operation::Operation;

pub(crate) fn operations() -> [Operation; 1] {
    [get::operation()]
}
