//! What calls to a gateway need: the opened secrets of one connected account.

use std::fmt;

use kernel::{AccountId, Id};
use zeroize::Zeroizing;

/// Marks ids of gateway accounts.
pub enum GatewayAccountEntity {}

/// The id of a gateway account: an account's connection to a gateway.
pub type GatewayAccountId = Id<GatewayAccountEntity>;

/// A gateway's key or webhook secret, in the clear. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct GatewaySecret(Zeroizing<String>);

/// The text cannot be a secret of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 8 to 255 printable ASCII characters without blanks")]
pub struct NotAGatewaySecret;

impl GatewaySecret {
    /// Parses a secret as the owner entered it; surrounding blanks are dropped.
    pub fn parse(text: &str) -> Result<Self, NotAGatewaySecret> {
        let text = text.trim();
        let right = (8..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        right.then(|| Self(Zeroizing::new(text.to_owned()))).ok_or(NotAGatewaySecret)
    }

    /// The secret in the clear, for the call that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for GatewaySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GatewaySecret(redacted)")
    }
}

/// One account's access to a gateway.
#[derive(Debug, Clone)]
pub struct GatewayAccess {
    /// The account that is paid.
    pub account: AccountId,
    /// Whose keys these are.
    pub gateway_account: GatewayAccountId,
    /// The key for calls. Checkouts that were opened with a key since replaced keep using that key.
    pub key: GatewaySecret,
    /// The secrets that an event may be signed with; none until the owner has entered one.
    pub webhook_secrets: Vec<GatewaySecret>,
}
