//! Every route of the pages, as the router lists them: without a session, with another account's session,
//! with that of an account that is switched off, from another site, without a valid form token, and with
//! hostile fields.

use communications::{Address, Channel, Message, MessageData, MessageState};
use http_pages::PageRoute;
use idempotency::FormToken;
use kernel::{Clock as _, Id, SystemClock, SystemIds};
use outbox::{JobId, NewJob};
use reqwest::Method;
use serde_json::json;
use time::Duration;
use webhooks::{BulkReplay, EventName};

use crate::escalations::raise;
use crate::test_app::{Browser, Caller, TestApp, TestResponse, hidden, invoice_body, on_both_with};

/// The pages of the sandbox are covered too.
const SANDBOX: &[(&str, &str)] = &[("COUNTINGHOUSE_SANDBOX", "true")];

/// Forms of the sign-in. A repeat of them changes nothing a second time.
const WITHOUT_FORM_TOKEN: [&str; 10] = [
    "/login", "/login/code", "/confirm", "/logout", "/password/forgot", "/password/reset/{token}",
    "/invitations/{token}", "/to/{payment_slug}", "/bank-details/{token}/undo", "/gateway-keys/{token}/undo",
];

/// An account with a record of each kind that a route can name.
struct Account {
    id: String,
    invoice: String,
    contact: String,
    escalation: String,
    endpoint: String,
    delivery: String,
    replay: String,
    payment: String,
    checkout: String,
    pay_token: String,
    slug: String,
    message: String,
}

impl Account {
    async fn new(server: &TestApp, partner: &Caller) -> Self {
        let (key, made) = server.account_of(partner, json!({})).await;
        let id = made["id"].as_str().unwrap().to_owned();
        let url = "https://receiver.example.com/hook";
        let events = EventName::list();
        let endpoint =
            server.command_json(&["webhook", "add", "--account", &id, "--url", url, "--events", &events]);
        let invoice = key.post("/invoices", &invoice_body()).await.expect(201);
        let paid = server.record_payment(&id, invoice.text("id"), "1");
        let escalation = raise(server, &id, &[]);
        let deliveries = server.command_json(&["webhook", "deliveries", "--account", &id]);
        let pay_url = invoice.text("pay_url");
        let payer = Browser::new(server);
        let form_token = hidden(&payer.get(pay_url).await.expect(200), "once");
        let begun = payer.post(&format!("{pay_url}/checkout"), &[("once", &form_token)]).await.expect(303);
        Self {
            replay: replay_of_many(server, &id).await,
            message: message(server, &id).await,
            invoice: invoice.text("id").to_owned(),
            contact: invoice.body["contact"]["id"].as_str().unwrap().to_owned(),
            escalation: escalation["id"].as_str().unwrap().to_owned(),
            endpoint: endpoint["endpoint_id"].as_str().unwrap().to_owned(),
            delivery: deliveries[0]["delivery_id"].as_str().unwrap().to_owned(),
            payment: paid["payments"][0]["id"].as_str().unwrap().to_owned(),
            checkout: begun.header("location").rsplit('/').next().unwrap().to_owned(),
            pay_token: pay_url.rsplit('/').next().unwrap().to_owned(),
            slug: made["payment_slug"].as_str().unwrap().to_owned(),
            id,
        }
    }

    /// The path of a route, with this account's records as its parameters. A parameter of a new kind needs a
    /// value here.
    fn address(&self, route: &PageRoute) -> String {
        let path = &*route.path;
        let id = [
            ("/dashboard/invoices", &self.invoice),
            ("/dashboard/contacts", &self.contact),
            ("/sandbox/checkout", &self.checkout),
            ("/dashboard/escalations", &self.escalation),
            ("/dashboard/messages", &self.message),
            ("/dashboard/webhooks/deliveries", &self.delivery),
            ("/dashboard/webhooks/replays", &self.replay),
            ("/dashboard/settings/webhooks", &self.endpoint),
        ];
        let id = id.into_iter().find(|(prefix, _)| path.starts_with(prefix)).map_or("none", |(_, id)| id);
        let address = path
            .replace("{id}", id)
            .replace("{payment_id}", &self.payment)
            .replace("{payment_slug}", &self.slug);
        let token = if path.starts_with("/pay/") { &self.pay_token } else { "none" };
        let address = address.replace("{token}", token);
        assert!(!address.contains(['{', '}']), "a value for {path}");
        address
    }
}

/// Creates a replay of many deliveries; returns its id. No worker has a job for it.
async fn replay_of_many(server: &TestApp, account: &str) -> String {
    let (account, now, ids) = (Id::parse(account).unwrap(), SystemClock.now(), SystemIds::default());
    let replay = BulkReplay {
        id: Id::new(&ids, now),
        account,
        abandoned_since: now,
        requested_at: now,
        total: 2,
        made: 1,
        finished_at: None,
    };
    let job = NewJob {
        id: JobId::new(&ids, now),
        account,
        kind: "of_a_test",
        resource_id: None,
        to_customer: false,
        payload: "{}".to_owned(),
        queued_at: now,
    };
    let store = server.database.store().await;
    store.delivery_store.insert_bulk_replay(&replay, job).await.unwrap();
    replay.id.to_string()
}

/// Creates an incoming message; returns its id.
async fn message(server: &TestApp, account: &str) -> String {
    let (account, now, ids) = (Id::parse(account).unwrap(), SystemClock.now(), SystemIds::default());
    let way = (Channel::Email, Address::parse(Channel::Email, "ada@example.com").unwrap());
    let message = Message::new(MessageData {
        state: MessageState::Handled,
        text: "Hello".to_owned(),
        is_unread: true,
        ..MessageData::incoming(Id::new(&ids, now), account, way, now)
    });
    let store = server.database.store().await;
    let mut tx = store.communications.begin(account).await.unwrap();
    tx.messages().insert(&message, &[]).await.unwrap();
    tx.commit().await.unwrap();
    message.id.to_string()
}

fn is_of_the_dashboard(route: &PageRoute) -> bool {
    route.path == "/dashboard" || route.path.starts_with("/dashboard/")
}

fn names_a_record(route: &PageRoute) -> bool {
    is_of_the_dashboard(route) && route.path.contains("{id}")
}

/// The value of the pressed button, for a form with several buttons.
fn action(route: &PageRoute) -> &'static str {
    match &*route.path {
        "/dashboard/invoices/new" | "/dashboard/invoices/{id}/edit" => "save_draft",
        "/dashboard/webhooks/deliveries/{id}" => "replay",
        "/sandbox/checkout/{id}" => "pay",
        _ => "",
    }
}

/// A form token as old as `age`, of a page of an account.
fn form_token(account: &str, age: Duration) -> String {
    let account = Id::parse(account).unwrap();
    FormToken::new(&SystemIds::default(), SystemClock.now() - age, account).uuid().to_string()
}

/// Asserts that a response leads to the sign-in.
fn leads_to_sign_in(answer: &TestResponse, what: &str) {
    assert_eq!(answer.status, 303, "{what}");
    assert!(answer.header("location").starts_with("/login?next="), "{what}");
}

#[tokio::test]
async fn every_route_of_the_dashboard_needs_a_session_of_its_own_account() {
    on_both_with(SANDBOX, async |server| {
        let partner = server.partner();
        let (mine, other) = (Account::new(&server, &partner).await, Account::new(&server, &partner).await);
        let (anonymous, stranger) = (Browser::new(&server), Browser::signed_in(&server, &other.id).await);
        let owner = Browser::signed_in(&server, &mine.id).await;
        let routes: Vec<_> = http_pages::routes().into_iter().filter(is_of_the_dashboard).collect();
        assert!(routes.len() >= 20, "{routes:?}");
        for route in &routes {
            let address = mine.address(route);
            if route.has_get {
                leads_to_sign_in(&anonymous.get(&address).await, &address);
                let status = owner.get(&address).await.status;
                assert!(matches!(status, 200 | 303), "{address}: {status}");
            }
            if route.has_post {
                let sent = anonymous.post(&address, &[("once", &form_token(&mine.id, Duration::ZERO))]).await;
                leads_to_sign_in(&sent, &address);
            }
            if names_a_record(route) {
                if route.has_get {
                    assert_eq!(stranger.get(&address).await.status, 404, "{address}");
                }
                if route.has_post {
                    let of_other = form_token(&other.id, Duration::ZERO);
                    let fields = [("once", &*of_other), ("action", action(route))];
                    let status = stranger.post(&address, &fields).await.status;
                    assert!(matches!(status, 404 | 422), "{address}: {status}");
                }
            }
        }
        server.command_json(&["account", "disable", &mine.id]);
        for route in routes.iter().filter(|route| route.has_get) {
            let address = mine.address(route);
            assert_eq!(owner.get(&address).await.status, 403, "{address} of a switched-off account");
        }
    })
    .await;
}

#[tokio::test]
async fn every_page_links_to_the_host_under_which_it_was_opened() {
    on_both_with(SANDBOX, async |server| {
        let account = Account::new(&server, &server.partner()).await;
        let owner = Browser::signed_in(&server, &account.id).await;
        for route in http_pages::routes().into_iter().filter(|route| route.has_get) {
            let page = owner.get(&account.address(&route)).await;
            assert!(!page.header("location").starts_with("http"), "{route:?}: {}", page.header("location"));
            // Some routes lead to a PDF.
            let text = String::from_utf8_lossy(&page.bytes);
            for attribute in ["href", "src", "action"] {
                assert!(!text.contains(&format!("{attribute}=\"{}", server.base)), "{route:?}: {text}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn every_form_is_taken_from_our_own_pages_alone_and_once() {
    on_both_with(SANDBOX, async |server| {
        let account = Account::new(&server, &server.partner()).await;
        let owner = Browser::signed_in(&server, &account.id).await;
        for route in http_pages::routes().into_iter().filter(|route| route.has_post) {
            let address = account.address(&route);
            let fresh = form_token(&account.id, Duration::ZERO);
            for headers in [&[("Sec-Fetch-Site", "cross-site")][..], &[("Sec-Fetch-Site", "same-site")], &[]]
            {
                let request = owner.request(Method::POST, &address).body(format!("once={fresh}"));
                let request = request.header("Content-Type", "application/x-www-form-urlencoded");
                let request =
                    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
                assert_eq!(owner.send(request).await.status, 403, "{address} with {headers:?}");
            }
            if !WITHOUT_FORM_TOKEN.contains(&&*route.path) {
                let old = form_token(&account.id, Duration::hours(25));
                for value in ["", "none", &*old] {
                    // `confirm` is for the page that asks for confirmation before an invoice is cancelled.
                    let fields = [("once", value), ("action", action(&route)), ("confirm", "yes")];
                    let status = owner.post(&address, &fields).await.status;
                    // Fields may be validated before the form token.
                    assert!(matches!(status, 409 | 422), "{address} with {value:?}: {status}");
                }
            }
        }
    })
    .await;
}

/// PostgreSQL takes no NUL in a text.
#[tokio::test]
async fn nul_in_a_path_or_a_query_breaks_nothing() {
    const QUERY: &str = "q=%00&cursor=%00&contact=%00&status=%00&number=%00&from=%00&next=%00&done=%00";
    on_both_with(SANDBOX, async |server| {
        let account = Account::new(&server, &server.partner()).await;
        let owner = Browser::signed_in(&server, &account.id).await;
        for route in http_pages::routes().into_iter().filter(|route| route.has_get) {
            let address = account.address(&route);
            let parts = route.path.split('/').zip(address.split('/'));
            let parts = parts.map(|(name, value)| match name.contains('{') {
                true => format!("{value}%00"),
                false => value.to_owned(),
            });
            let with_nul = parts.collect::<Vec<_>>().join("/");
            for address in [with_nul, format!("{address}?{QUERY}")] {
                let status = owner.get(&address).await.status;
                assert!(status < 500, "{address}: {status}");
            }
        }
        for query in ["q=%00", "q=a%00"] {
            for list in ["/dashboard/invoices", "/dashboard/invoices/export.csv", "/dashboard/contacts"] {
                owner.get(&format!("{list}?{query}")).await.expect(200);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn hostile_fields_are_refused_and_break_nothing() {
    on_both_with(SANDBOX, async |server| {
        let account = Account::new(&server, &server.partner()).await;
        let owner = Browser::signed_in(&server, &account.id).await;
        let long = "x".repeat(100_000);
        let texts =
            ["", "\u{0}", "\u{202e}<script>alert(1)</script>", "-1", "1e999", "9999-99-99", "💥", &long];
        let names = [
            "action",
            "name",
            "email",
            "phone",
            "url",
            "events",
            "amount",
            "method",
            "received_at",
            "reference",
            "reason",
            "statement",
            "date",
            "outcome",
            "notes",
            "password",
            "code",
            "next",
            "version",
            "cursor",
            "contact.id",
            "contact.email",
            "line_items.0.quantity",
            "line_items.0.unit_amount",
            "due_date",
            "line_items.18446744073709551615.quantity",
            "currency",
            "invoice_number",
            "company_name",
            "timezone",
            "address.line1",
            "logo",
            "logo_url",
            "brand_color",
            "minimum_percent",
            "iban",
            "kind",
        ];
        let quiet = ["/logout", "/login", "/login/code", "/confirm", "/password/forgot"];
        let routes = http_pages::routes().into_iter();
        for route in routes.filter(|route| route.has_post && !quiet.contains(&&*route.path)) {
            for text in texts {
                let form_token = form_token(&account.id, Duration::ZERO);
                let most = if text.len() > 9_999 { 5 } else { names.len() };
                let fields = names.iter().take(most).map(|name| (*name, text));
                let fields: Vec<_> = [("once", &*form_token)].into_iter().chain(fields).collect();
                let address = account.address(&route);
                let status = owner.post(&address, &fields).await.status;
                assert!(status < 500, "{address} with {:.20}: {status}", text);
                let is_limited = status == 429 && address.starts_with("/dashboard");
                assert!(!is_limited, "{address} was not reached");
            }
        }
    })
    .await;
}
