//! The page on which a payer asks for help.

use askama::Template;
use escalations::EscalationType;
use invoices::InvoiceForPayer;
use kernel::{Named as _, PublicUrls};

use crate::brand::Brand;
use crate::form::{Choice, Control, Form, FormField, Problem};
use crate::page::Page;
use crate::payer_layout::PayerLayout;
use crate::texts::{ENGLISH, Texts};

/// The page on which a payer asks for help, or the confirmation that help was requested.
#[derive(Debug, Clone, Template)]
#[template(path = "help.html")]
pub struct HelpPage {
    t: &'static Texts,
    layout: PayerLayout,
    back: String,
    raised: Option<String>,
    form_token: String,
    problems: Vec<Problem>,
    fields: Vec<FormField>,
}

impl HelpPage {
    /// The page with the form.
    #[must_use]
    pub fn new(shown: &InvoiceForPayer, form: &Form, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let choice = |reason: &EscalationType| Choice {
            value: reason.as_str().to_owned(),
            label: (t.payer.help_reason_of)(*reason).to_owned(),
            is_chosen: form.has("reason", reason.as_str()),
        };
        let is_payable = shown.invoice.status.is_payable();
        // Nothing is due, so that the reasons for not paying are not offered.
        let makes_sense = |reason: &&EscalationType| match reason {
            EscalationType::Hardship | EscalationType::Refused => is_payable,
            EscalationType::Dispute | EscalationType::HumanRequest => true,
        };
        let reasons = EscalationType::ALL.iter().filter(makes_sense).map(choice).collect();
        let fields = vec![
            form.field("reason", t.payer.help_reason, Control::Radios(reasons)),
            form.field("statement", t.payer.help_statement, Control::Lines),
        ];
        Self {
            form_token: form.form_token.clone(),
            problems: form.problems(&fields),
            fields,
            ..Self::without_form(shown, urls)
        }
    }

    /// The confirmation: `id` is the id of the raised escalation.
    #[must_use]
    pub fn raised(shown: &InvoiceForPayer, id: &str, urls: &PublicUrls) -> Self {
        let last = id.char_indices().rev().nth(7).and_then(|(start, _)| id.get(start..));
        let raised = (ENGLISH.payer.help_raised)(last.unwrap_or(id));
        Self { raised: Some(raised), ..Self::without_form(shown, urls) }
    }

    fn without_form(shown: &InvoiceForPayer, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        Self {
            t,
            layout: PayerLayout::new(&shown.letterhead, t.payer.ask_for_help.to_owned(), urls, t),
            back: urls.payment_page(shown.invoice.pay_token.reveal()),
            raised: None,
            form_token: String::new(),
            problems: Vec::new(),
            fields: Vec::new(),
        }
    }
}

impl Page for HelpPage {
    fn brand(&self) -> Option<&Brand> {
        self.layout.brand.as_ref()
    }
}
