//! The settings page of the account's profile.

use askama::Template;
use kernel::PublicUrls;
use partner_accounts::Account;

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// The profile: the fields that the owner can change, and those that the owner cannot.
#[derive(Debug, Clone, Template)]
#[template(path = "account/profile.html")]
pub struct ProfilePage {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    form_token: String,
    version: String,
    problems: Vec<Problem>,
    fields: Vec<FormField>,
    logo: Option<String>,
    fixed: Vec<(&'static str, String)>,
}

impl Page for ProfilePage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

/// The fields of the form as the account has them.
#[must_use]
pub fn profile_values(account: &Account, urls: &PublicUrls) -> Vec<(String, String)> {
    let profile = &account.profile;
    let text = |line: &Option<kernel::SingleLine<200>>| line.as_ref().map(ToString::to_string);
    let communications = if profile.communications_enabled { "true" } else { "false" };
    let values = [
        ("company_name", Some(profile.company_name.to_string())),
        ("first_name", text(&profile.first_name)),
        ("last_name", text(&profile.last_name)),
        ("phone", text(&profile.phone)),
        ("abn", text(&profile.abn)),
        ("timezone", Some(profile.time_zone.name().to_owned())),
        ("address_line1", text(&profile.address_line1)),
        ("address_city", text(&profile.address_city)),
        ("address_state", text(&profile.address_state)),
        ("address_postal_code", text(&profile.address_postal_code)),
        ("address_country", text(&profile.address_country)),
        ("invoice_prefix", profile.invoice_prefix.as_ref().map(ToString::to_string)),
        ("payment_slug", Some(account.payment_slug.as_str().to_owned())),
        ("brand_color", profile.brand_color.as_ref().map(ToString::to_string)),
        ("communications_enabled", Some(communications.to_owned())),
        ("logo_url", account.logo.as_ref().map(|logo| urls.logo(logo))),
    ];
    values.into_iter().map(|(name, value)| (name.to_owned(), value.unwrap_or_default())).collect()
}

impl ProfilePage {
    /// `version` is the version of the account that filled the form.
    #[must_use]
    pub fn new(account: &Account, form: &Form, version: String, urls: &PublicUrls) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        let fields = fields(form, s);
        let external_id = account.external_id.as_ref().map(|id| (s.external_id, id.to_string()));
        let fixed = [(s.login, account.email.to_string()), (s.currency, account.currency.to_string())];
        Self {
            t,
            s,
            layout: Dashboard::new(
                account.profile.company_name.as_str(),
                Section::Profile,
                s.profile,
                urls,
                t,
            ),
            form_token: form.form_token.clone(),
            version,
            problems: form.problems(&fields),
            fields,
            logo: account.logo.as_ref().map(|logo| urls.logo(logo)),
            fixed: fixed.into_iter().chain(external_id).collect(),
        }
    }
}

fn fields(form: &Form, s: &AccountTexts) -> Vec<FormField> {
    let line = |name: &str, label: &str| form.field(name, label, Control::Line("text"));
    let switch = [("true", s.communications_on), ("false", s.communications_off)];
    let switch = Control::Radios(form.choices("communications_enabled", switch));
    vec![
        line("company_name", s.company_name).autocomplete("organization"),
        line("first_name", s.first_name).autocomplete("given-name"),
        line("last_name", s.last_name).autocomplete("family-name"),
        form.field("phone", s.phone, Control::Line("tel")).autocomplete("tel"),
        line("abn", s.abn),
        line("timezone", s.time_zone),
        line("address_line1", s.address_line1).autocomplete("address-line1"),
        line("address_city", s.address_city).autocomplete("address-level2"),
        line("address_state", s.address_state).autocomplete("address-level1"),
        line("address_postal_code", s.address_postal_code).autocomplete("postal-code"),
        line("address_country", s.address_country).autocomplete("country-name"),
        line("invoice_prefix", s.invoice_prefix).hint(s.invoice_prefix_hint),
        line("payment_slug", s.payment_slug).hint(s.payment_slug_hint),
        line("brand_color", s.brand_color).hint(s.brand_color_hint),
        form.field("communications_enabled", s.communications, switch),
        form.field("logo", s.logo, Control::File).hint(s.logo_hint),
        form.field("logo_url", s.logo_url, Control::Line("url")).hint(s.logo_url_hint),
    ]
}
