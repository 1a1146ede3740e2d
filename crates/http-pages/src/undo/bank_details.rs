//! `/bank-details/{token}/undo`: the link that undoes a change of bank details.

use kernel::{AccountToken, PublicUrls};
use pages::{UndoPage, Undoing};
use payments::{BankDetailsEntry, UndoError};
use sessions::AuditedChange;

use super::link::UndoLink;
use crate::state::PagesState;

pub(super) struct BankDetailsLink;

impl UndoLink for BankDetailsLink {
    const PATH: &str = "/bank-details/{token}/undo";
    type Change = BankDetailsEntry;

    fn url(urls: &PublicUrls, token: &AccountToken) -> String {
        urls.bank_details_undo(token.reveal())
    }

    async fn find(pages: &PagesState, token: &AccountToken) -> Result<BankDetailsEntry, UndoError> {
        pages.bank_details.undoable(token).await
    }

    async fn undo(pages: &PagesState, token: &AccountToken) -> Result<(), UndoError> {
        pages.bank_details.undo(token).await.map(drop)
    }

    fn audited(entry: &BankDetailsEntry) -> AuditedChange {
        AuditedChange::of("bank_details.undone").from(entry.one_line())
    }

    fn page(entry: &BankDetailsEntry, undoing: Undoing, urls: &PublicUrls) -> UndoPage {
        UndoPage::of_bank_details(entry, undoing, urls)
    }

    fn undone(company: &str, urls: &PublicUrls) -> UndoPage {
        UndoPage::bank_details_undone(company, urls)
    }
}
