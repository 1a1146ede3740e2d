//! Classifies a message by rules over its words, the same on every machine, and gives the words that decided.
//!
//! The rules are text files in `rules/`, one for each type; weights of words are learnt from the examples
//! there. The crate's tests measure both on labelled messages. A statement that is negated ("no dispute about
//! it"), quoted, or about somebody else counts little. What is negated or asked about is not sure.

mod classify;
mod concepts;
#[cfg(test)]
mod cross_validation;
mod dates;
mod features;
mod language;
mod learning;
mod likeness;
mod message_type;
mod negation;
mod pattern;
mod rulebook;
mod scoring;
mod text;
mod wording;

pub use classify::{Classification, classify};
pub use message_type::MessageType;
pub use rulebook::VERSION;
pub(crate) use text::fold;
