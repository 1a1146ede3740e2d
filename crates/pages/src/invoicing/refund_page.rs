//! The page for refunding part of a payment.

use askama::Template;
use invoices::Invoice;
use invoices::figures::money_text;
use kernel::{Money, PublicUrls};

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{ENGLISH, Texts};

/// The page that asks how much of a payment to refund.
#[derive(Debug, Clone, Template)]
#[template(path = "refund.html")]
pub struct RefundPage {
    t: &'static Texts,
    layout: Dashboard,
    form_token: String,
    problems: Vec<Problem>,
    /// The amount, if anything can be refunded here.
    amount: Option<FormField>,
    back: String,
}

impl Page for RefundPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl RefundPage {
    /// `left` is the amount that can still be refunded.
    #[must_use]
    pub fn new(invoice: &Invoice, left: Money, form: &Form, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let hint = (t.invoicing.refund_hint)(&money_text(left));
        let amount = form.field("amount", t.amount, Control::Number).hint(hint);
        let heading = (t.invoicing.refund_heading)(invoice.number.as_str());
        Self {
            t,
            layout: Dashboard::new(company, Section::Invoices, &heading, urls, t),
            form_token: form.form_token.clone(),
            problems: form.problems([&amount]),
            amount: (!left.is_zero()).then_some(amount),
            back: urls.page(format_args!("/dashboard/invoices/{}", invoice.id)),
        }
    }
}
