//! An error with its causes, in one line for the log.

use std::error::Error;

/// The error's text and those of its sources, separated by colons.
pub fn error_chain(error: &dyn Error) -> String {
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
    use kernel::StoreError;

    use super::*;

    #[test]
    fn error_chain_names_every_cause() {
        let error = StoreError::Unavailable("connection refused".into());
        assert_eq!(error_chain(&error), "the database is not available: connection refused");
    }
}
