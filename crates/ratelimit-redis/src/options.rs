//! How long things may take.

use std::path::PathBuf;
use std::time::Duration;

/// What may be set beside the address. The defaults are those of the service; tests have less time.
#[derive(Debug, Clone)]
pub struct Options {
    /// The length of the window: a minute.
    pub window: Duration,
    /// How long one request waits for Redis before the process decides for itself.
    pub command: Duration,
    /// How long connecting may take in all. No request waits for it.
    pub connect: Duration,
    /// The pause between two attempts to find Redis again.
    pub pause: Duration,
    /// PEM file of certificates trusted beside the system's.
    pub extra_ca_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            window: access::quota::WINDOW.unsigned_abs(),
            command: Duration::from_millis(250),
            connect: Duration::from_secs(2),
            pause: Duration::from_secs(1),
            extra_ca_file: None,
        }
    }
}
