//! `/gateway-keys/{token}/undo`: the link that undoes the entry of a gateway's key.

use kernel::{AccountToken, Named as _, PublicUrls};
use pages::{UndoPage, Undoing};
use payments::{UndoError, UndoableKey};
use sessions::AuditedChange;

use super::link::UndoLink;
use crate::state::PagesState;

pub(super) struct GatewayKeyLink;

impl UndoLink for GatewayKeyLink {
    const PATH: &str = "/gateway-keys/{token}/undo";
    type Change = UndoableKey;

    fn url(urls: &PublicUrls, token: &AccountToken) -> String {
        urls.gateway_key_undo(token.reveal())
    }

    async fn find(pages: &PagesState, token: &AccountToken) -> Result<UndoableKey, UndoError> {
        pages.online.undoable_key(token).await
    }

    async fn undo(pages: &PagesState, token: &AccountToken) -> Result<(), UndoError> {
        pages.online.undo_key(token).await.map(drop)
    }

    fn audited(key: &UndoableKey) -> AuditedChange {
        AuditedChange::of("gateway.undone").from(key.gateway.kind.as_str())
    }

    fn page(key: &UndoableKey, undoing: Undoing, urls: &PublicUrls) -> UndoPage {
        UndoPage::of_gateway_key(key.gateway.kind, key.waits_until, undoing, urls)
    }

    fn undone(company: &str, urls: &PublicUrls) -> UndoPage {
        UndoPage::gateway_key_undone(company, urls)
    }
}
