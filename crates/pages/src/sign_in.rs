//! The pages of owners who are not signed in yet: a heading, some sentences and one form.

use askama::Template;
use kernel::PublicUrls;

use crate::form::{Button, Control, Form, FormField, Problem};
use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, SignInTexts, Texts};

/// A page with one form and no layout around it.
#[derive(Debug, Clone, Template)]
#[template(path = "sign_in.html")]
pub struct SignInPage {
    t: &'static Texts,
    stylesheet: String,
    title: String,
    heading: String,
    /// A notice of what was done before, such as a password change.
    notice: Option<String>,
    sentences: Vec<String>,
    problems: Vec<Problem>,
    /// Hidden fields by their names.
    hidden: Vec<(&'static str, String)>,
    fields: Vec<FormField>,
    buttons: Vec<Button>,
    /// Links below the form: URL and text.
    links: Vec<(String, String)>,
}

impl Page for SignInPage {}

const TEXTS: &SignInTexts = &ENGLISH.sign_in;

impl SignInPage {
    fn new(heading: &str, company: &str, urls: &PublicUrls) -> Self {
        let company = if company.is_empty() { TEXTS.service } else { company };
        Self {
            t: &ENGLISH,
            stylesheet: urls.asset(&stylesheet::NAME),
            title: (ENGLISH.title)(heading, company),
            heading: heading.to_owned(),
            notice: None,
            sentences: Vec::new(),
            problems: Vec::new(),
            hidden: Vec::new(),
            fields: Vec::new(),
            buttons: Vec::new(),
            links: Vec::new(),
        }
    }

    fn with_form(self, form: &Form, fields: Vec<FormField>, button: &str) -> Self {
        let buttons = vec![Button { action: String::new(), label: button.to_owned() }];
        Self { problems: form.problems(&fields), fields, buttons, ..self }
    }

    /// `/login`. `is_changed`: whether a new password has just been chosen.
    #[must_use]
    pub fn login(form: &Form, next: &str, is_changed: bool, urls: &PublicUrls) -> Self {
        let email = form.field("email", TEXTS.email, Control::Email).autocomplete("username");
        let password = password(form, "current-password");
        let page = Self::new(TEXTS.sign_in, "", urls).with_form(form, vec![email, password], TEXTS.sign_in);
        Self {
            notice: is_changed.then(|| TEXTS.password_changed.to_owned()),
            hidden: vec![("next", next.to_owned())],
            links: vec![(urls.page("/password/forgot"), TEXTS.forgot_password.to_owned())],
            ..page
        }
    }

    /// `/login/code`.
    #[must_use]
    pub fn code(form: &Form, next: &str, company: &str, urls: &PublicUrls) -> Self {
        let fields = vec![code(form).hint(TEXTS.code_hint)];
        let page = Self::new(TEXTS.enter_code, company, urls).with_form(form, fields, TEXTS.sign_in);
        Self {
            hidden: vec![("next", next.to_owned())],
            links: vec![(urls.page("/login"), TEXTS.other_login.to_owned())],
            ..page
        }
    }

    /// `/confirm`. A code is accepted if the second factor is on.
    #[must_use]
    pub fn confirm(form: &Form, next: &str, has_code: bool, company: &str, urls: &PublicUrls) -> Self {
        let mut fields = vec![password(form, "current-password")];
        let mut sentences = vec![TEXTS.confirm_why.to_owned()];
        if has_code {
            fields.push(code(form));
            sentences.push(TEXTS.confirm_either.to_owned());
        }
        let page = Self::new(TEXTS.confirm, company, urls).with_form(form, fields, TEXTS.confirm_button);
        Self { sentences, hidden: vec![("next", next.to_owned())], ..page }
    }

    /// `/invitations/{token}`, while it can be accepted.
    #[must_use]
    pub fn invitation(form: &Form, company: &str, email: &str, urls: &PublicUrls) -> Self {
        let fields = vec![password(form, "new-password").hint(TEXTS.password_hint)];
        let page = Self::new(TEXTS.choose_password, company, urls);
        let page = page.with_form(form, fields, TEXTS.set_password);
        Self { sentences: vec![(TEXTS.invited)(company, email)], ..page }
    }

    /// `/invitations/{token}`, once it has expired.
    #[must_use]
    pub fn expired_invitation(is_sent: bool, urls: &PublicUrls) -> Self {
        let page = Self::new(TEXTS.invitation_expired, "", urls);
        if is_sent {
            return Self { sentences: vec![TEXTS.invitation_sent.to_owned()], ..page };
        }
        let renew = Button { action: "renew".to_owned(), label: TEXTS.send_new_one.to_owned() };
        Self { sentences: vec![TEXTS.invitation_expired_why.to_owned()], buttons: vec![renew], ..page }
    }

    /// `/password/forgot`. The page is the same whether or not there is such a login.
    #[must_use]
    pub fn forgot_password(form: &Form, is_sent: bool, urls: &PublicUrls) -> Self {
        let page = Self::new(TEXTS.forgot_password, "", urls);
        let links = vec![(urls.page("/login"), TEXTS.sign_in.to_owned())];
        if is_sent {
            return Self { sentences: vec![TEXTS.reset_sent.to_owned()], links, ..page };
        }
        let email = form.field("email", TEXTS.email, Control::Email).autocomplete("username");
        let page = page.with_form(form, vec![email], TEXTS.send_link);
        Self { sentences: vec![TEXTS.reset_why.to_owned()], links, ..page }
    }

    /// `/password/reset/{token}`.
    #[must_use]
    pub fn reset_password(form: &Form, urls: &PublicUrls) -> Self {
        let fields = vec![password(form, "new-password").hint(TEXTS.password_hint)];
        let page = Self::new(TEXTS.choose_password, "", urls);
        let page = page.with_form(form, fields, TEXTS.set_password);
        Self { sentences: vec![TEXTS.reset_ends_sessions.to_owned()], ..page }
    }
}

fn password(form: &Form, kind: &'static str) -> FormField {
    form.field("password", TEXTS.password, Control::Secret).autocomplete(kind)
}

fn code(form: &Form) -> FormField {
    let mut field = form.field("code", TEXTS.code, Control::Line("text")).autocomplete("one-time-code");
    field.value.clear();
    field
}
