//! Listing escalations: open ones first.

use kernel::{AccountScope, PageSize, StoreResult};

use crate::escalation::Escalation;
use crate::position::EscalationPosition;
use crate::service::EscalationReader;

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscalationPage {
    /// The escalations.
    pub items: Vec<Escalation>,
    /// The position after which the next page starts; `None` on the last page.
    pub next: Option<EscalationPosition>,
}

impl EscalationReader {
    /// A page of the account's escalations: open ones, then resolved ones, each newest first.
    pub async fn list(
        &self,
        scope: &AccountScope,
        size: PageSize,
        after: Option<EscalationPosition>,
    ) -> StoreResult<EscalationPage> {
        // One escalation more than the page holds shows whether there is a next page.
        let mut items = self.reads.list(scope.id, after, size.get().saturating_add(1)).await?;
        let has_more = items.len() > size.get();
        items.truncate(size.get());
        let last = items.last().filter(|_last| has_more);
        let next = last.map(|last| EscalationPosition { status: last.status(), after: last.id });
        Ok(EscalationPage { items, next })
    }
}
