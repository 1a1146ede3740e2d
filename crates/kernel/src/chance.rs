//! Chance as a port: keys, tokens and secrets draw their bytes from here.

use ring::rand::SecureRandom;

/// A source of bytes that nobody can guess.
///
/// An implementation fills the whole buffer from a cryptographically secure generator; the fixed ones of the
/// test kit are the only exception.
pub trait Chance: Send + Sync {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// [`NoChance`] when the operating system gives none.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoChance>;
}

/// The operating system gave no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random bytes")]
pub struct NoChance;

/// The operating system's generator.
#[derive(Debug)]
pub struct SystemChance(ring::rand::SystemRandom);

impl Default for SystemChance {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that implements the port"
    )]
    fn default() -> Self {
        Self(ring::rand::SystemRandom::new())
    }
}

impl Chance for SystemChance {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoChance> {
        self.0
            .fill(bytes)
            .map_err(|ring::error::Unspecified| NoChance)
    }
}
