//! The checkout of the sandbox.

use askama::Template;
use invoices::figures::money_text;
use kernel::{Named as _, PublicUrls};
use payments::{SandboxAction, SandboxShown};

use crate::form::{Button, Form, Problem};
use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, Texts};

/// Every button, in order.
const ACTIONS: [SandboxAction; 5] = [
    SandboxAction::Pay,
    SandboxAction::Decline,
    SandboxAction::PayLater,
    SandboxAction::LoseAnswer,
    SandboxAction::PayTwice,
];

/// The checkout of the sandbox.
#[derive(Debug, Clone, Template)]
#[template(path = "sandbox.html")]
pub struct SandboxPage {
    t: &'static Texts,
    stylesheet: String,
    amount: String,
    description: String,
    company: String,
    form_token: String,
    problems: Vec<Problem>,
    buttons: Vec<Button>,
    back: String,
}

impl SandboxPage {
    #[must_use]
    pub fn new(shown: &SandboxShown, form: &Form, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let button = |action: SandboxAction| Button {
            action: action.as_str().to_owned(),
            label: (t.payer.sandbox_action)(action).to_owned(),
        };
        Self {
            t,
            stylesheet: urls.asset(&stylesheet::NAME),
            amount: money_text(shown.amount),
            description: shown.description.clone(),
            company: shown.company_name.clone(),
            form_token: form.form_token.clone(),
            // The buttons are no field that a line could link to.
            problems: form.problems([]),
            buttons: if shown.is_open { ACTIONS.map(button).to_vec() } else { Vec::new() },
            back: shown.return_url.clone(),
        }
    }
}

impl Page for SandboxPage {}
