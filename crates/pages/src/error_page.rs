//! The page of an error.

use askama::Template;
use invoices::InvoiceId;
use kernel::PublicUrls;

use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, ErrorText, Texts};

/// The page of an error: what happened, what to do, and the id with which the request is found in the log.
#[derive(Debug, Clone, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    t: &'static Texts,
    stylesheet: String,
    status: u16,
    heading: &'static str,
    title: String,
    sentence: String,
    /// URLs and texts of the links.
    links: Vec<(String, String)>,
    request_id: String,
}

impl Page for ErrorPage {}

impl ErrorPage {
    /// The page for a response status.
    #[must_use]
    pub fn new(status: u16, request_id: &str, urls: &PublicUrls) -> Self {
        let ErrorText { title: heading, sentence } = (ENGLISH.error)(status);
        Self {
            t: &ENGLISH,
            stylesheet: urls.asset(&stylesheet::NAME),
            status,
            heading,
            title: heading.to_owned(),
            sentence: sentence.to_owned(),
            links: Vec::new(),
            request_id: request_id.to_owned(),
        }
    }

    /// Adds the name of the company whose page was requested to the title.
    #[must_use]
    pub fn of_company(self, name: Option<&str>) -> Self {
        match name.filter(|name| !name.is_empty()) {
            Some(name) => Self { title: (self.t.title)(self.heading, name), ..self },
            None => self,
        }
    }

    /// Says at which address of the service the page must be opened.
    #[must_use]
    pub fn at_its_address(self, base: &str) -> Self {
        let sentence = (self.t.open_at_its_address)(base);
        Self { sentence, ..self }
    }

    /// Says that the address takes forms and has no page.
    #[must_use]
    pub fn of_forms_only(self) -> Self {
        let sentence = self.t.takes_forms_only.to_owned();
        Self { sentence, ..self }
    }

    /// Replaces the sentence for the status, and adds a link, which takes the place of one to the same
    /// address.
    #[must_use]
    pub fn saying(self, sentence: String, link: Option<(String, String)>) -> Self {
        let is_other = |one: &(String, String)| link.as_ref().is_none_or(|link| link.0 != one.0);
        let others: Vec<_> = self.links.into_iter().filter(is_other).collect();
        Self { sentence, links: link.into_iter().chain(others).collect(), ..self }
    }

    /// Adds after how many seconds to try again, and a link for the path: to the overview, to the invoice, or
    /// to another way to sign in.
    #[must_use]
    pub fn of_path(self, path: &str, wait: Option<u64>, urls: &PublicUrls) -> Self {
        let sentence = match wait {
            Some(seconds) => (self.t.wait_and_try_again)(seconds.div_ceil(60)),
            None if self.status == 404 && path.starts_with("/dashboard") => {
                self.t.no_page_of_account.to_owned()
            }
            None => self.sentence,
        };
        Self { sentence, links: recovery_link(self.status, path, urls, self.t).into_iter().collect(), ..self }
    }
}

/// The link to offer after an error at this path. There is none for an account that is switched off, nor back
/// to a link that leads to nothing.
fn recovery_link(status: u16, path: &str, urls: &PublicUrls, t: &Texts) -> Option<(String, String)> {
    let to = |path: &str, words: &str| Some((urls.page(path), words.to_owned()));
    if let Some(invoice) = path.strip_prefix("/dashboard/invoices/").and_then(|rest| rest.split_once('/'))
        && status == 409
        && let Some(id) = InvoiceId::parse(invoice.0)
    {
        return to(&format!("/dashboard/invoices/{id}"), t.payer.back);
    }
    if path.starts_with("/dashboard") && status != 403 {
        return to("/dashboard", t.back_to_overview);
    }
    let needs_password = match status {
        429 => matches!(path, "/login" | "/login/code" | "/confirm"),
        // The link of a reset that expired long ago is unknown.
        404 => path.starts_with("/password/reset/"),
        _ => false,
    };
    if needs_password {
        return to("/password/forgot", t.sign_in.forgot_password);
    }
    let (token, _) = path.strip_prefix("/pay/")?.split_once('/')?;
    if matches!(status, 404 | 410) { None } else { Some((urls.payment_page(token), t.payer.back.to_owned())) }
}
