//! Conversion of the databases' errors to the store's.

use diesel::result::{DatabaseErrorKind as Kind, Error};
use kernel::{StoreError, is_contended};
use store_schema::errors::store_error;

fn database_error(kind: Kind, message: &str) -> StoreError {
    store_error(Error::DatabaseError(kind, Box::new(message.to_owned())))
}

#[test]
fn contention_is_recognised_by_its_message() {
    for message in ["deadlock detected", "database is locked"] {
        assert!(is_contended(&database_error(Kind::Unknown, message)));
    }
    for message in [
        "terminating connection due to administrator command",
        "the database system is starting up",
        "canceling statement due to statement timeout",
        "database or disk is full",
        "could not extend file \"base/5/16384\": No space left on device",
    ] {
        let error = database_error(Kind::Unknown, message);
        assert!(matches!(error, StoreError::Unavailable(_)), "{message}");
    }
    let error = database_error(Kind::CheckViolation, "violates check constraint");
    assert!(matches!(error, StoreError::Failed(_)));
}
