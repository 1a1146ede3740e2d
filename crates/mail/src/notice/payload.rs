//! What a notice says, as its mail carries it.

use serde::{Deserialize, Serialize};

/// What a notice says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Its subject; cut to the length of one.
    pub subject: String,
    /// What happened, and what the owner can do.
    pub paragraphs: Vec<String>,
    /// The words of somebody else, such as a customer.
    pub quote: Option<String>,
    /// What the link says.
    pub link_text: String,
    /// The page of the dashboard that the link leads to: a path such as `/dashboard/escalations`.
    pub path: String,
}
