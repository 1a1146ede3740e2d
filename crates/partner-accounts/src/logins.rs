//! The service that the use cases of logins are methods of.

use std::sync::Arc;

use access::Passwords;
use kernel::Clock;

use crate::ports::LoginsStore;

/// The use cases of logins, over their ports.
#[derive(Clone)]
pub struct Logins {
    /// Finds invitations and stores password hashes.
    pub store: Arc<dyn LoginsStore>,
    pub passwords: Arc<dyn Passwords>,
    pub clock: Arc<dyn Clock>,
}
