//! The payment page of an account, where payers request a mail with the link to their invoice.

use askama::Template;
use invoices::PayeeAccount;
use kernel::PublicUrls;

use crate::brand::Brand;
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::payer_layout::PayerLayout;
use crate::texts::{ENGLISH, Texts};

/// The payment page of an account.
#[derive(Debug, Clone, Template)]
#[template(path = "account_page.html")]
pub struct AccountPage {
    t: &'static Texts,
    layout: PayerLayout,
    is_active: bool,
    is_sent: bool,
    form_token: String,
    problems: Vec<Problem>,
    fields: Vec<FormField>,
}

impl AccountPage {
    /// The page with its form; without a form if the account is switched off.
    #[must_use]
    pub fn new(account: &PayeeAccount, form: &Form, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let heading = (t.payer.account_page)(account.letterhead.company_name.trim());
        let fields = vec![
            form.field("invoice_number", t.payer.invoice_number, Control::Line("text")),
            form.field("email", t.payer.your_email, Control::Email).autocomplete("email"),
        ];
        Self {
            t,
            layout: PayerLayout::new(&account.letterhead, heading, urls, t),
            is_active: account.is_active,
            is_sent: false,
            form_token: form.form_token.clone(),
            problems: form.problems(&fields),
            fields,
        }
    }

    /// The page after the form was sent; it is the same whatever the form contained.
    #[must_use]
    pub fn sent(account: &PayeeAccount, urls: &PublicUrls) -> Self {
        Self { is_sent: true, ..Self::new(account, &Form::default(), urls) }
    }
}

impl Page for AccountPage {
    fn brand(&self) -> Option<&Brand> {
        self.layout.brand.as_ref()
    }
}
