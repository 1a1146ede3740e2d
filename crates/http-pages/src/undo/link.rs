//! What the kinds of links that undo a change have in common.

use kernel::{AccountToken, PublicUrls};
use pages::{UndoPage, Undoing};
use payments::UndoError;
use sessions::AuditedChange;

use crate::state::PagesState;

/// A kind of link that undoes a change.
pub(super) trait UndoLink: 'static {
    /// The path, with the place of the token.
    const PATH: &str;
    /// The change that a token undoes.
    type Change: Send + 'static;

    fn url(urls: &PublicUrls, token: &AccountToken) -> String;
    /// The change that a token undoes, while it can be undone.
    async fn find(pages: &PagesState, token: &AccountToken) -> Result<Self::Change, UndoError>;
    async fn undo(pages: &PagesState, token: &AccountToken) -> Result<(), UndoError>;
    /// What the audit entry says.
    fn audited(change: &Self::Change) -> AuditedChange;
    /// The page with the button.
    fn page(change: &Self::Change, undoing: Undoing, urls: &PublicUrls) -> UndoPage;
    /// The page that confirms that a change of a company was undone.
    fn undone(company: &str, urls: &PublicUrls) -> UndoPage;
}
