//! What every page is.

use askama::Template;

use crate::brand::Brand;

/// A page: a context with its template.
pub trait Page: Template {
    /// The style of the account's brand, which the page's `Content-Security-Policy` must allow.
    fn brand(&self) -> Option<&Brand> {
        None
    }

    /// The origin of another site that a form of the page leads to, which the page's
    /// `Content-Security-Policy` must allow.
    fn form_origin(&self) -> Option<&str> {
        None
    }
}
