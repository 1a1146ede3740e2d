//! Work for many accounts, one after the other: one account's failure does not stop the others'.

use crate::errors::StoreError;

/// The failures of work for single accounts, of which one is kept for the end.
///
/// ```
/// use kernel::{OneFailed, StoreError};
///
/// let inconsistent = || StoreError::Failed("a row cannot be read".into());
/// let (mut failures, mut done) = (OneFailed::default(), Vec::new());
/// for work in [Ok("first"), Err(inconsistent()), Ok("third")] {
///     done.extend(failures.set_aside(work, |_error| {})?);
/// }
/// assert_eq!(done, ["first", "third"]);
/// assert!(failures.into_result().is_err());
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Debug, Default)]
pub struct OneFailed {
    last: Option<StoreError>,
}

impl OneFailed {
    /// The result of the work for one account. A failure that concerns this account alone is passed to
    /// `report` and kept, and the result is `None`.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]: the work for the other accounts would fail too.
    pub fn set_aside<T>(
        &mut self,
        done: Result<T, StoreError>,
        report: impl FnOnce(&StoreError),
    ) -> Result<Option<T>, StoreError> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error @ StoreError::Unavailable(_)) => Err(error),
            Err(error) => {
                report(&error);
                // A damaged row says less than another failure.
                let is_damaged = |error: &StoreError| matches!(error, StoreError::Inconsistent { .. });
                if !is_damaged(&error) || self.last.as_ref().is_none_or(is_damaged) {
                    self.last = Some(error);
                }
                Ok(None)
            }
        }
    }

    /// `Ok` if no account's work failed.
    ///
    /// # Errors
    /// The last failure that was set aside; a damaged row only if there was no other.
    pub fn into_result(self) -> Result<(), StoreError> {
        self.last.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_of_one_account_is_kept_and_that_of_the_database_ends_the_work() {
        let mut failures = OneFailed::default();
        assert!(matches!(failures.set_aside(Ok(7), |_error| panic!("it did not fail")), Ok(Some(7))));
        let mut reported = Vec::new();
        for what in ["first", "second"] {
            let failed = Err::<u8, _>(StoreError::Failed(what.into()));
            let done = failures.set_aside(failed, |error| reported.push(format!("{error:?}")));
            assert!(matches!(done, Ok(None)));
        }
        assert!(reported[0].contains("first") && reported[1].contains("second"), "{reported:?}");
        let damaged = StoreError::Inconsistent { table: "t", id: "1".to_owned(), what: "x".to_owned() };
        assert!(matches!(failures.set_aside(Err::<u8, _>(damaged), |_error| {}), Ok(None)));
        let away = Err::<u8, _>(StoreError::Unavailable("no connection".into()));
        let ended = failures.set_aside(away, |_error| panic!("it is not set aside"));
        assert!(matches!(ended, Err(StoreError::Unavailable(_))));
        let kept = failures.into_result().unwrap_err();
        assert!(format!("{kept:?}").contains("second"), "{kept:?}");
        assert!(OneFailed::default().into_result().is_ok());
    }
}
