//! The token that leads to an invoice's payment page.

use kernel::{AccountId, AccountToken, SecureRandom};

/// The secret part of a payment page's address.
///
/// The account's id is part of the token so that the invoice is looked up within the account. A token grants
/// access to one invoice only, and is never logged.
#[derive(Debug, Clone)]
pub struct PayToken(AccountToken);

impl PayToken {
    /// Creates a token for an invoice of an account.
    #[must_use]
    pub fn generate(account: AccountId, random: &dyn SecureRandom) -> Self {
        Self(AccountToken::generate(account, random))
    }

    /// Parses a token from an address; `None` for any text that [`PayToken::generate`] cannot have made. Only
    /// the store knows whether an invoice has the token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        AccountToken::parse(text).map(Self)
    }

    /// The token of a stored invoice of an account.
    #[must_use]
    pub fn from_stored(account: AccountId, text: String) -> Self {
        Self(AccountToken::from_stored(account, text))
    }

    /// The account of the token's invoice, if there is one.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.0.account()
    }

    /// The token as it appears in the address.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

/// An [`AccountToken`] has no comparison: those of sessions are compared by their hashes alone.
impl PartialEq for PayToken {
    fn eq(&self, other: &Self) -> bool {
        self.account() == other.account() && self.reveal() == other.reveal()
    }
}

impl Eq for PayToken {}
