//! What an account says of itself at the head of an invoice.

/// Name, addresses and colours of the company that issues an invoice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Letterhead {
    /// The company's name.
    pub company_name: String,
    /// Where to write to.
    pub email: Option<String>,
    /// Where to call.
    pub phone: Option<String>,
    /// The Australian business number.
    pub abn: Option<String>,
    /// The postal address, a line each, from the street to the country.
    pub address_lines: Vec<String>,
    /// The colour of the brand, `#1A2B3C`. Anything else is as good as none.
    pub brand_color: Option<String>,
    /// Where the logo can be loaded from, `https://` or `http://`. Anything else is as good as none.
    pub logo_url: Option<String>,
}
