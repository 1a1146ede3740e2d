//! Customers: they reply by mail and by text message and ask for help on the payment page; their mail servers
//! and Twilio deliver messages repeatedly.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::{Clock as _, instant_text};
use tokio::sync::watch;

use super::super::caller::{Caller, Request};
use super::super::environment::Shared;
use super::super::leading_clock::LeadingClock;
use super::super::ledger::Ledger;
use super::super::load::up_to;
use super::mail_server::{MailServer, TakenMail};
use super::office::Office;
use crate::fixtures::twilio;
use crate::seed::random::SeededGenerator;

/// The pause between two actions, in milliseconds.
const LONGEST_PAUSE: u64 = 2_000;
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
pub(super) struct Posted {
    /// The `Message-ID` of a mail, or Twilio's id of a text message.
    pub(super) id: String,
    pub(super) is_mail: bool,
    request: Request,
    pub(super) acknowledged: bool,
}

/// All messages of customers, and the clients that deliver them.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) mail: Arc<MailServer>,
    pub(super) texts: Arc<twilio::StandIn>,
    posted: Arc<Mutex<Vec<Posted>>>,
}

impl Post {
    pub(super) fn new(mail: Arc<MailServer>, texts: Arc<twilio::StandIn>) -> Self {
        Self { mail, texts, posted: Arc::default() }
    }

    pub(super) fn posted(&self) -> MutexGuard<'_, Vec<Posted>> {
        self.posted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A customer who writes for any contact.
pub(super) struct Customer {
    office: Arc<Office>,
    post: Post,
    clock: LeadingClock,
    generator: SeededGenerator,
    caller: Caller,
    ledger: Arc<Ledger>,
    name: String,
    written: u32,
}

impl Customer {
    pub(super) fn new(
        environment: &Shared,
        office: &Arc<Office>,
        post: &Post,
        clock: &LeadingClock,
        ledger: &Arc<Ledger>,
        n: u64,
    ) -> Self {
        let n = FIRST_CALLER + n;
        let targets = office.addresses.clone().into();
        Self {
            office: office.clone(),
            post: post.clone(),
            clock: clock.clone(),
            generator: environment.generator(n),
            caller: Caller::new(targets, n, SeededGenerator::new(environment.seed, 1, n), ledger.clone()),
            ledger: ledger.clone(),
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
                66..80 => self.post_again().await,
                _ => self.confirm_receipt().await,
            };
            tokio::time::sleep(
                Duration::from_millis(100).saturating_add(up_to(&self.generator, LONGEST_PAUSE)),
            )
            .await;
        }
    }

    /// A random one of the last mails that can be answered.
    fn some_mail(&self) -> Option<TakenMail> {
        let mut mails = self.post.mail.taken();
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
        let (path, length) = (Office::mail_path(), raw.len());
        let bytes = format!(
            "POST {path} HTTP/1.1\r\nHost: loopback\r\nContent-Type: message/rfc822\r\n\
             Content-Length: {length}\r\n\r\n{raw}"
        );
        self.post(id, true, bytes).await
    }

    async fn write_text(&mut self, of: &[&str]) -> Option<()> {
        let text = self.words(of)?;
        let from = self.generator.pick(&self.office.people)?.phone.clone();
        let url = self.office.url("/inbound/twilio/sms");
        let form = self.post.texts.inbound(&url, &from, &text);
        let (_, id) = form.fields.iter().find(|(name, _)| name == "MessageSid")?.clone();
        self.post(id, false, callback("/inbound/twilio/sms", &form)).await
    }

    /// Delivers a message, sometimes twice at once.
    async fn post(&mut self, id: String, is_mail: bool, bytes: String) -> Option<()> {
        let request = Request::callback(bytes.into_bytes());
        let place = {
            let mut posted = self.post.posted();
            posted.push(Posted { id, is_mail, request, acknowledged: false });
            posted.len().saturating_sub(1)
        };
        self.bring(place).await
    }

    async fn post_again(&mut self) -> Option<()> {
        let count = u64::try_from(self.post.posted().len()).ok()?;
        let place = usize::try_from(self.generator.below(count)).ok()?;
        self.bring(place).await
    }

    async fn bring(&mut self, place: usize) -> Option<()> {
        let Posted { request, id, .. } = self.post.posted().get(place)?.clone();
        let answers = if self.generator.below(3) == 0 {
            let mut twin = self.caller.twin();
            let (one, other) = tokio::join!(self.caller.ask(&request), twin.ask(&request));
            [one, other]
        } else {
            [self.caller.ask(&request).await, None]
        };
        for answer in answers.into_iter().flatten() {
            if answer.status == 200 {
                self.post.posted().get_mut(place)?.acknowledged = true;
            } else {
                self.wrong(&format!("the message {id} was answered {}", answer.status));
            }
        }
        Some(())
    }

    async fn ask_for_help(&mut self) -> Option<()> {
        let path = format!("{}/help", self.generator.pick(&self.office.owed)?.page);
        let page = self.caller.ask(&Request::page(&path)).await?;
        let once = page.hidden("once")?;
        let statement = self.words(&ESCALATING)?;
        let reason = *self.generator.pick(&["hardship", "dispute", "human_request", "refused"])?;
        let form = [("once", once.as_str()), ("reason", reason), ("statement", statement.as_str())];
        let answer = self.caller.ask(&Request::form(&path, &form)).await?;
        if !matches!(answer.status, 200 | 303 | 409 | 429) {
            self.wrong(&format!("asking for help at {path} was answered {}", answer.status));
        }
        Some(())
    }

    /// Twilio reports that a text message arrived, or that it did not.
    async fn confirm_receipt(&mut self) -> Option<()> {
        let taken = self.post.texts.taken();
        let text = self.generator.pick(&taken)?;
        let form = match self.generator.below(8) {
            0 => self.post.texts.receipt(text, "undelivered", Some("30003")),
            _ => self.post.texts.receipt(text, "delivered", None),
        };
        let path = form.url.strip_prefix(&self.office.url(""))?.to_owned();
        let request = Request::callback(callback(&path, &form).into_bytes());
        let answer = self.caller.ask(&request).await?;
        if answer.status != 200 {
            self.wrong(&format!("a receipt at {path} was answered {}", answer.status));
        }
        Some(())
    }

    fn wrong(&self, what: &str) {
        let at = instant_text(self.clock.now());
        self.ledger.open().wrong.push(format!("{at}: {what}"));
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
