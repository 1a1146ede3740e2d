//! The content of a notice, as the payload of its mail.

use serde::{Deserialize, Serialize};

/// The content of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Its subject; cut to the maximum length.
    pub subject: String,
    /// What happened, and what the owner can do.
    pub paragraphs: Vec<String>,
    /// The words of somebody else, such as a customer.
    pub quote: Option<String>,
    /// The text of the link.
    pub link_text: String,
    /// The page of the dashboard that the link leads to: a path such as `/dashboard/escalations`.
    pub path: String,
}
