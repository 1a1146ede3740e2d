//! The layout of the pages for payers.

use invoices::Letterhead;
use kernel::PublicUrls;

use crate::brand::Brand;
use crate::company::Company;
use crate::stylesheet;
use crate::texts::Texts;

/// The layout of the pages for payers, with the company that is paid.
#[derive(Debug, Clone)]
pub struct PayerLayout {
    pub(crate) stylesheet: String,
    pub(crate) brand: Option<Brand>,
    pub(crate) title: String,
    pub(crate) heading: String,
    pub(crate) company: Company,
}

impl PayerLayout {
    pub(crate) fn new(letterhead: &Letterhead, heading: String, urls: &PublicUrls, t: &Texts) -> Self {
        let company = Company::new(letterhead, urls, t);
        Self {
            stylesheet: urls.asset(&stylesheet::NAME),
            brand: letterhead.brand_color.as_deref().and_then(Brand::of),
            title: match company.name.as_str() {
                "" => heading.clone(),
                name => (t.title)(&heading, name),
            },
            heading,
            company,
        }
    }
}
