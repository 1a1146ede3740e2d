//! What pages say of errors.

use crate::forms::PageError;

/// The conflict of a form whose record was changed since, with the way to the record as it is now.
pub(super) fn changed(current: String) -> PageError {
    PageError::changed().with_link(current, "Open the current version")
}
