//! The port for secure random bytes, the source of keys, tokens and secrets.

use ring::rand::SecureRandom as _;

/// A source of cryptographically secure random bytes.
///
/// An implementation fills the whole buffer from a cryptographically secure generator; the only exceptions
/// are the fixed implementations of the test kit.
pub trait SecureRandom: Send + Sync {
    /// Fills `bytes`.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomnessUnavailable>;
}

/// The operating system's random source failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random bytes")]
pub struct RandomnessUnavailable;

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
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomnessUnavailable> {
        self.0.fill(bytes).map_err(|ring::error::Unspecified| RandomnessUnavailable)
    }
}
