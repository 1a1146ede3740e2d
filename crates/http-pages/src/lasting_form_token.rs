//! Form tokens that a page still has when the browser goes back to it.

use actix_web::HttpRequest;
use idempotency::FormToken;
use kernel::AccountId;

use crate::forms::submit::new_form_token;
use crate::forms::{FormFields, PageError};
use crate::page::with_parameter;
use crate::state::PagesState;

/// The name of the query parameter with the token.
const TOKEN: &str = "form";

/// The token for the form of the requested page.
///
/// No page is cached: a browser that goes back requests the page again and restores what was entered, but not
/// a hidden field. With a new token, the form would act a second time. A browser that opens the page is
/// therefore redirected to a URL with a token, and the page has that token whenever it is shown there.
///
/// # Errors
/// The redirect to that URL, if a browser opens the page without a token that is still valid.
pub(crate) fn lasting_form_token(
    state: &PagesState,
    account: AccountId,
    http: &HttpRequest,
) -> Result<String, PageError> {
    let query = FormFields::of_query(http)?;
    let token = query.get(TOKEN);
    if FormToken::parse(token, state.clock.now(), account).is_ok() {
        return Ok(token.to_owned());
    }
    let new = new_form_token(state, account);
    if !is_navigation(http) {
        return Ok(new);
    }
    let page = http.uri().path_and_query().map_or(http.path(), |page| page.as_str());
    Err(PageError::see_other(state.links.page(with_parameter(page, TOKEN, &new))))
}

/// Whether a browser opens a page (Fetch Metadata, section 2.3). Programs that fetch the page get it at once.
fn is_navigation(http: &HttpRequest) -> bool {
    http.headers().get("sec-fetch-mode").is_some_and(|mode| mode == "navigate")
}
