//! Which account a message belongs to.

use std::collections::BTreeSet;

use contacts::ContactId;
use escalations::Channel;
use invoices::InvoiceId;
use kernel::{AccountId, StoreResult};
use time::{Duration, OffsetDateTime};

use super::inbox::QuarantineCandidate;
use super::parsed_message::ParsedMessage;
use super::receive::InboundService;
use crate::address::Address;
use crate::message::{Message, MessagePurpose};
use crate::reply_token::ReplyToken;

/// How long after a message to an address a message from it is matched to the account.
const REMEMBERED: Duration = Duration::days(90);
/// How many words of a text are tried as invoice numbers.
const MAX_NUMBERS: usize = 50;

/// Which account a message belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Match {
    /// One account.
    One(Matched),
    /// One of several accounts, and it cannot be decided which.
    Several(Vec<QuarantineCandidate>),
    /// No account wrote to its sender.
    None,
}

/// The account, contact and invoice of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matched {
    pub(super) account: AccountId,
    pub(super) contact: Option<ContactId>,
    pub(super) invoice: Option<InvoiceId>,
    /// Whether it is certain that the contact sent it.
    pub(super) is_sure: bool,
    /// Where the answered message went; `None` if none was found.
    pub(super) written_to: Option<(Channel, Address)>,
    /// The text of the answered message, unless the owner wrote it: a customer may promise in their words.
    pub(super) answered_text: String,
}

impl Match {
    /// The text of the answered message, if one was found.
    pub(super) fn answered_text(&self) -> &str {
        match self {
            Self::One(matched) => &matched.answered_text,
            Self::Several(_) | Self::None => "",
        }
    }
}

impl Matched {
    pub(super) fn of(message: &Message, is_sure: bool) -> Self {
        Self {
            account: message.account,
            contact: message.contact,
            invoice: message.invoice,
            is_sure,
            written_to: Some((message.channel, message.address.clone())),
            answered_text: text_of_service(message),
        }
    }
}

impl InboundService {
    /// Finds the account of a message: by the reply token of a recipient, else by the message that it
    /// answers, else by its sender. A token that no message has any more still excludes other accounts.
    pub(super) async fn find(&self, parsed: &ParsedMessage, now: OffsetDateTime) -> StoreResult<Match> {
        match by_tokens(&self.addressed(parsed).await?) {
            Match::One(matched) => return self.with_invoice(matched, parsed).await.map(Match::One),
            several @ Match::Several(_) => return Ok(several),
            Match::None => {}
        }
        let only = self.accounts_of_tokens(parsed, now).await?;
        let is_possible = |message: &Message| only.is_empty() || only.contains(&message.account);
        let mut answered = self.answered(parsed).await?;
        answered.retain(is_possible);
        if !answered.is_empty() {
            return self.by_answered(parsed, answered).await;
        }
        self.by_sender(parsed, now, is_possible).await
    }

    /// The accounts whose reply tokens the recipients have although no message has them, as after its contact
    /// was erased. The message is for none of the others.
    async fn accounts_of_tokens(
        &self,
        parsed: &ParsedMessage,
        now: OffsetDateTime,
    ) -> StoreResult<Vec<AccountId>> {
        let tokens = parsed.recipients.iter().filter_map(|address| ReplyToken::in_address(address));
        let named: BTreeSet<AccountId> = tokens.map(|token| token.account()).collect();
        let mut accounts = Vec::new();
        for account in named {
            if self.reminder_reads.account(account, now).await?.is_some() {
                accounts.push(account);
            }
        }
        Ok(accounts)
    }

    /// The match of a message that the operator assigns to a candidate: with the invoice that it answers.
    /// Tokens of two contacts of the account do not tell which of them wrote. A text message has none: its
    /// number tells as much as if no other account had written to it.
    pub(super) async fn assigned(
        &self,
        parsed: &ParsedMessage,
        candidate: QuarantineCandidate,
        received_at: OffsetDateTime,
    ) -> StoreResult<Matched> {
        let QuarantineCandidate { account, contact } = candidate;
        let is_own = |message: &Message| message.account == account;
        if parsed.channel != Channel::Email
            && let Match::One(matched) = self.by_sender(parsed, received_at, is_own).await?
        {
            return Ok(matched);
        }
        let addressed = self.addressed(parsed).await?;
        let mut own = addressed.iter().filter(|message| message.account == account);
        let is_sure = own.all(|message| message.contact == contact);
        let addressed = of_candidate(candidate, addressed);
        let answered = of_candidate(candidate, self.answered(parsed).await?);
        let invoice = invoice_of(&addressed, &answered, &parsed.in_reply_to);
        let message = addressed.first().or_else(|| directly_answered(&answered, &parsed.in_reply_to));
        let answered_text = message.map(text_of_service).unwrap_or_default();
        let matched = Matched { account, contact, invoice, is_sure, written_to: None, answered_text };
        self.with_invoice(matched, parsed).await
    }

    /// The messages whose reply tokens the recipients have.
    async fn addressed(&self, parsed: &ParsedMessage) -> StoreResult<Vec<Message>> {
        let mut addressed = Vec::new();
        for token in parsed.recipients.iter().filter_map(|address| ReplyToken::in_address(address)) {
            addressed.extend(self.reads.message_by_token(&token).await?);
        }
        Ok(addressed)
    }

    /// The messages whose ids it has in `In-Reply-To` and `References`; of a report, those that it says were
    /// not delivered.
    async fn answered(&self, parsed: &ParsedMessage) -> StoreResult<Vec<Message>> {
        let bounce = parsed.bounce.as_ref();
        match (parsed.in_reply_to.as_slice(), bounce.map(|bounce| bounce.returned_ids.as_slice())) {
            ([], None | Some([])) => Ok(Vec::new()),
            ([], Some(returned)) => {
                let mut returned = self.reads.messages_by_internet_id(returned).await?;
                let is_named = |message: &Message| {
                    bounce.is_some_and(|bounce| bounce.addresses().any(|(one, _)| one == message.address))
                };
                returned.retain(is_named);
                Ok(returned)
            }
            (ids, _) => self.reads.messages_by_internet_id(ids).await,
        }
    }

    async fn by_answered(&self, parsed: &ParsedMessage, answered: Vec<Message>) -> StoreResult<Match> {
        let candidates = candidates(&answered);
        if candidates.len() > 1 {
            return Ok(Match::Several(candidates));
        }
        match directly_answered(&answered, &parsed.in_reply_to) {
            Some(message) => self.with_invoice(Matched::of(message, true), parsed).await.map(Match::One),
            None => Ok(Match::None),
        }
    }

    /// The account and the contact that wrote to the sender. A telephone number that only one of them wrote
    /// to identifies the contact. An e-mail address alone proves nothing: a sender can write any.
    async fn by_sender(
        &self,
        parsed: &ParsedMessage,
        now: OffsetDateTime,
        is_possible: impl Fn(&Message) -> bool,
    ) -> StoreResult<Match> {
        let Some(sender) = &parsed.sender else {
            return Ok(Match::None);
        };
        let mut latest = self.reads.latest_to(parsed.channel, sender, now - REMEMBERED).await?;
        latest.retain(is_possible);
        let mut named = Vec::new();
        for message in &latest {
            let matched = Matched::of(message, false);
            if let Some(invoice) = self.named_invoice(&matched, parsed).await? {
                named.push(Matched { invoice: Some(invoice), ..matched });
            }
        }
        Ok(of_written_to(&latest, named, parsed.channel))
    }

    /// The match, with the invoice that the text names unless it is known otherwise.
    async fn with_invoice(&self, matched: Matched, parsed: &ParsedMessage) -> StoreResult<Matched> {
        let invoice = match matched.invoice {
            Some(invoice) => Some(invoice),
            None => self.named_invoice(&matched, parsed).await?,
        };
        Ok(Matched { invoice, ..matched })
    }

    async fn named_invoice(
        &self,
        matched: &Matched,
        parsed: &ParsedMessage,
    ) -> StoreResult<Option<InvoiceId>> {
        let Some(contact) = matched.contact else {
            return Ok(None);
        };
        let subject = parsed.subject.as_deref().unwrap_or_default();
        let words = words_with_digits(&parsed.text).chain(words_with_digits(subject)).take(MAX_NUMBERS);
        let numbers: Vec<String> = words.flat_map(numbers).collect();
        if numbers.is_empty() {
            return Ok(None);
        }
        self.reads.invoice_by_number(matched.account, contact, &numbers).await
    }
}

/// What the service wrote in a message; nothing in an answer of the owner.
fn text_of_service(message: &Message) -> String {
    if message.purpose == Some(MessagePurpose::Answer) { String::new() } else { message.text.clone() }
}

/// Which account a message belongs to that is addressed to the reply tokens of these messages. Tokens of two
/// contacts of one account do not tell which of them wrote: then nothing is sure.
fn by_tokens(addressed: &[Message]) -> Match {
    let candidates = candidates(addressed);
    let Some(first) = addressed.first() else {
        return Match::None;
    };
    if candidates.len() > 1 {
        return Match::Several(candidates);
    }
    let is_sure = addressed.iter().all(|message| message.contact == first.contact);
    let agree = addressed.iter().all(|message| message.invoice == first.invoice);
    let invoice = first.invoice.filter(|_| agree);
    Match::One(Matched { invoice, ..Matched::of(first, is_sure) })
}

/// Which account and contact a message is from whose sender these messages, one to each contact, went to.
/// `named` are those of the contacts that have an invoice which the text names.
fn of_written_to(latest: &[Message], mut named: Vec<Matched>, channel: Channel) -> Match {
    let candidates = candidates(latest);
    let proves = channel != Channel::Email;
    match (candidates.len(), latest) {
        (0, _) => Match::None,
        // Several contacts of one account may share a telephone number.
        (1, [first, others @ ..]) if named.len() != 1 => {
            let is_sure = proves && others.is_empty();
            let agree = others.iter().all(|other| other.invoice == first.invoice);
            let invoice = first.invoice.filter(|_| agree);
            Match::One(Matched { invoice, ..Matched::of(first, is_sure) })
        }
        (accounts, _) => match named.pop() {
            Some(one) if named.is_empty() => Match::One(Matched { is_sure: proves && accounts == 1, ..one }),
            _ => Match::Several(candidates),
        },
    }
}

/// The message that is answered directly: its id comes first.
fn directly_answered<'a>(answered: &'a [Message], ids: &[String]) -> Option<&'a Message> {
    let place = |message: &&Message| {
        let id = message.internet_id.as_deref();
        ids.iter().position(|answer| Some(answer.as_str()) == id).unwrap_or(usize::MAX)
    };
    answered.iter().min_by_key(place)
}

/// Those of the messages that went to a candidate.
fn of_candidate(candidate: QuarantineCandidate, messages: Vec<Message>) -> Vec<Message> {
    let QuarantineCandidate { account, contact } = candidate;
    let is_own = |message: &Message| message.account == account && message.contact == contact;
    messages.into_iter().filter(is_own).collect()
}

/// The invoice of the messages of one contact that are answered: by reply tokens, else by their ids.
fn invoice_of(addressed: &[Message], answered: &[Message], ids: &[String]) -> Option<InvoiceId> {
    match by_tokens(addressed) {
        Match::One(matched) => matched.invoice,
        Match::Several(_) | Match::None => directly_answered(answered, ids)?.invoice,
    }
}

/// The accounts of messages, each once, with the contact that was written to.
fn candidates(messages: &[Message]) -> Vec<QuarantineCandidate> {
    let mut candidates: Vec<QuarantineCandidate> = Vec::new();
    for message in messages {
        if !candidates.iter().any(|one| one.account == message.account) {
            candidates.push(QuarantineCandidate { account: message.account, contact: message.contact });
        }
    }
    candidates
}

/// The words of a text that may be invoice numbers: those with a digit.
fn words_with_digits(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || ",;:!?()[]{}<>\"'“”„’‘".contains(c));
    words
        .map(|word| word.trim_matches(['.', '#', '*']))
        .filter(|word| word.len() <= 60 && word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// The invoice numbers that a word may be, as people write them: in any case, and behind "No." or "Nr.".
fn numbers(word: &str) -> Vec<String> {
    let is_mark = |mark: &str| mark.eq_ignore_ascii_case("no") || mark.eq_ignore_ascii_case("nr");
    let marked = word.split_once('.').filter(|(mark, _)| is_mark(mark)).map(|(_, number)| number);
    let forms = |written: &str| [written.to_owned(), written.to_uppercase(), written.to_lowercase()];
    let mut numbers: Vec<String> = [Some(word), marked].into_iter().flatten().flat_map(forms).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests;
