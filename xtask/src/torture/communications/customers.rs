//! Customers: they reply by mail and by text message and ask for help on the payment page; their mail servers
//! and Twilio deliver messages repeatedly.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::{Clock as _, instant_text};
use tokio::sync::watch;

use super::super::caller::{Caller, Request};
use super::super::environment::Shared;
use super::super::leading_clock::LeadingClock;
use super::super::load::up_to;
use super::super::response_log::ResponseLog;
use super::accounts::Accounts;
use super::mail_server::{MailServer, TakenMail};
use crate::fixtures::twilio;
use crate::seed::random::SeededGenerator;

/// The pause between two actions, in milliseconds.
const MAX_PAUSE: u64 = 2_000;
const FIRST_CALLER: u64 = 1_000;

const ESCALATING: [&str; 4] = [
    "I lost my job and cannot pay this invoice.",
    "This invoice is wrong, we never ordered it.",
    "Please call me, I want to talk to a person.",
    "I will not pay this.",
];
const OTHERS: [&str; 3] = [
    "Thank you for the reminder.",
    "I already paid this last week.",
    "Could it be that the amount is perhaps not entirely right, or maybe it is?",
];

/// A message that the service acknowledged.
#[derive(Debug, Clone)]
pub(super) struct SentMessage {
    /// The `Message-ID` of a mail, or Twilio's id of a text message.
    pub(super) id: String,
    pub(super) is_mail: bool,
    request: Request,
    pub(super) acknowledged: bool,
}

/// All messages of customers, and the clients that deliver them.
#[derive(Clone)]
pub(super) struct CustomerMessages {
    pub(super) mail: Arc<MailServer>,
    pub(super) texts: Arc<twilio::StandIn>,
    sent: Arc<Mutex<Vec<SentMessage>>>,
}

impl CustomerMessages {
    pub(super) fn new(mail: Arc<MailServer>, texts: Arc<twilio::StandIn>) -> Self {
        Self { mail, texts, sent: Arc::default() }
    }

    pub(super) fn sent(&self) -> MutexGuard<'_, Vec<SentMessage>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A customer who writes for any contact.
pub(super) struct Customer {
    accounts: Arc<Accounts>,
    customer_messages: CustomerMessages,
    clock: LeadingClock,
    generator: SeededGenerator,
    caller: Caller,
    response_log: Arc<ResponseLog>,
    name: String,
    written: u32,
}

impl Customer {
    pub(super) fn new(
        environment: &Shared,
        accounts: &Arc<Accounts>,
        customer_messages: &CustomerMessages,
        clock: &LeadingClock,
        response_log: &Arc<ResponseLog>,
        n: u64,
    ) -> Self {
        let n = FIRST_CALLER + n;
        let targets = accounts.addresses.clone().into();
        Self {
            accounts: accounts.clone(),
            customer_messages: customer_messages.clone(),
            clock: clock.clone(),
            generator: environment.generator(n),
            caller: Caller::new(
                targets,
                n,
                SeededGenerator::new(environment.seed, 1, n),
                response_log.clone(),
            ),
            response_log: response_log.clone(),
            name: format!("c{n}"),
            written: 0,
        }
    }

    pub(super) async fn write(mut self, stopped: watch::Receiver<bool>) {
        while !*stopped.borrow() {
            self.written += 1;
            let _done: Option<()> = match self.generator.below(100) {
                0..20 => self.answer_mail(&ESCALATING).await,
                20..32 => self.answer_mail(&OTHERS).await,
                32..38 => self.promise().await,
                38..41 => self.answer_mail(&["unsubscribe"]).await,
                41..44 => self.answer_automatically().await,
                44..54 => self.write_text(&ESCALATING).await,
                54..58 => self.write_text(&["STOP"]).await,
                58..66 => self.ask_for_help().await,
                66..80 => self.deliver_again().await,
                _ => self.confirm_receipt().await,
            };
            tokio::time::sleep(Duration::from_millis(100).saturating_add(up_to(&self.generator, MAX_PAUSE)))
                .await;
        }
    }

    /// A random one of the last mails that can be answered.
    fn some_mail(&self) -> Option<TakenMail> {
        let mut mails = self.customer_messages.mail.taken();
        mails.retain(|mail| mail.reply_to.starts_with("reply+"));
        self.generator.pick(&mails).cloned()
    }

    /// A text that no other message has.
    fn words(&self, of: &[&str]) -> Option<String> {
        let text = *self.generator.pick(of)?;
        let is_command = !text.contains(' ');
        Some(if is_command { text.to_owned() } else { format!("{text}\n({}-{})", self.name, self.written) })
    }

    async fn answer_mail(&mut self, of: &[&str]) -> Option<()> {
        let (mail, text) = (self.some_mail()?, self.words(of)?);
        self.send_mail(&mail, "Subject: Re: Reminder", &text).await
    }

    async fn promise(&mut self) -> Option<()> {
        let days = i64::try_from(self.generator.below(8)).ok()? + 2;
        let date = self.clock.now().date().saturating_add(time::Duration::days(days));
        let (day, month, year) = (date.day(), date.month(), date.year());
        let text = format!("I will pay on {day} {month} {year}.");
        self.answer_mail(&[&text]).await
    }

    async fn answer_automatically(&mut self) -> Option<()> {
        let mail = self.some_mail()?;
        let text = self.words(&["I am away and cannot pay anything until I am back."])?;
        self.send_mail(&mail, "Subject: Out of office\r\nAuto-Submitted: auto-replied", &text).await
    }

    async fn send_mail(&mut self, to: &TakenMail, subject: &str, text: &str) -> Option<()> {
        let id = format!("{}-{}@mail.example", self.name, self.written);
        let raw = format!(
            "From: Customer <{}>\r\nTo: {}\r\n{subject}\r\nMessage-ID: <{id}>\r\nIn-Reply-To: <{}>\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n",
            to.to, to.reply_to, to.message_id,
        );
        let (path, length) = (Accounts::mail_path(), raw.len());
        let bytes = format!(
            "POST {path} HTTP/1.1\r\nHost: loopback\r\nContent-Type: message/rfc822\r\n\
             Content-Length: {length}\r\n\r\n{raw}"
        );
        self.deliver(id, true, bytes).await
    }

    async fn write_text(&mut self, of: &[&str]) -> Option<()> {
        let text = self.words(of)?;
        let from = self.generator.pick(&self.accounts.people)?.phone.clone();
        let url = self.accounts.url("/inbound/twilio/sms");
        let form = self.customer_messages.texts.inbound(&url, &from, &text);
        let (_, id) = form.fields.iter().find(|(name, _)| name == "MessageSid")?.clone();
        self.deliver(id, false, callback("/inbound/twilio/sms", &form)).await
    }

    /// Delivers a message, sometimes twice at once.
    async fn deliver(&mut self, id: String, is_mail: bool, bytes: String) -> Option<()> {
        let request = Request::callback(bytes.into_bytes());
        let place = {
            let mut sent = self.customer_messages.sent();
            sent.push(SentMessage { id, is_mail, request, acknowledged: false });
            sent.len().saturating_sub(1)
        };
        self.send_stored(place).await
    }

    async fn deliver_again(&mut self) -> Option<()> {
        let count = u64::try_from(self.customer_messages.sent().len()).ok()?;
        let place = usize::try_from(self.generator.below(count)).ok()?;
        self.send_stored(place).await
    }

    async fn send_stored(&mut self, place: usize) -> Option<()> {
        let SentMessage { request, id, .. } = self.customer_messages.sent().get(place)?.clone();
        let responses = if self.generator.below(3) == 0 {
            let mut twin = self.caller.twin();
            let (one, other) = tokio::join!(self.caller.send(&request), twin.send(&request));
            [one, other]
        } else {
            [self.caller.send(&request).await, None]
        };
        for response in responses.into_iter().flatten() {
            if response.status == 200 {
                self.customer_messages.sent().get_mut(place)?.acknowledged = true;
            } else {
                self.wrong(&format!("the message {id} was answered {}", response.status));
            }
        }
        Some(())
    }

    async fn ask_for_help(&mut self) -> Option<()> {
        let path = format!("{}/help", self.generator.pick(&self.accounts.owed)?.page);
        let page = self.caller.send(&Request::page(&path)).await?;
        let form_token = page.hidden("once")?;
        let statement = self.words(&ESCALATING)?;
        let reason = *self.generator.pick(&["hardship", "dispute", "human_request", "refused"])?;
        let form = [("once", form_token.as_str()), ("reason", reason), ("statement", statement.as_str())];
        let response = self.caller.send(&Request::form(&path, &form)).await?;
        if !matches!(response.status, 200 | 303 | 409 | 429) {
            self.wrong(&format!("asking for help at {path} was answered {}", response.status));
        }
        Some(())
    }

    /// Twilio reports that a text message arrived, or that it did not.
    async fn confirm_receipt(&mut self) -> Option<()> {
        let taken = self.customer_messages.texts.taken();
        let text = self.generator.pick(&taken)?;
        let form = match self.generator.below(8) {
            0 => self.customer_messages.texts.receipt(text, "undelivered", Some("30003")),
            _ => self.customer_messages.texts.receipt(text, "delivered", None),
        };
        let path = form.url.strip_prefix(&self.accounts.url(""))?.to_owned();
        let request = Request::callback(callback(&path, &form).into_bytes());
        let response = self.caller.send(&request).await?;
        if response.status != 200 {
            self.wrong(&format!("a receipt at {path} was answered {}", response.status));
        }
        Some(())
    }

    fn wrong(&self, what: &str) {
        let at = instant_text(self.clock.now());
        self.response_log.lock().wrong.push(format!("{at}: {what}"));
    }
}

/// A call from Twilio.
fn callback(path: &str, form: &twilio::callbacks::SignedForm) -> String {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form.pairs()).finish();
    let (length, signature) = (body.len(), &form.signature);
    format!(
        "POST {path} HTTP/1.1\r\nHost: loopback\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         X-Twilio-Signature: {signature}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
