//! The texts of errors.

use crate::forms::PageError;

/// The conflict of a form whose record was changed meanwhile, with a link to the current record.
pub(super) fn changed(current: String) -> PageError {
    PageError::changed().with_link(current, "Open the current version")
}
