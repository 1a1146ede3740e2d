//! The faults of a request, and the failures of a store.

use std::fmt;

/// One faulty field of a request: its path and what is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The path of the field, with dots and indexes: `line_items.0.quantity`.
    pub field: String,
    /// A message for people that says what is wrong.
    pub message: String,
}

/// All faulty fields of a request, so that one response reports them all.
///
/// ```
/// let mut faults = kernel::FieldErrors::default();
/// faults.add("email", "is required");
/// assert!(faults.into_result().is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// More faults than any request can have: an invoice has 500 lines with five fields each. A bound on
    /// memory in case an input has no limit of its own.
    const MAX_FAULTS: usize = 3_000;

    /// Adds a faulty field. A field that was added before keeps its first message.
    pub fn add(&mut self, field: impl Into<String>, message: impl fmt::Display) {
        let field = field.into();
        if self.0.len() < Self::MAX_FAULTS && !self.names(&field) {
            self.0.push(FieldError { field, message: message.to_string() });
        }
    }

    /// A single fault.
    #[must_use]
    pub fn one(field: impl Into<String>, message: impl fmt::Display) -> Self {
        let mut faults = Self::default();
        faults.add(field, message);
        faults
    }

    /// Adds the faults of another collection.
    pub fn add_all(&mut self, others: Self) {
        for fault in others.0 {
            self.add(fault.field, fault.message);
        }
    }

    /// Adds the faults of a part of the request under the part's path: `contact` makes `contact.email`.
    pub fn add_under(&mut self, parent: &str, part: Self) {
        for fault in part.0 {
            self.add(format!("{parent}.{}", fault.field), fault.message);
        }
    }

    /// Whether this field has a fault.
    #[must_use]
    pub fn names(&self, field: &str) -> bool {
        self.0.iter().any(|fault| fault.field == field)
    }

    /// Whether no field is faulty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The faults, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &FieldError> {
        self.0.iter()
    }

    /// `Ok` when no field is faulty.
    ///
    /// # Errors
    /// The faults themselves.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

/// All faults in one line, for logs: `due_date must not be before the invoice date; currency is unknown`.
impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, fault) in self.0.iter().enumerate() {
            let before = if n == 0 { "" } else { "; " };
            write!(f, "{before}{} {}", fault.field, fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for FieldErrors {}

/// A source of a failure, boxed.
pub type Source = Box<dyn std::error::Error + Send + Sync>;

/// A conflict of two transactions. Its own type, because [`retry_contended`](crate::retry_contended) looks
/// for it in the chain of an error's sources.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Contention(Source);

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another transaction conflicted with this one, which was rolled back. Repeating the whole transaction
    /// may help.
    #[error("the transaction ran into another one")]
    Contended(#[source] Contention),
    /// The database cannot be reached, or no connection became free in time. A later try may succeed.
    #[error("the database is not available")]
    Unavailable(#[source] Source),
    /// A stored row has a value that the domain does not allow.
    #[error("row {id} of table {table} is inconsistent: {what}")]
    Inconsistent {
        /// The table of the row.
        table: &'static str,
        /// The row's id, as text.
        id: String,
        /// What is wrong with it.
        what: String,
    },
    /// Any other failure.
    #[error("the store failed")]
    Failed(#[source] Source),
}

/// The result of a store operation.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The scope has no such record, as this text says.
    #[error("{0}")]
    NotFound(&'static str),
    /// It is not known whether there is one.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StoreError {
    /// How many times a use case runs a transaction that ends with [`StoreError::Contended`].
    pub const TRIES: u32 = 4;

    /// A conflict with another transaction, as the database reports it.
    pub fn contended(source: impl Into<Source>) -> Self {
        Self::Contended(Contention(source.into()))
    }
}

/// The error's text and those of its sources, separated by colons: one line for the log.
#[must_use]
pub fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_chain_names_every_cause() {
        let error = StoreError::Unavailable("connection refused".into());
        assert_eq!(error_chain(&error), "the database is not available: connection refused");
    }

    #[test]
    fn faults_are_written_in_one_line() {
        let mut faults = FieldErrors::one("name", "is required");
        faults.add("line_items.0.quantity", "must be a number");
        assert_eq!(faults.to_string(), "name is required; line_items.0.quantity must be a number");
    }
}
