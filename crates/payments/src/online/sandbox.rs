//! The sandbox as its pages and the store see it.

use async_trait::async_trait;
use kernel::names::{self, UnknownName};
use kernel::{AccountId, Money, StoreError};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::OffsetDateTime;

/// What a visitor of a sandbox checkout does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum SandboxAction {
    /// Pays.
    Pay,
    /// Is declined.
    Decline,
    /// Pays by something that succeeds a day later.
    PayLater,
    /// Pays, and no event is sent.
    LoseAnswer,
    /// Pays twice.
    PayTwice,
}

impl SandboxAction {
    /// The name in forms.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        names::parse(text)
    }
}

/// A checkout of the sandbox as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxShown {
    /// The account that is paid.
    pub account: AccountId,
    /// What is to be paid.
    pub amount: Money,
    /// What the payer reads beside it.
    pub description: String,
    /// The company that is paid.
    pub company_name: String,
    /// Where the payer goes afterwards.
    pub return_url: String,
    /// Whether it can still be paid.
    pub is_open: bool,
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxActed {
    /// The visitor goes on to this address.
    GoTo(String),
    /// The connection is to be closed without an answer.
    Silence,
    /// The checkout cannot be paid any more.
    Closed,
}

/// The checkouts of the sandbox, for its pages.
#[async_trait]
pub trait SandboxCheckouts: Send + Sync {
    /// The checkout with an id; `None` when there is none.
    async fn find(&self, id: &str) -> Result<Option<SandboxShown>, StoreError>;

    /// Does what its visitor chose. `None` when there is no such checkout.
    async fn act(&self, id: &str, action: SandboxAction) -> Result<Option<SandboxActed>, StoreError>;
}

/// Where the sandbox keeps its checkouts: one text for each.
#[async_trait]
pub trait SandboxRecords: Send + Sync {
    /// The text of a checkout.
    async fn read(&self, account: AccountId, id: &str) -> Result<Option<String>, StoreError>;

    /// Writes a text in place of another, or a first one where `before` is `None`. `false` when another text
    /// stands there: then nothing was changed.
    async fn write(
        &self,
        account: AccountId,
        id: &str,
        before: Option<&str>,
        text: &str,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// The texts of an account that were written at an instant or later.
    async fn written_since(
        &self,
        account: AccountId,
        since: OffsetDateTime,
    ) -> Result<Vec<String>, StoreError>;
}
