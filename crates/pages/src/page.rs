//! The trait of pages.

use askama::Template;

use crate::brand::Brand;
use crate::confirmation::Confirmation;

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

    /// Shows at its top what was done. A page that no form leads back to does nothing.
    fn confirm(&mut self, _what: Confirmation) {}
}
