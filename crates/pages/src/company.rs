//! The company that an invoice comes from.

use invoices::Letterhead;
use kernel::PublicUrls;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::texts::Texts;

/// The characters that are not percent-encoded in the address of a `mailto:` link (RFC 6068, section 2).
const MAIL_ADDRESS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'@').remove(b'.').remove(b'-').remove(b'_');

/// The company that an invoice comes from.
#[derive(Debug, Clone)]
pub(crate) struct Company {
    pub(crate) name: String,
    pub(crate) logo: Option<String>,
    /// The company's postal address and ABN.
    pub(crate) lines: Vec<String>,
    pub(crate) email: Option<CompanyLink>,
    pub(crate) phone: Option<CompanyLink>,
}

/// A way to reach the company.
#[derive(Debug, Clone)]
pub(crate) struct CompanyLink {
    pub(crate) href: String,
    pub(crate) text: String,
}

impl Company {
    pub(crate) fn new(letterhead: &Letterhead, urls: &PublicUrls, texts: &Texts) -> Self {
        let abn = letterhead.abn.iter().map(|abn| (texts.abn)(abn));
        let email = letterhead.email.as_ref();
        let phone = letterhead.phone.as_ref();
        Self {
            name: letterhead.company_name.trim().to_owned(),
            logo: letterhead.logo_key.as_ref().map(|key| urls.logo(key)),
            lines: letterhead.address_lines.iter().cloned().chain(abn).collect(),
            email: email.map(|email| CompanyLink {
                href: format!("mailto:{}", utf8_percent_encode(email, MAIL_ADDRESS)),
                text: email.clone(),
            }),
            phone: phone.map(|phone| CompanyLink {
                href: format!("tel:{}", phone.replace(|c: char| !c.is_ascii_digit() && c != '+', "")),
                text: phone.clone(),
            }),
        }
    }
}
