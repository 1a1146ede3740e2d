//! The page on which a payer promises to pay.

use askama::Template;
use invoices::figures::written_date;
use invoices::{InvoiceForPayer, Promise, PromisePeriod};
use kernel::PublicUrls;

use crate::brand::Brand;
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::payer_layout::PayerLayout;
use crate::texts::{ENGLISH, Texts};

/// The page on which a payer promises to pay.
#[derive(Debug, Clone, Template)]
#[template(path = "promise.html")]
pub struct PromisePage {
    t: &'static Texts,
    layout: PayerLayout,
    back: String,
    promised: Option<String>,
    /// Whether the payer cannot change the open promise.
    is_final: bool,
    form_token: String,
    problems: Vec<Problem>,
    fields: Vec<FormField>,
}

impl PromisePage {
    #[must_use]
    pub fn new(shown: &InvoiceForPayer, form: &Form, period: PromisePeriod, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let hint = (t.payer.promise_period)(&written_date(period.first), &written_date(period.last));
        let fields = vec![form.field("date", t.payer.promise_date, Control::Line("date")).hint(hint)];
        let promise = shown.promise.as_ref();
        Self {
            t,
            layout: PayerLayout::new(&shown.letterhead, t.payer.promise.to_owned(), urls, t),
            back: urls.payment_page(shown.invoice.pay_token.reveal()),
            promised: promise.map(|promise| (t.payer.promised)(&written_date(promise.promised_on))),
            is_final: !promise.is_none_or(Promise::can_be_replaced_by_payer),
            form_token: form.form_token.clone(),
            problems: form.problems(&fields),
            fields,
        }
    }
}

impl Page for PromisePage {
    fn brand(&self) -> Option<&Brand> {
        self.layout.brand.as_ref()
    }
}
