//! A stand-in for Xero, and an invoice to enter.

use std::sync::Arc;

use invoices::ledger::LedgerTaskId;
use invoices::{
    CreationContext, Invoice, InvoiceInput, InvoiceNumber, InvoiceTextsInput, InvoicingPolicy, LineInput,
    NewInvoice, PayToken,
};
use kernel::{
    AccountScope, Clock, Currency, Decimal, EmailAddress, Field, FieldErrors, Id, MultiLine, SingleLine,
    TimeZone,
};
use ledger_xero::{XeroLedger, XeroSettings};
use testkit::{CountingIds, FixedClock, FixedRandom};
use time::macros::date;
use wiremock::matchers::{body_string, header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

pub(crate) const SECRET: &str = "s3cret-and-long";
pub(crate) const ID: &str = "220ddca8-3144-4085-9a88-2d72c5133734";

/// A stand-in for Xero on a local port, and a ledger that calls it.
pub(crate) struct StandIn {
    pub(crate) server: MockServer,
    pub(crate) ledger: XeroLedger,
    pub(crate) clock: FixedClock,
}

impl StandIn {
    /// Starts a stand-in that issues the tokens `token-1`, `token-2` and so on, each for half an hour.
    pub(crate) async fn start() -> Self {
        let server = MockServer::start().await;
        for n in 1..=9 {
            Mock::given(method("POST"))
                .and(path("/connect/token"))
                .and(header("Authorization", "Basic Y2xpZW50OnMzY3JldC1hbmQtbG9uZw=="))
                .and(body_string("grant_type=client_credentials&scope=accounting.transactions"))
                .respond_with(json(
                    200,
                    &format!(r#"{{"access_token":"token-{n}","expires_in":1800,"token_type":"Bearer"}}"#),
                ))
                .up_to_n_times(1)
                .mount(&server)
                .await;
        }
        let clock = FixedClock::default();
        let ledger = XeroLedger::new(settings(&server.uri()), Arc::new(clock.clone())).unwrap();
        Self { server, ledger, clock }
    }

    pub(crate) async fn answers(&self, verb: &str, at: &str, answer: ResponseTemplate) {
        let at = format!("/api.xro/2.0{at}");
        Mock::given(method(verb)).and(path(at)).respond_with(answer).mount(&self.server).await;
    }

    /// Responds like this to the next call only.
    pub(crate) async fn answers_once(&self, verb: &str, at: &str, answer: ResponseTemplate) {
        let at = format!("/api.xro/2.0{at}");
        Mock::given(method(verb))
            .and(path(at))
            .respond_with(answer)
            .up_to_n_times(1)
            .mount(&self.server)
            .await;
    }

    /// The calls so far, each like `PUT /Invoices?unitdp=4 token-1`.
    pub(crate) async fn calls(&self) -> Vec<String> {
        let calls = self.requests().await;
        calls.iter().map(told).collect()
    }

    pub(crate) async fn requests(&self) -> Vec<Request> {
        self.server.received_requests().await.unwrap()
    }
}

pub(crate) fn settings(uri: &str) -> XeroSettings {
    let mut settings = XeroSettings::new("client", SECRET);
    settings.base_url = format!("{uri}/api.xro/2.0");
    settings.token_url = format!("{uri}/connect/token");
    settings.tenant_id = Some("tenant-1".to_owned());
    settings.sales_account_code = Some("200".to_owned());
    settings
}

fn told(call: &Request) -> String {
    let query = call.url.query().map(|query| format!("?{query}"));
    let at = call.url.path().trim_start_matches("/api.xro/2.0");
    let bearer = text_of(call, "Authorization").replace("Bearer", "");
    let bearer = bearer.strip_prefix("Basic").map_or(&*bearer, |_| "");
    format!("{} {at}{}{bearer}", call.method, query.unwrap_or_default())
}

pub(crate) fn text_of(call: &Request, header: &str) -> String {
    let value = call.headers.get(header).map(|value| value.to_str().unwrap());
    value.unwrap_or_default().to_owned()
}

pub(crate) fn json(status: u16, body: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body, "application/json")
}

/// Xero's response with one invoice, INV-0007 with this reference.
pub(crate) fn entered(status: &str, reference: &str) -> ResponseTemplate {
    let invoice = format!(
        r#"{{"Type":"ACCREC","InvoiceID":"{ID}","InvoiceNumber":"INV-0007","Status":"{status}","CurrencyCode":"AUD",
            "Reference":"{reference}","Contact":{{"ContactID":"1","Name":"ADA Lovelace"}},
            "DateString":"2026-11-20T00:00:00","Total":38.23,"HasErrors":false,"ValidationErrors":[]}}"#
    );
    json(200, &format!(r#"{{"Status":"OK","Invoices":[{invoice}]}}"#))
}

/// The reference of our invoice in Xero.
pub(crate) fn our_reference() -> String {
    format!("PO 7 / {}", invoice().id)
}

pub(crate) fn refused(message: &str) -> ResponseTemplate {
    let body = format!(
        r#"{{"ErrorNumber":10,"Type":"ValidationException","Message":"A validation exception occurred",
            "Elements":[{{"Status":"VOIDED","ValidationErrors":[{{"Message":"{message}"}}],"Warnings":[]}}]}}"#
    );
    json(400, &body)
}

/// The idempotency key of a push.
pub(crate) fn key() -> LedgerTaskId {
    Id::new(&CountingIds::default(), FixedClock::START)
}

/// INV-0007 over 38.23 AUD, with two lines that floats would compute wrongly.
pub(crate) fn invoice() -> Invoice {
    numbered(7)
}

/// The same invoice with another number.
pub(crate) fn numbered(last: u64) -> Invoice {
    let (ids, now) = (CountingIds::default(), FixedClock::default().now());
    let scope = AccountScope {
        id: Id::new(&ids, now),
        time_zone: TimeZone::utc(),
        currency: Currency::parse("AUD").unwrap(),
        invoice_prefix: None,
        communications_enabled: true,
        monthly_invoice_limit: None,
    };
    let number = |text| Field::Value(Decimal::parse(text).unwrap());
    let rent = LineInput {
        description: Field::Value(MultiLine::parse("Rent").unwrap()),
        quantity: number("1.5"),
        unit_amount: number("25.0605"),
        tax_rate: number("15"),
        tax_type: Field::Value(SingleLine::parse("OUTPUT2").unwrap()),
    };
    let discount = LineInput {
        description: Field::Value(MultiLine::parse("Discount").unwrap()),
        unit_amount: number("-5"),
        ..LineInput::default()
    };
    let input = InvoiceInput {
        contact: Field::Value(contacts::ContactInput {
            email: Field::Value(kernel::EmailAddress::parse("ada@example.com").unwrap()),
            ..contacts::ContactInput::default()
        }),
        line_items: Field::Value(vec![rent, discount]),
        texts: InvoiceTextsInput {
            reference: Field::Value(SingleLine::parse("PO 7").unwrap()),
            ..InvoiceTextsInput::default()
        },
        ..InvoiceInput::default()
    };
    let (policy, today) = (InvoicingPolicy::default(), date!(2026 - 11 - 20));
    let new = NewInvoice::check(input, FieldErrors::default(), &scope, policy, today).unwrap();
    let contact = contacts::Contact {
        id: Id::new(&ids, now),
        account: scope.id,
        name: SingleLine::parse("Ada Lovelace").unwrap(),
        email: Some(EmailAddress::parse("ada@example.com").unwrap()),
        phone: None,
        external_id: None,
        address: None,
        created_at: now,
        updated_at: now,
    };
    let context = CreationContext {
        account: scope.id,
        number: InvoiceNumber::generated("INV-", last),
        contact: Some(contact),
        pay_token: PayToken::generate(scope.id, &FixedRandom::default()),
        ids: &ids,
        now,
        today,
    };
    Invoice::create(new, context)
}
