//! The settings page of the notices that the owner gets by mail.

use askama::Template;
use kernel::{Named as _, PublicUrls};
use mail::OwnerNotice;

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// The kinds of notices, each with a check box.
#[derive(Debug, Clone, Template)]
#[template(path = "account/notifications.html")]
pub struct NotificationsPage {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    form_token: String,
    version: String,
    problems: Vec<Problem>,
    notices: FormField,
}

impl Page for NotificationsPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl NotificationsPage {
    /// `form` has a value `notices` for each kind that is on; `version` is the version of the settings that
    /// filled it.
    #[must_use]
    pub fn new(company: &str, form: &Form, version: String, urls: &PublicUrls) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        let kinds = OwnerNotice::ALL.iter().map(|&kind| (kind.as_str(), (s.notice_of)(kind)));
        let notices = form.field("notices", s.mails, Control::Boxes(form.choices("notices", kinds)));
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::Notifications, s.notifications, urls, t),
            form_token: form.form_token.clone(),
            version,
            problems: form.problems([&notices]),
            notices,
        }
    }
}
