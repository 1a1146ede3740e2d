//! Communications with customers: what the service sends them, what they answer, and what it understands.

#![warn(missing_docs)]
