//! The faults of a request, and the failures of a store.

use std::fmt;

/// One faulty field of a request: where it is and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The path of the field, with dots and indexes: `line_items.0.quantity`.
    pub field: String,
    /// What is wrong with it, for a person.
    pub message: String,
}

/// Every faulty field of a request, so that one answer names them all.
///
/// ```
/// let mut faults = kernel::FieldErrors::default();
/// faults.add("email", "is required");
/// assert!(faults.into_result().is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// The most faults that one answer names: a body of 500 faulty lines is not worth a megabyte of answer.
    pub const MOST: usize = 100;

    /// Notes a faulty field. A field that is noted already keeps its first message.
    pub fn add(&mut self, field: impl Into<String>, message: impl fmt::Display) {
        let field = field.into();
        if self.0.len() < Self::MOST && !self.names(&field) {
            self.0.push(FieldError {
                field,
                message: message.to_string(),
            });
        }
    }

    /// One fault alone.
    #[must_use]
    pub fn one(field: impl Into<String>, message: impl fmt::Display) -> Self {
        let mut faults = Self::default();
        faults.add(field, message);
        faults
    }

    /// Takes over the faults of a part of the request, under the part's own path: `contact` makes `contact.email`.
    pub fn add_under(&mut self, parent: &str, part: Self) {
        for fault in part.0 {
            self.add(format!("{parent}.{}", fault.field), fault.message);
        }
    }

    /// Whether this field has been noted.
    #[must_use]
    pub fn names(&self, field: &str) -> bool {
        self.0.iter().any(|fault| fault.field == field)
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The faults, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &FieldError> {
        self.0.iter()
    }

    /// `Ok` when nothing is wrong.
    ///
    /// # Errors
    /// The faults themselves.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

/// A source of a failure, boxed.
pub type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a store could not do what was asked of it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Two transactions got in each other's way and this one was rolled back. Doing the whole of it again helps.
    #[error("the transaction ran into another one")]
    Contended(#[source] Source),
    /// The database cannot be reached, or no connection came free in time. Later it may work.
    #[error("the database is not available")]
    Unavailable(#[source] Source),
    /// A stored row says something that the domain cannot mean.
    #[error("row {id} of table {table} is inconsistent: {what}")]
    Inconsistent {
        /// The table of the row.
        table: &'static str,
        /// The row's id, as text.
        id: String,
        /// What is wrong with it.
        what: String,
    },
    /// Anything else.
    #[error("the store failed")]
    Failed(#[source] Source),
}

impl StoreError {
    /// How often a use case does the whole of a transaction again after [`StoreError::Contended`].
    pub const TRIES: u32 = 4;

    /// Whether doing the whole transaction again helps.
    #[must_use]
    pub fn is_contended(&self) -> bool {
        matches!(self, Self::Contended(_))
    }
}
