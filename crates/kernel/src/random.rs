//! The port for secure random bytes, the source of keys, tokens and secrets.

use ring::rand::SecureRandom as _;

/// A source of cryptographically secure random bytes.
///
/// An implementation fills the whole buffer from a cryptographically secure generator; the only exceptions
/// are the fixed implementations of the test kit.
pub trait SecureRandom: Send + Sync {
    /// Fills `bytes`.
    ///
    /// # Panics
    /// When the operating system gives no random bytes, as making an id does: a caller could only fail. In
    /// the service, a request then gets 500, a job is tried again, and a round of periodic work ends the
    /// process.
    fn fill(&self, bytes: &mut [u8]);
}

/// The operating system's generator.
#[derive(Debug)]
pub struct SystemRandom(ring::rand::SystemRandom);

impl Default for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "the one place that implements the port")]
    fn default() -> Self {
        Self(ring::rand::SystemRandom::new())
    }
}

impl SecureRandom for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        let filled = self.0.fill(bytes);
        assert!(filled.is_ok(), "the operating system gave no random bytes");
    }
}
