//! The accounts with their contacts, invoices and reminders, and how the service is started for them.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;

use anyhow::Context;
use app::settings::values::SandboxMode;
use app::settings::{Secret, Settings};
use app::wiring::Dependencies;
use communications::{
    Channel, ConversationService, NewConsent, PolicyChange, ReminderPolicy, ReminderService,
};
use contacts::ContactId;
use escalations::EscalationService;
use invoices::Invoicing;
use kernel::{PublicUrls, SingleLine, TimeZone};
use serde_json::{Value, json};
use store_diesel::Announce;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::super::environment::{Account, Environment};
use super::super::leading_clock::LeadingClock;
use super::mail_server::MailServer;
use crate::fixtures::client::{Connection, write};
use crate::fixtures::twilio;

const STEPS: &str = "-3:email,1:email,4:sms,8:email,12:sms,20:email,30:sms";
const INBOUND_TOKEN: &str = "torture-inbound";
const ZONES: [&str; 4] = ["Europe/Berlin", "Australia/Sydney", "America/New_York", "Pacific/Auckland"];
/// Contacts of each account. They have no country, so their time zone is that of the account.
const CONTACTS: usize = 15;
const INVOICES: u64 = 5;
/// The days within which invoices fall due.
const FALL_DUE_WITHIN: u64 = 45;
/// One of this many contacts shares its telephone number with a contact of each other account.
const SHARED_NUMBER: usize = 7;

/// A contact.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) account: Account,
    pub(super) contact: Uuid,
    pub(super) phone: String,
}

/// An invoice.
#[derive(Debug, Clone)]
pub(super) struct Owed {
    pub(super) account: Account,
    pub(super) invoice: Uuid,
    pub(super) total: String,
    /// The path of its payment page.
    pub(super) page: String,
}

pub(super) struct Accounts {
    /// The addresses on which the services listen; one of them is the public address.
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) people: Vec<Person>,
    pub(super) owed: Vec<Owed>,
    /// The zone of each account.
    pub(super) zones: Vec<(Uuid, TimeZone)>,
    /// The use cases in this process, by the clock of the service.
    pub(super) invoicing: Invoicing,
    pub(super) escalations: EscalationService,
    pub(super) reminders: ReminderService,
    pub(super) conversations: ConversationService,
    base: String,
    smtp: String,
    twilio: String,
    clock: LeadingClock,
}

impl Accounts {
    /// Opens the use cases; the service is not running yet, and the clock's file is written.
    pub(super) async fn open(
        environment: &Environment,
        addresses: Vec<SocketAddr>,
        clock: &LeadingClock,
        mail: &MailServer,
        texts: &twilio::StandIn,
    ) -> anyhow::Result<Self> {
        let first = addresses.first().context("a service has an address")?;
        let base = format!("http://{first}");
        let mut settings = Settings::read()?;
        settings.database_url = Some(Secret::new(environment.database.url.clone()));
        settings.data_dir = environment.database.folder.path().to_path_buf();
        settings.sandbox = SandboxMode::On;
        settings.test_clock = Some(clock.file.clone());
        let dependencies = Dependencies::open(Arc::new(settings), Announce::Everywhere).await?;
        let urls = PublicUrls::new(&base);
        Ok(Self {
            addresses,
            people: Vec::new(),
            owed: Vec::new(),
            zones: Vec::new(),
            invoicing: dependencies.invoicing(&urls),
            escalations: dependencies.escalation_service(&urls),
            reminders: dependencies.reminder_service(),
            conversations: dependencies.conversations(&urls),
            base,
            smtp: mail.url(),
            twilio: texts.url(),
            clock: clock.clone(),
        })
    }

    /// The URL by which Twilio and payers reach the service.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub(super) fn mail_path() -> String {
        format!("/inbound/mail/{INBOUND_TOKEN}")
    }

    /// The binary with the settings of this scenario.
    pub(super) fn command(&self, environment: &Environment) -> Command {
        let mut command = environment.command();
        command
            .env("COUNTINGHOUSE_PUBLIC_URL", &self.base)
            .env("COUNTINGHOUSE_SANDBOX", "true")
            .env("COUNTINGHOUSE_TEST_CLOCK", &self.clock.file)
            .env("COUNTINGHOUSE_SMTP_URL", &self.smtp)
            .env("COUNTINGHOUSE_INBOUND_DOMAIN", "in.example.com")
            .env("COUNTINGHOUSE_INBOUND_TOKEN", INBOUND_TOKEN)
            .env("COUNTINGHOUSE_TWILIO_ACCOUNT_SID", twilio::ACCOUNT_SID)
            .env("COUNTINGHOUSE_TWILIO_AUTH_TOKEN", twilio::AUTH_TOKEN)
            .env("COUNTINGHOUSE_TWILIO_FROM", twilio::FROM)
            .env("COUNTINGHOUSE_TWILIO_URL", &self.twilio);
        command
    }

    /// Creates contacts and invoices through the API, records consents and starts reminders.
    pub(super) async fn set_up(
        &mut self,
        environment: &Environment,
        now: OffsetDateTime,
    ) -> anyhow::Result<()> {
        let generator = environment.generator(u64::MAX - 10);
        let address = self.addresses.first().context("a service has an address")?;
        let mut connection = Connection::open(*address).await?;
        for (place, (account, zone)) in environment.accounts.iter().zip(ZONES).enumerate() {
            let path = format!("/partner/accounts/{}", account.id);
            let body = json!({"timezone": zone}).to_string();
            let request = write("PATCH", &path, &environment.partner_key, None, &body);
            connection.expect(&request, 200).await?;
            self.zones.push((account.id.uuid(), TimeZone::parse(zone)?));
            for n in 0..CONTACTS {
                let person = self.add_person(&mut connection, account, (place, n)).await?;
                for _ in 0..INVOICES {
                    let due = i64::try_from(generator.below(FALL_DUE_WITHIN))?;
                    let due = now.date().saturating_add(Duration::days(due));
                    let is_mailed = generator.below(3) == 0;
                    let cents = generator.below(90_000) + 1_000;
                    self.add_invoice(&mut connection, &person, (due, is_mailed, cents)).await?;
                }
                self.people.push(person);
            }
            let change = PolicyChange {
                steps: Some(ReminderPolicy::parse_steps(STEPS)?),
                started: Some(true),
                ..PolicyChange::default()
            };
            self.reminders.change_settings(account.id, &change.into(), None).await?;
        }
        Ok(())
    }

    async fn add_person(
        &self,
        connection: &mut Connection,
        account: &Account,
        (place, n): (usize, usize),
    ) -> anyhow::Result<Person> {
        let of = if n % SHARED_NUMBER == 0 { 0 } else { place + 1 };
        let phone = format!("+614125{of:02}{n:03}");
        let body = json!({
            "name": format!("Customer {n}"),
            "email": format!("customer-{place}-{n}@example.com"),
            "phone": phone,
        });
        let request = write("POST", "/contacts", &account.key, None, &body.to_string());
        let contact = id(&connection.json(&request, 201).await?)?;
        // One in five has not consented to text messages.
        if n % 5 != 4 {
            let how = SingleLine::parse("by telephone")?;
            let recorded_by = SingleLine::parse("operator")?;
            let consent = NewConsent { channel: Channel::Sms, is_given: true, how, recorded_by };
            let whose = ContactId::parse(&contact.to_string()).context("an id is a UUID")?;
            self.conversations.record_consent(account.id, whose, &consent).await?;
        }
        Ok(Person { account: account.clone(), contact, phone })
    }

    async fn add_invoice(
        &mut self,
        connection: &mut Connection,
        person: &Person,
        (due, is_mailed, cents): (time::Date, bool, u64),
    ) -> anyhow::Result<()> {
        let total = format!("{}.{:02}", cents / 100, cents % 100);
        let amount: Value = serde_json::from_str(&total)?;
        let body = json!({
            "contact": {"id": person.contact},
            "due_date": due.to_string(),
            "invoice_date": due.saturating_sub(Duration::days(60)).to_string(),
            "line_items": [{"description": "Work", "unit_amount": amount}],
            "send_invoice": is_mailed,
        });
        let request = write("POST", "/invoices", &person.account.key, None, &body.to_string());
        let made = connection.json(&request, 201).await?;
        let page = made.get("pay_url").and_then(Value::as_str).and_then(|url| url.strip_prefix(&self.base));
        let page = page.context("an invoice has a payment page")?.to_owned();
        self.owed.push(Owed { account: person.account.clone(), invoice: id(&made)?, total, page });
        Ok(())
    }
}

fn id(made: &Value) -> anyhow::Result<Uuid> {
    let id = made.get("id").and_then(Value::as_str).with_context(|| format!("no id in {made}"))?;
    Ok(id.parse()?)
}
