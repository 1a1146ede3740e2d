//! What pages say of errors.

use crate::forms::PageError;

/// The sentence where a record was changed since its form was opened.
const CHANGED: &str = "This was changed meanwhile, and nothing of yours was saved. Open the page again: it \
                           shows what is there now.";

/// The conflict of a form whose record was changed since, with the way to the record as it is now.
pub(super) fn changed(current: String) -> PageError {
    PageError::conflict(CHANGED).with_link(current, "Open the current version")
}
