//! What pages say of errors.

/// The sentence where a record was changed since its form was opened.
pub(super) const CHANGED: &str = "This was changed meanwhile, and nothing of yours was saved. Open the page again: it \
                           shows what is there now.";

/// An error as a sentence.
pub(super) fn sentence(error: &impl ToString) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
