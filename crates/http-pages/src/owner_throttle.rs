//! Limits the forms that an account's owner sends on the dashboard: many of them mail or call somebody.

use std::sync::Arc;

use access::{AttemptLimiter, AttemptWindow};
use http_server::ApiError;
use kernel::AccountId;
use time::{Duration, OffsetDateTime};

use crate::payer::throttle::attempt;

/// How many forms the sessions of an account may send within a minute: more than a person sends by hand.
const MAX_FORMS: u32 = 300;

/// Counts the forms of each account.
#[derive(Clone)]
pub struct OwnerForms(pub Arc<dyn AttemptLimiter>);

impl OwnerForms {
    /// The window in which forms are counted.
    pub const WINDOW: AttemptWindow =
        AttemptWindow { name: "owner-forms", length: Duration::MINUTE, most_subjects: 32_768 };

    /// Counts one more form of an account.
    pub(crate) async fn count(&self, account: AccountId, now: OffsetDateTime) -> Result<(), ApiError> {
        attempt(&*self.0, &account.to_string(), MAX_FORMS, now).await
    }
}
