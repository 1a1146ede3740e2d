//! Reminders and the replies of customers, with a clock that the test moves, on both databases.

mod answers;
mod bounces;
mod corrections;
mod language_model;
mod opt_outs;
mod policy;
mod quarantine;
mod reminders;
mod replies;
mod texts;
mod unread;

use std::cell::Cell;

use kernel::instant_text;
use reqwest::Method;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::datetime;

use crate::test_app::{Browser, Caller, Database, TestApp, hidden, until};

/// When each test begins: a Tuesday, nine in the morning in Berlin.
const START: OffsetDateTime = datetime!(2026-12-01 08:00 UTC);
/// When the first reminder of [`ReminderFixture::reminded`] is sent.
const REMINDED: OffsetDateTime = datetime!(2026-12-07 08:00 UTC);
/// When its second reminder is due.
const NEXT_STEP: OffsetDateTime = datetime!(2026-12-11 08:00 UTC);

/// A service whose workers wait for an hour, so that only `reminder run` decides; mail comes in at
/// in.example.com.
struct ReminderFixture {
    server: TestApp,
    clock: tempfile::NamedTempFile,
    now: Cell<OffsetDateTime>,
}

/// An account in Berlin.
struct Account {
    key: Caller,
    id: String,
    /// The address of its owner.
    email: String,
}

async fn on_both(test: impl AsyncFn(ReminderFixture)) {
    for database in Database::both() {
        test(ReminderFixture::open(database).await).await;
    }
}

impl ReminderFixture {
    async fn open(database: Database) -> Self {
        Self::open_with(database, "1h", &[]).await
    }

    /// A service with another worker interval and more settings.
    async fn open_with(database: Database, interval: &str, more: &[(&str, &str)]) -> Self {
        let clock = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(clock.path(), instant_text(START)).unwrap();
        let settings = [
            ("COUNTINGHOUSE_SANDBOX", "true"),
            ("COUNTINGHOUSE_TEST_CLOCK", clock.path().to_str().unwrap()),
            ("COUNTINGHOUSE_WORKER_INTERVAL", interval),
            ("COUNTINGHOUSE_INBOUND_DOMAIN", "in.example.com"),
            ("COUNTINGHOUSE_INBOUND_TOKEN", "inbound-secret"),
        ];
        let server = TestApp::start(database, &[&settings[..], more].concat()).await;
        Self { server, clock, now: Cell::new(START) }
    }

    fn at(&self, instant: OffsetDateTime) {
        self.now.set(instant);
        std::fs::write(self.clock.path(), instant_text(instant)).unwrap();
    }

    async fn account(&self) -> Account {
        let fields = json!({"company_name": "Harbour & Sons", "timezone": "Europe/Berlin"});
        let (key, made) = self.server.account_of(&self.server.partner(), fields).await;
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Account { key, id: text("id"), email: text("email") }
    }

    /// A browser in which the owner of an account is signed in.
    async fn owner(&self, account: &Account) -> Browser {
        Browser::signed_in_at(self.now.get(), &self.server, &account.id).await
    }

    /// An account with reminders, and its invoice.
    async fn reminding(&self) -> (Account, Value) {
        let account = self.account().await;
        self.start_reminders(&account, "1:email,7:email");
        let invoice = account.invoice("2026-12-04", json!({})).await;
        (account, invoice)
    }

    /// An account that reminded a contact of an invoice, with the reminder.
    async fn reminded(&self) -> (Account, Value, Value) {
        let (account, invoice) = self.reminding().await;
        self.at(REMINDED);
        assert_eq!(self.run(id(&invoice)), ["+1 email send"]);
        let sent = self.until_sent(&account).await;
        (account, invoice, sent)
    }

    /// Two accounts that reminded a contact with the same address, each with the invoice and the reminder.
    async fn two_reminded(&self) -> [(Account, Value, Value); 2] {
        let [(one, of_one), (other, of_other)] = [self.reminding().await, self.reminding().await];
        self.at(REMINDED);
        self.run("");
        let [to_one, to_other] = [self.until_sent(&one).await, self.until_sent(&other).await];
        [(one, of_one, to_one), (other, of_other, to_other)]
    }

    /// A command about a contact, which is given by its id.
    fn of_contact(&self, command: &str, account: &Account, contact: &Value, more: &[&str]) -> Value {
        let contact = contact.as_str().unwrap();
        let words = ["contact", command, "--account", &account.id, "--contact", contact];
        self.server.command_json(&[&words[..], more].concat())
    }

    /// Changes a contact's e-mail address on its page.
    async fn move_contact(&self, account: &Account, contact: &Value, email: &str) {
        let owner = self.owner(account).await;
        let form = format!("/dashboard/contacts/{}", contact.as_str().unwrap());
        let version = hidden(&owner.get(&form).await.expect(200), "version");
        let fields = [("version", &*version), ("name", "Ada"), ("email", email)];
        owner.submit(&form, &fields).await.expect(303);
    }

    /// The link that ends reminders in the text of a mail.
    async fn unsubscribe_link(&self, sent: &Value) -> String {
        let file = self.file(sent).await;
        let (_, after) = file["text"].as_str().unwrap().split_once("/unsubscribe/").unwrap();
        format!("/unsubscribe/{}", after.split_whitespace().next().unwrap())
    }

    /// Presses that link, as a mail program does.
    async fn press_unsubscribe(&self, sent: &Value) {
        let browser = Browser::new(&self.server);
        let request = browser.request(Method::POST, &self.unsubscribe_link(sent).await);
        browser.send(request.body("List-Unsubscribe=One-Click")).await.expect(200);
    }

    /// Records that a contact agreed to text messages.
    fn consent(&self, account: &Account, contact: &Value) -> Value {
        self.of_contact("consent", account, contact, &["--channel", "sms", "--how", "by letter"])
    }

    fn export(&self, account: &Account, contact: &Value) -> Value {
        self.of_contact("export", account, contact, &[])
    }

    fn erase(&self, account: &Account, contact: &Value) -> Value {
        self.of_contact("erase", account, contact, &[])
    }

    /// The messages in quarantine.
    fn quarantined(&self) -> Value {
        self.server.command_json(&["message", "quarantine", "list"])
    }

    /// Assigns a message in quarantine, which is given by its id, to an account.
    fn assign(&self, message: &Value, account: &Account) -> Value {
        let message = message.as_str().unwrap();
        self.server.command_json(&["message", "quarantine", "assign", message, "--account", &account.id])
    }

    /// Receives a raw e-mail that names sent mails, and returns the processed message.
    fn receive(&self, raw: &str) -> Value {
        self.receive_as_it_is(&self.with_message_ids(raw))
    }

    /// The raw e-mail with the `Message-ID`s of sent mails in place of `<{id}@localhost>`.
    fn with_message_ids(&self, raw: &str) -> String {
        let mut raw = raw.to_owned();
        for mail in self.server.mails_so_far(|_| true) {
            let id = message_id(&mail);
            let message = id.trim_start_matches('<').split('.').next().unwrap();
            raw = raw.replace(&format!("<{message}@localhost>"), &id);
        }
        raw
    }

    /// Receives a raw e-mail, and returns the processed message.
    fn receive_as_it_is(&self, raw: &str) -> Value {
        let raw = raw.replace('\n', "\r\n");
        let output = self.server.command_with_input(&["message", "receive", "--json"], &raw);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Receives a text message.
    fn receive_text(&self, from: &str, text: &str) -> Value {
        let words = ["message", "receive", "--channel", "sms", "--from", from, "--json"];
        let output = self.server.command_with_input(&words, text);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs one round of the worker, and returns the decisions about an invoice: step, channel, decision and
    /// reason.
    fn run(&self, invoice: &str) -> Vec<String> {
        let decided = self.server.command_json(&["reminder", "run"]);
        let own = decided.as_array().unwrap().iter().filter(|step| step["invoice_id"] == invoice);
        own.map(decision).collect()
    }

    /// All decisions about an invoice, newest first.
    fn why(&self, account: &Account, invoice: &Value) -> Vec<String> {
        let words = ["reminder", "why", "--account", &account.id, "--invoice", id(invoice)];
        self.server.command_json(&words).as_array().unwrap().iter().map(decision).collect()
    }

    fn messages(&self, account: &Account) -> Vec<Value> {
        let list = self.server.command_json(&["message", "list", "--account", &account.id]);
        list.as_array().unwrap().clone()
    }

    /// The sent messages, once nothing waits: the service may be quicker than the command that queued them.
    async fn sent(&self, account: &Account) -> Vec<Value> {
        let is_out =
            |message: &Value, state: &str| message["direction"] == "out" && message["state"] == state;
        until("the messages that are queued", async || {
            let messages = self.messages(account);
            let waits = messages.iter().any(|message| is_out(message, "queued"));
            (!waits).then(|| messages.into_iter().filter(|message| is_out(message, "sent")).collect())
        })
        .await
    }

    /// Waits until a mail is sent, and returns it.
    async fn until_sent(&self, account: &Account) -> Value {
        self.sent_at_least(account, 1).await.remove(0)
    }

    /// Waits until at least `count` messages are sent, and returns them, newest first.
    async fn sent_at_least(&self, account: &Account, count: usize) -> Vec<Value> {
        let look = async || Some(self.sent(account).await).filter(|sent| sent.len() >= count);
        until(&format!("{count} sent messages"), look).await
    }

    /// The headers and the body of a mail, unfolded.
    fn mail(&self, message: &Value) -> String {
        let name = format!("mail/{}.eml", message["message_id"].as_str().unwrap());
        let text = std::fs::read_to_string(self.server.database.folder.path().join(name)).unwrap();
        text.replace("\r\n ", " ").replace("\r\n\t", " ")
    }

    /// The address to which answers to a sent mail go.
    fn reply_address(&self, message: &Value) -> String {
        let mail = self.mail(message);
        mail.lines().find_map(|line| line.strip_prefix("Reply-To: ")).unwrap().trim().to_owned()
    }

    /// The file of a message. That of an invoice's mail is written after the mail is recorded as sent.
    async fn file(&self, message: &Value) -> Value {
        let name = format!("messages/{}.json", message["message_id"].as_str().unwrap());
        let path = self.server.database.folder.path().join(name);
        let read = async || serde_json::from_str(&std::fs::read_to_string(&path).ok()?).ok();
        until("the file of a message", read).await
    }

    /// The escalations of a message's contact, newest first.
    fn escalations(&self, account: &Account, message: &Value) -> Vec<Value> {
        self.export(account, &message["contact_id"])["escalations"].as_array().unwrap().clone()
    }

    fn start_reminders(&self, account: &Account, steps: &str) -> Value {
        let steps = format!("--steps={steps}");
        self.server.command_json(&["reminder", "policy", "--account", &account.id, &steps, "--start"])
    }
}

impl Account {
    /// An invoice of 110.00 that is due on a day, with the fields of its contact.
    async fn invoice(&self, due_date: &str, contact: Value) -> Value {
        let mut body = json!({
            "contact": {"name": "Ada Lovelace", "email": "ada@example.com", "address": {"country": "DE"}},
            "line_items": [{"description": "Consulting", "quantity": 2, "unit_amount": 50, "tax_rate": 10}],
            "due_date": due_date,
        });
        for (name, value) in contact.as_object().unwrap() {
            body["contact"][name] = value.clone();
        }
        self.key.post("/invoices", &body).await.expect(201).body
    }

    /// Gives an invoice to another contact, Bob, and returns that.
    async fn give_to_bob(&self, invoice: &Value) -> Value {
        let bob = self.invoice("2027-01-04", json!({"email": "bob@example.com"})).await["contact"].clone();
        let change = json!({"contact": {"id": bob["id"]}}).to_string().into_bytes();
        let path = format!("/invoices/{}", id(invoice));
        self.key.send(Method::PUT, &path, &[], Some(change)).await.expect(200);
        bob
    }
}

/// `+7 email send`, `+7 email hold open_escalation`.
fn decision(step: &Value) -> String {
    let part = |name: &str| step[name].as_str().unwrap_or_default().to_owned();
    let text = format!(
        "{:+} {} {} {}",
        step["step"].as_i64().unwrap(),
        part("channel"),
        part("decision"),
        part("reason")
    );
    text.trim_end().to_owned()
}

/// The `Message-ID` of a mail.
fn message_id(mail: &str) -> String {
    let mail = mail.replace("\r\n ", " ");
    mail.lines().find_map(|line| line.strip_prefix("Message-ID:")).unwrap().trim().to_owned()
}

fn id(of: &Value) -> &str {
    of["id"].as_str().unwrap()
}

/// A reply to a sent message, by its `Message-ID`.
fn answer(to: &Value, from: &str, text: &str) -> String {
    let message = to["message_id"].as_str().unwrap();
    format!(
        "From: Ada <{from}>\nTo: invoices@localhost\nSubject: Re: Reminder\nMessage-ID: <{:x}@mail.example>\n\
         In-Reply-To: <{message}@localhost>\nContent-Type: text/plain; charset=utf-8\n\n{text}\n\n\
         On 1 Dec 2026, Harbour & Sons wrote:\n> Please pay the amount due.\n",
        text.len() * 31 + from.len()
    )
}
