//! What pages say of errors.

use crate::forms::PageError;

/// The sentence where a record was changed since its form was opened.
const CHANGED: &str = "This was changed meanwhile, and nothing of yours was saved. Open the page again: it \
                           shows what is there now.";

/// The conflict of a form whose record was changed since, with the way to the record as it is now.
pub(super) fn changed(current: String) -> PageError {
    PageError::conflict(CHANGED).with_link(current, "Open the current version")
}

/// An error as a sentence.
pub(super) fn sentence(error: &impl ToString) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
