//! Partners.

use kernel::{PartnerId, SingleLine};
use time::OffsetDateTime;

/// A partner's name, at most 200 characters.
pub type PartnerName = SingleLine<200>;

/// A company that manages accounts for its own customers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partner {
    pub id: PartnerId,
    pub name: PartnerName,
    /// Whether the operator has switched the partner off. Its accounts keep working.
    pub disabled: bool,
    pub created_at: OffsetDateTime,
}

impl Partner {
    /// `active` or `inactive`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        if self.disabled { "inactive" } else { "active" }
    }
}
