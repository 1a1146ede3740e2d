//! The pages of sign-in and of the security settings.

use kernel::{AccountToken, EmailAddress, FieldErrors, Id, SystemRandom, TimeZone};
use pages::{Form, Page, RecoveryCodesPage, SecondFactorPage, SecurityPage, SecurityState, SignInPage};
use serde_json::{Value, json};
use sessions::{AuditEntry, Origin, RecoveryCode, Session, TotpSecret};
use testkit::FixedClock;

use super::sample::urls;

const COMPANY: &str = "Harbour & <Sons>";

/// Renders a page, and asserts that every field has a label and every button a text, and that user text is
/// escaped.
fn html(page: &impl Page) -> String {
    let html = page.render().unwrap();
    for input in html.split("<input type=\"").skip(1).filter(|input| !input.starts_with("hidden")) {
        let id = input.split("id=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(html.contains(&format!("<label for=\"{id}\">")), "{id}: {html}");
    }
    let count = |text: &str| html.matches(text).count();
    assert_eq!((count("<h1>"), count("<title>"), count("<main>")), (1, 1, 1), "{html}");
    assert_eq!(count("<button"), count("</button>"));
    assert_eq!((count("<Sons>"), count("<script"), count(" style=")), (0, 0, 0), "{html}");
    assert!(!html.contains("></button>") && !html.contains("<title></title>"), "{html}");
    html
}

#[test]
fn each_page_of_the_sign_in_has_its_form() {
    let (form, urls) = (Form::default(), urls());
    let next = "/dashboard/invoices?q=\"><script>";
    for (page, title, button) in [
        (SignInPage::login(&form, next, true, &urls), "Sign in – Countinghouse", "Sign in"),
        (SignInPage::code(&form, next, COMPANY, &urls), "Enter a code – Harbour &#38; ", "Sign in"),
        (SignInPage::confirm(&form, next, true, COMPANY, &urls), "Confirm it is you – ", "Confirm"),
        (
            SignInPage::invitation(&form, COMPANY, "a@example.com", &urls),
            "Choose a password – ",
            "Set password",
        ),
        (SignInPage::expired_invitation(false, &urls), "This invitation has expired – ", "Send me a new one"),
        (SignInPage::forgot_password(&form, false, &urls), "Forgot your password? – ", "Send me a link"),
        (SignInPage::reset_password(&form, &urls), "Choose a password – ", "Set password"),
    ] {
        let html = html(&page);
        assert!(html.contains(&format!("<title>{title}")), "{html}");
        assert!(html.contains(&format!(">{button}</button>")), "{html}");
    }
    for page in [SignInPage::expired_invitation(true, &urls), SignInPage::forgot_password(&form, true, &urls)]
    {
        assert!(!html(&page).contains("<form"));
    }
}

#[test]
fn password_fault_is_shown_without_the_password() {
    let values = vec![
        ("email".to_owned(), "a@example.com".to_owned()),
        ("password".to_owned(), "hunter2".to_owned()),
        ("code".to_owned(), "123456".to_owned()),
    ];
    let form = Form::refused(String::new(), values, FieldErrors::one("password", "is not right"));
    let login = html(&SignInPage::login(&form, "/dashboard", false, &urls()));
    assert!(login.contains("<a href=\"#password\">Password is not right</a>"), "{login}");
    assert!(login.contains("id=\"password-error\">Password is not right</p>"), "{login}");
    assert!(login.contains("value=\"a@example.com\"") && !login.contains("hunter2"), "{login}");
    let code = html(&SignInPage::code(&form, "/dashboard", COMPANY, &urls()));
    assert!(!code.contains("123456"), "{code}");
}

fn state(sessions: usize, entries: usize) -> SecurityState {
    let account = Id::from_uuid("019aa1b2-0000-7000-8000-0123456789ab".parse().unwrap());
    let session = |n: usize| {
        let token = AccountToken::generate(account, &SystemRandom::default());
        let origin = Origin::new("192.0.2.1".parse().unwrap(), "<b>browser</b>");
        Session::begin(id(n), &token, origin, false, FixedClock::START)
    };
    let entry = |n: usize| AuditEntry {
        id: id(n),
        account,
        at: FixedClock::START,
        actor: "owner@example.com".to_owned(),
        address: Some("192.0.2.1".to_owned()),
        action: "bank_details.changed".to_owned(),
        before: Some("<i>old</i>".into()),
        after: Some("new".into()),
    };
    SecurityState {
        company_name: COMPANY.to_owned(),
        time_zone: TimeZone::parse("Australia/Sydney").unwrap(),
        second_factor: None,
        is_proposed: false,
        sessions: (0..sessions).map(session).collect(),
        current: id(0),
        entries: (0..entries).map(entry).collect(),
        has_older: entries > 0,
    }
}

fn id<E>(n: usize) -> Id<E> {
    Id::parse(&format!("019aa1b2-0000-7000-8000-{n:012}")).unwrap()
}

#[test]
fn security_settings_show_sessions_and_entries_in_the_accounts_time() {
    let form = Form::new("0199".to_owned(), Vec::new());
    let page = html(&SecurityPage::new(&state(2, 20), &form, &urls()));
    assert!(
        page.contains("20 November 2026, 13:09") && page.contains("time zone Australia/Sydney"),
        "{page}"
    );
    assert_eq!(page.matches("name=\"once\" value=\"0199\"").count(), 3, "each form has it");
    assert_eq!(page.matches("value=\"end_session.").count(), 1, "the present session is not ended here");
    assert!(page.contains("&#60;b&#62;browser") && page.contains("before: &#60;i&#62;old"), "{page}");
    assert!(page.contains(">Bank details changed <small>"), "{page}");
    assert!(page.contains("?before=") && page.contains(">Set up</button>"), "{page}");
    let empty = html(&SecurityPage::new(&state(1, 0), &form, &urls()));
    assert!(empty.contains("is listed here") && !empty.contains("End all others"), "{empty}");
}

/// Every action that is recorded.
const ACTIONS: [&str; 34] = [
    "account.invited", "account.disabled", "account.enabled", "account.invoice_limit_set",
    "account.currency_set", "api_key.generated", "api_key.rotated", "bank_details.entered",
    "bank_details.removed", "bank_details.undone", "payments.changed", "gateway.connected",
    "gateway.disconnected", "payment.recorded", "payment.refunded", "invoice.cancelled", "pay_link.replaced",
    "webhook_endpoint.added", "webhook_endpoint.enabled", "webhook_endpoint.disabled",
    "webhook_endpoint.deleted", "password.set", "password.changed", "password.reset",
    "second_factor.turned_on", "second_factor.turned_off", "second_factor.reset", "recovery_code.used",
    "recovery_codes.replaced", "session.ended", "sessions.ended", "profile.changed", "promise_days.changed",
    "notices.changed",
];

#[test]
fn audit_entries_are_words() {
    let entry = |action: &str, before: Option<Value>, after: Option<Value>| {
        let entry = AuditEntry { action: action.to_owned(), before, after, ..state(1, 1).entries.remove(0) };
        let shown = SecurityState { entries: vec![entry], ..state(1, 0) };
        let page = html(&SecurityPage::new(&shown, &Form::default(), &urls()));
        page.split(&format!("data-action=\"{action}\">"))
            .nth(1)
            .unwrap()
            .split("</td>")
            .next()
            .unwrap()
            .to_owned()
    };
    for action in ACTIONS {
        assert!((pages::texts::ENGLISH.security.entry.action)(action).is_some(), "{action}");
    }
    let invoice = "019aa1b2-0000-7000-8000-000000000001";
    let recorded = json!({
        "invoice": invoice, "invoice_number": "INV-0042", "amount": "40", "currency": "AUD", "method": "bank_transfer",
    });
    let link = format!("<a href=\"https://books.example.com/dashboard/invoices/{invoice}\">Open invoice</a>");
    assert_eq!(
        entry("payment.recorded", None, Some(recorded)),
        format!("Payment recorded <small>AUD 40, invoice INV-0042, bank transfer</small> {link}")
    );
    assert_eq!(
        entry("invoice.cancelled", None, Some(json!({"invoice": invoice}))),
        format!("Invoice cancelled {link}")
    );
    assert_eq!(
        entry("sessions.ended", Some(json!({"sessions": 3})), None),
        "All other sessions ended <small>3 sessions</small>"
    );
    assert_eq!(
        entry("payments.changed", None, Some("minimum_percent 25, unapplied keep".into())),
        "Online payment settings changed <small>after: minimum payment 25%, money that is not due \
         is kept</small>"
    );
    let profile = |phone: Value| Some(json!({"phone": phone, "communications_enabled": false}));
    assert_eq!(
        entry("profile.changed", profile(Value::Null), profile("+61 2".into())),
        "Profile changed <small>before: communications enabled no, no phone, after: communications enabled no, \
         phone +61 2</small>"
    );
    let of_contact = |contact: Value| Some(json!({"total": "110.00", "currency": "AUD", "contact": contact}));
    let (old, new) = ("019aa1b2-0000-7000-8000-000000000002", "019aa1b2-0000-7000-8000-000000000003");
    let page = |id: &str| format!("<a href=\"https://books.example.com/dashboard/contacts/{id}\">");
    assert_eq!(
        entry("invoice.changed", of_contact(old.into()), of_contact(new.into())),
        format!(
            "Invoice changed <small>before: AUD 110.00, after: AUD 110.00, another contact</small> {}Open \
             contact</a> {}Open earlier contact</a>",
            page(new),
            page(old)
        )
    );
    assert_eq!(
        entry("invoice.issued", of_contact(Value::Null), of_contact(new.into())),
        format!(
            "Invoice issued <small>before: AUD 110.00, after: AUD 110.00, a contact</small> {}Open contact</a>",
            page(new)
        )
    );
    assert_eq!(
        entry("new_thing.made", None, Some(json!({"is_big": true}))),
        "New thing made <small>is big yes</small>"
    );
}

#[test]
fn second_factor_is_shown_on_off_or_proposed() {
    let form = Form::default();
    let on = SecurityState { second_factor: Some((FixedClock::START, 7)), ..state(1, 0) };
    let on = html(&SecurityPage::new(&on, &form, &urls()));
    assert!(on.contains("Recovery codes left: 7") && on.contains(">Turn off</button>"), "{on}");
    let proposed = SecurityState { is_proposed: true, ..state(1, 0) };
    let proposed = html(&SecurityPage::new(&proposed, &form, &urls()));
    assert!(proposed.contains("id=\"code\"") && proposed.contains(">Turn on</button>"), "{proposed}");
}

#[test]
fn secrets_are_shown_as_picture_and_text() {
    let random = SystemRandom::default();
    let secret = TotpSecret::generate(&random);
    let email = EmailAddress::parse("owner@example.com").unwrap();
    let page = SecondFactorPage::new(&secret, email.as_str(), COMPANY, "0199".to_owned(), &urls());
    let page = html(&page);
    assert!(page.contains("<path fill=\"#000\" d=\"M4 4h7v1h-7z"), "{page}");
    assert!(page.replace(' ', "").contains(&format!("<strong>{}</strong>", secret.base32())), "{page}");
    let codes = RecoveryCode::generate_all(&random);
    let page = html(&RecoveryCodesPage::new(&codes, COMPANY, &urls()));
    assert!(codes.iter().all(|code| page.contains(&format!("<li>{}</li>", code.reveal()))), "{page}");
}
