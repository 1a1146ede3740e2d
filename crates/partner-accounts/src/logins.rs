//! The service that the use cases of logins are methods of.

use std::sync::Arc;

use access::Passwords;
use kernel::Clock;

use crate::ports::LoginsStore;

/// The use cases of logins, over what they need from outside.
#[derive(Clone)]
pub struct Logins {
    /// Finds invitations and keeps passwords.
    pub store: Arc<dyn LoginsStore>,
    /// Hashes passwords.
    pub passwords: Arc<dyn Passwords>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}
