//! What every page is.

use askama::Template;

use crate::brand::Brand;

/// A page: a context with its template.
pub trait Page: Template {
    /// The style of the account's brand, which the page's `Content-Security-Policy` must allow.
    fn brand(&self) -> Option<&Brand> {
        None
    }
}
