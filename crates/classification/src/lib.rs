//! Classifies a message by rules over its words, the same on every machine, and gives the words that decided.
//!
//! The rules are text files in `rules/`, one for each type. A [`LikenessModel`] has weights of words, learnt
//! from the examples there. A program learns them when it is built, since that takes half a second, and
//! includes the bytes: `build.rs` of `communications` does. That crate's tests measure the rules and the
//! weights on labelled messages.
//!
//! A statement that is negated ("no dispute about it"), quoted, or about somebody else counts little. What is
//! negated or asked about is not sure.
//!
//! ```
//! use classification::{LikenessModel, MessageType, classify};
//! use time::macros::date;
//!
//! let model = LikenessModel::learn();
//! let text = "Sorry, I lost my job in May.";
//! let understood = classify(&model, text, date!(2026 - 12 - 01));
//! assert_eq!(understood.message_type, MessageType::Hardship);
//! assert!(understood.sure);
//! assert_eq!(&text[understood.evidence.unwrap()], "I lost my job");
//!
//! let negated = classify(&model, "No dispute about it, all good.", date!(2026 - 12 - 01));
//! assert_eq!(negated.message_type, MessageType::Other);
//! ```

#![warn(missing_docs)]

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
pub use likeness::LikenessModel;
pub use message_type::MessageType;
pub use rulebook::VERSION;
pub use text::{fold, narrow};
