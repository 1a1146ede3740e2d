//! Classifies failed statements by whether a retry can help.
//!
//! diesel passes on a kind and a message, but no SQLSTATE. Messages are matched in English, which connections
//! of a superuser set themselves. Any other role needs a database with such an `lc_messages`, without which a
//! deadlock looks like any other failure.

use diesel::result::DatabaseErrorKind as Kind;
use diesel::result::Error;

const CONTENDED: [&str; 4] =
    ["deadlock detected", "could not serialize access", "lock timeout", "could not obtain lock"];

const OUT_OF_SERVICE: [&str; 9] = [
    "terminating connection",
    "the database system is",
    "too many connections",
    "connection slots are reserved",
    "statement timeout",
    // Somebody cancelled the statement.
    "due to user request",
    "idle-in-transaction timeout",
    // A node of a cluster is unreachable.
    "connection to the remote node",
    // The operating system's message.
    "No space left on device",
];

/// Whether a statement failed because of another transaction: the whole transaction may be retried.
#[must_use]
pub fn is_contention(error: &Error) -> bool {
    match error {
        _ if is_disconnection(error) => false,
        Error::DatabaseError(Kind::SerializationFailure, _) => true,
        _ => says(error, &CONTENDED),
    }
}

/// Whether a statement failed because the server is unreachable, stopping, starting, out of connections, out
/// of disk space or switched to read-only, or because the statement took too long.
#[must_use]
pub fn is_outage(error: &Error) -> bool {
    is_refused_write(error) || is_disconnection(error) || says(error, &OUT_OF_SERVICE)
}

/// Whether the server refused a statement because it only reads.
pub(crate) const fn is_refused_write(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(Kind::ReadOnlyTransaction, _))
}

const fn is_disconnection(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(Kind::UnableToSendCommand | Kind::ClosedConnection, _))
}

fn says(error: &Error, words: &[&str]) -> bool {
    matches!(error, Error::DatabaseError(_, info) if words.iter().any(|words| info.message().contains(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: Kind, message: &str) -> Error {
        Error::DatabaseError(kind, Box::new(message.to_owned()))
    }

    #[test]
    fn a_conflict_may_be_retried_and_a_lost_connection_is_none() {
        assert!(is_contention(&error(Kind::Unknown, "deadlock detected")));
        assert!(is_contention(&error(Kind::SerializationFailure, "")));
        assert!(!is_contention(&error(Kind::ClosedConnection, "deadlock detected")));
        assert!(!is_contention(&Error::NotFound));
    }

    #[test]
    fn a_server_out_of_service_is_told_from_a_refusal() {
        for message in [
            "terminating connection due to administrator command",
            "the database system is starting up",
            "canceling statement due to statement timeout",
            "canceling statement due to user request",
            "could not extend file \"base/5/16384\": No space left on device",
        ] {
            assert!(is_outage(&error(Kind::Unknown, message)), "{message}");
        }
        assert!(is_outage(&error(Kind::UnableToSendCommand, "")));
        assert!(is_outage(&error(Kind::ReadOnlyTransaction, "")));
        assert!(!is_outage(&error(Kind::CheckViolation, "violates check constraint")));
    }
}
