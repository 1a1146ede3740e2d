//! The security settings: password, second factor, sessions, audit entries.

use askama::Template;
use invoices::figures::written_instant;
use kernel::{PublicUrls, TimeZone};
use sessions::{AuditEntry, RecoveryCode, Session, SessionId, TotpSecret};
use time::OffsetDateTime;

use crate::audit_rows::AuditItem;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Button, Control, Form, FormField, Problem};
use crate::page::Page;
use crate::qr_code::QrCode;
use crate::texts::{ENGLISH, SecurityTexts, Texts};

const TEXTS: &SecurityTexts = &ENGLISH.security;

/// The content of the security settings.
#[derive(Debug, Clone)]
pub struct SecurityState {
    pub company_name: String,
    pub time_zone: TimeZone,
    /// Since when the second factor is on, and how many recovery codes are left.
    pub second_factor: Option<(OffsetDateTime, u64)>,
    /// Whether a secret was shown but is not confirmed yet.
    pub is_proposed: bool,
    pub sessions: Vec<Session>,
    pub current: SessionId,
    pub entries: Vec<AuditEntry>,
    /// Whether there are older entries.
    pub has_older: bool,
}

/// `/dashboard/settings/security`.
#[derive(Debug, Clone, Template)]
#[template(path = "security.html")]
pub struct SecurityPage {
    t: &'static Texts,
    s: &'static SecurityTexts,
    layout: Dashboard,
    form_token: String,
    problems: Vec<Problem>,
    password: FormField,
    change_password: Vec<Button>,
    second_factor: String,
    /// The field of the code that turns the second factor on.
    code: Option<FormField>,
    second_factor_buttons: Vec<Button>,
    sessions: Vec<SessionItem>,
    end_others: Vec<Button>,
    entries: Vec<AuditItem>,
    older: Option<String>,
    zone: String,
}

#[derive(Debug, Clone)]
struct SessionItem {
    browser: String,
    address: String,
    signed_in_at: String,
    last_seen_at: String,
    /// The action that ends the session; `None` for the present one.
    end: Option<String>,
}

impl Page for SecurityPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl SecurityPage {
    #[must_use]
    pub fn new(state: &SecurityState, form: &Form, urls: &PublicUrls) -> Self {
        let time = |at| written_instant(at, &state.time_zone);
        let label = TEXTS.new_password;
        let password = form.field("password", label, Control::Secret).autocomplete("new-password");
        let code = state.is_proposed.then(|| code_field(form));
        let shown = std::iter::once(&password).chain(&code);
        let older = state.entries.last().filter(|_| state.has_older);
        Self {
            t: &ENGLISH,
            s: TEXTS,
            layout: layout(&state.company_name, TEXTS.security, urls),
            form_token: form.form_token.clone(),
            problems: form.problems(shown),
            change_password: vec![button("change_password", TEXTS.change_password)],
            second_factor: match state.second_factor {
                Some((since, left)) => (TEXTS.is_on)(&time(since), left),
                None => TEXTS.is_off.to_owned(),
            },
            second_factor_buttons: second_factor_buttons(state),
            sessions: state.sessions.iter().map(|session| SessionItem::new(session, state)).collect(),
            end_others: match state.sessions.len() {
                0 | 1 => Vec::new(),
                _ => vec![button("end_other_sessions", TEXTS.end_others)],
            },
            entries: state.entries.iter().map(|one| AuditItem::new(one, time(one.at), urls, TEXTS)).collect(),
            older: older.map(|entry| urls.page(format_args!("{PATH}?before={}#audit", entry.id))),
            zone: (TEXTS.zone)(state.time_zone.name()),
            password: password.hint(ENGLISH.sign_in.password_hint),
            code,
        }
    }
}

const PATH: &str = "/dashboard/settings/security";

fn layout(company: &str, heading: &str, urls: &PublicUrls) -> Dashboard {
    Dashboard::new(company, Section::Security, heading, urls, &ENGLISH)
}

fn second_factor_buttons(state: &SecurityState) -> Vec<Button> {
    match (state.second_factor, state.is_proposed) {
        (Some(_), _) => vec![
            button("renew_recovery_codes", TEXTS.new_codes),
            button("turn_off_second_factor", TEXTS.turn_off),
        ],
        (None, true) => vec![
            button("turn_on_second_factor", TEXTS.turn_on),
            button("set_up_second_factor", TEXTS.set_up_again),
        ],
        (None, false) => vec![button("set_up_second_factor", TEXTS.set_up)],
    }
}

fn button(action: &str, label: &str) -> Button {
    Button { action: action.to_owned(), label: label.to_owned() }
}

fn code_field(form: &Form) -> FormField {
    let field = form.field("code", TEXTS.code_of_authenticator, Control::Line("text"));
    let mut field = field.autocomplete("one-time-code");
    field.value.clear();
    field
}

impl SessionItem {
    fn new(session: &Session, state: &SecurityState) -> Self {
        let is_current = session.id == state.current;
        Self {
            browser: session.origin.browser.clone(),
            address: session.origin.address.to_string(),
            signed_in_at: written_instant(session.created_at, &state.time_zone),
            last_seen_at: written_instant(session.last_seen_at, &state.time_zone),
            end: (!is_current).then(|| format!("end_session.{}", session.id)),
        }
    }
}

/// The secret of an authenticator, shown once.
#[derive(Debug, Clone, Template)]
#[template(path = "second_factor.html")]
pub struct SecondFactorPage {
    t: &'static Texts,
    s: &'static SecurityTexts,
    layout: Dashboard,
    form_token: String,
    qr: Option<QrCode>,
    /// In groups of four letters, for people to read.
    secret: String,
    code: FormField,
    buttons: Vec<Button>,
}

impl Page for SecondFactorPage {}

impl SecondFactorPage {
    #[must_use]
    pub fn new(
        secret: &TotpSecret,
        email: &str,
        company: &str,
        form_token: String,
        urls: &PublicUrls,
    ) -> Self {
        let letters: Vec<char> = secret.base32().chars().collect();
        let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
        let form = Form::new(form_token, Vec::new());
        Self {
            t: &ENGLISH,
            s: TEXTS,
            layout: layout(company, TEXTS.second_factor, urls),
            qr: QrCode::new(&secret.uri(ENGLISH.sign_in.service, email)),
            secret: groups.join(" "),
            code: code_field(&form),
            buttons: vec![button("turn_on_second_factor", TEXTS.turn_on)],
            form_token: form.form_token,
        }
    }
}

/// New recovery codes, shown once.
#[derive(Debug, Clone, Template)]
#[template(path = "recovery_codes.html")]
pub struct RecoveryCodesPage {
    t: &'static Texts,
    s: &'static SecurityTexts,
    layout: Dashboard,
    codes: Vec<String>,
    back: String,
}

impl Page for RecoveryCodesPage {}

impl RecoveryCodesPage {
    #[must_use]
    pub fn new(codes: &[RecoveryCode], company: &str, urls: &PublicUrls) -> Self {
        Self {
            t: &ENGLISH,
            s: TEXTS,
            layout: layout(company, TEXTS.recovery_codes, urls),
            codes: codes.iter().map(RecoveryCode::reveal).collect(),
            back: urls.page(PATH),
        }
    }
}
