//! The cursors in the URLs of lists.

use http_server::ErrorCode;
use kernel::{Cursor, CursorKey, PublicUrls};
use pages::texts::ENGLISH;

use crate::forms::{FormFields, PageError};
use crate::page::DONE;

/// Where the requested page of a list starts; `None` for the first page. `list` is the path of the list, and
/// `scope` that of its cursors.
pub(crate) fn start(
    (cursors, urls): (&CursorKey, &PublicUrls),
    (list, scope): (&str, &str),
    query: &FormFields,
) -> Result<Option<Cursor>, PageError> {
    match query.get("cursor") {
        "" => Ok(None),
        text => cursors.open(scope, text).map(Some).map_err(|_foreign| foreign(urls, list, query)),
    }
}

/// The error of a cursor that does not belong to the list, with a link to the list's first page.
pub(crate) fn foreign(urls: &PublicUrls, list: &str, query: &FormFields) -> PageError {
    let error = PageError::new(ErrorCode::ValidationError, ENGLISH.foreign_cursor);
    error.with_link(url(urls, list, query, None), ENGLISH.open_list)
}

/// The URL of a page of the list with the filter of this query.
pub(crate) fn url(urls: &PublicUrls, list: &str, query: &FormFields, cursor: Option<&str>) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    let kept = query.iter().filter(|(name, value)| !["cursor", DONE].contains(name) && !value.is_empty());
    text.extend_pairs(kept);
    text.extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
    let text = text.finish();
    let question_mark = if text.is_empty() { "" } else { "?" };
    urls.page(format_args!("{list}{question_mark}{text}"))
}
