//! How many ids one statement lists.

/// SQLite takes at most 32,766 parameters in a statement. A list that grows with the data of an account is
/// cut into parts of this length, each with a statement of its own.
pub(super) const MAX_LISTED: usize = 10_000;
