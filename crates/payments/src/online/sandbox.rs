//! The sandbox as its pages and the store use it.

use std::fmt;

use async_trait::async_trait;
use kernel::{AccountId, Money, StoreResult};
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
    /// Pays by a method that succeeds a day later.
    PayLater,
    /// Pays, and no event is sent.
    LoseAnswer,
    /// Pays twice.
    PayTwice,
}

/// A checkout of the sandbox as its page shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct SandboxShown {
    /// The account that is paid.
    pub account: AccountId,
    /// The amount to pay.
    pub amount: Money,
    /// The text beside the amount.
    pub description: String,
    /// The company that is paid.
    pub company_name: String,
    /// Where the payer goes afterwards.
    pub return_url: String,
    /// Whether it can still be paid.
    pub is_open: bool,
}

/// Without the address to return to, which holds the token of the payment page.
impl fmt::Debug for SandboxShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SandboxShown");
        shown.field("account", &self.account).field("amount", &self.amount);
        shown.field("is_open", &self.is_open).finish_non_exhaustive()
    }
}

/// The result of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxActed {
    /// The visitor is sent to this address.
    GoTo(String),
    /// The connection must be closed without a response.
    CloseWithoutResponse,
    /// The checkout can no longer be paid.
    Closed,
}

/// The checkouts of the sandbox, for its pages.
#[async_trait]
pub trait SandboxCheckouts: Send + Sync {
    /// The checkout with this id.
    async fn find(&self, id: &str) -> StoreResult<Option<SandboxShown>>;

    /// Carries out the visitor's action. `None` when there is no such checkout.
    async fn act(&self, id: &str, action: SandboxAction) -> StoreResult<Option<SandboxActed>>;
}

/// Stores the sandbox's checkouts: one text for each.
#[async_trait]
pub trait SandboxRecords: Send + Sync {
    /// The text of a checkout.
    async fn read(&self, account: AccountId, id: &str) -> StoreResult<Option<String>>;

    /// Replaces a text, or writes the first one if `before` is `None`. `false` when the stored text differs
    /// from `before`: then nothing was changed.
    async fn write(
        &self,
        account: AccountId,
        id: &str,
        before: Option<&str>,
        text: &str,
        now: OffsetDateTime,
    ) -> StoreResult<bool>;

    /// The texts of an account that were written at an instant or later.
    async fn written_since(&self, account: AccountId, since: OffsetDateTime) -> StoreResult<Vec<String>>;
}
