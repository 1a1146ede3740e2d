//! Closing an address after an opt-out or a hard bounce.

use std::collections::BTreeSet;

use classification::MessageType;
use contacts::ContactId;
use escalations::Channel;
use kernel::{AccountId, Id, StoreResult, retry_contended};
use mail::{Notice, OwnerNotice};
use time::OffsetDateTime;

use super::handle::HandleError;
use super::mail::Bounce;
use super::matching::{Match, Matched};
use super::parsed_message::ParsedMessage;
use super::receive::InboundService;
use crate::address::Address;
use crate::address_hold::{AddressHold, CloseReason};
use crate::message::{Message, MessageState};
use crate::opt_out::{close_addresses, present_address};
use crate::ports::CommunicationsTx;
use crate::reminders::step_outcome::record_outcome_of_steps;
use crate::reply_token::ReplyToken;

/// Why an address is closed.
#[derive(Clone, Copy)]
struct Closing<'a> {
    reason: CloseReason,
    evidence: &'a str,
    /// The words of the message, for the account that it belongs to alone.
    words: Option<(&'a Matched, &'a str)>,
    /// When the opt-out came, or the mail was sent that came back: the owner may have opened the address
    /// again since then.
    since: OffsetDateTime,
    /// The mails that came back.
    returned: &'a [&'a Message],
}

impl InboundService {
    /// Applies opt-outs and hard bounces, which close an address in every account that wrote to it. What a
    /// repeated message closed may be open again. Whether it is repeated is asked last: another worker may
    /// have handled it while this one read it.
    pub(super) async fn apply_to_addresses(
        &self,
        parsed: &ParsedMessage,
        found: &Match,
        received_at: OffsetDateTime,
    ) -> Result<(), HandleError> {
        if let Some(bounce) = parsed.bounce.as_ref().filter(|bounce| bounce.hard) {
            return match self.is_repeated(parsed, found).await? {
                true => Ok(()),
                false => self.apply_bounce(parsed, bounce).await,
            };
        }
        if parsed.automatic.is_some() {
            return Ok(());
        }
        let understood = parsed.classified(self.clock.now().date());
        let opts_out = understood.message_type == MessageType::OptOut && understood.sure;
        if !opts_out || self.is_repeated(parsed, found).await? {
            return Ok(());
        }
        let words = match found {
            Match::One(matched) => Some((matched, &*parsed.text)),
            Match::Several(_) | Match::None => None,
        };
        let evidence = match parsed.channel {
            Channel::Email => "the customer asked for it by e-mail",
            Channel::Sms | Channel::Voice => "the customer asked for it by text message",
        };
        let why =
            Closing { reason: CloseReason::OptedOut, evidence, words, since: received_at, returned: &[] };
        if let Some(sender) = &parsed.sender {
            self.close(parsed.channel, sender, why, &[]).await?;
        }
        // Also the address that the answered message went to: the opt-out may come from another mailbox, or
        // be quicker than the record that the message was sent. As with the unsubscribe link, having received
        // the message is proof enough.
        let Match::One(Matched { account, is_sure: true, written_to: Some((channel, address)), .. }) = found
        else {
            return Ok(());
        };
        self.close(*channel, address, why, &[*account]).await
    }

    /// Applies a bounce report. It counts only if it names a mail that went to an address that it reports.
    async fn apply_bounce(&self, parsed: &ParsedMessage, bounce: &Bounce) -> Result<(), HandleError> {
        let mut returned = match bounce.returned_ids.as_slice() {
            [] => Vec::new(),
            ids => self.reads.messages_by_internet_id(ids).await?,
        };
        for token in parsed.recipients.iter().filter_map(|address| ReplyToken::in_address(address)) {
            returned.extend(self.reads.message_by_token(&token).await?);
        }
        for (recipient, status) in bounce.addresses() {
            let evidence = format!("the mail server of the address answered {status}");
            let own: Vec<&Message> = returned.iter().filter(|one| one.address == recipient).collect();
            let Some(sent) = own.iter().map(|message| message.began_at.unwrap_or(message.written_at)).max()
            else {
                continue;
            };
            let accounts: Vec<AccountId> = own.iter().map(|message| message.account).collect();
            let reason = CloseReason::Bounced;
            let why = Closing { reason, evidence: &evidence, words: None, since: sent, returned: &own };
            self.close(Channel::Email, &recipient, why, &accounts).await?;
            for message in own {
                retry_contended(|| self.mark_failed(message, &evidence)).await?;
            }
        }
        Ok(())
    }

    async fn mark_failed(&self, message: &Message, detail: &str) -> StoreResult<()> {
        let mut tx = self.store.begin(message.account).await?;
        let Some(mut message) = tx.messages().lock(message.id).await? else {
            return Ok(());
        };
        let (before, now) = (message.state, self.clock.now());
        if message.transition_to(MessageState::Failed, Some(detail.to_owned()), now).is_ok() {
            message.mark_not_accepted();
            tx.messages().update(&message).await?;
            if before == MessageState::Queued {
                // The process may have ended before it recorded that the mail was sent.
                record_outcome_of_steps(&mut *tx, &message, now, &*self.ids).await?;
            }
            tx.commit().await?;
        }
        Ok(())
    }

    /// Ends reminders by e-mail to the address that the message with this token went to, and to the present
    /// address of its contact: the mailbox may forward. `false` when there is no such message.
    pub async fn unsubscribe(&self, token: &ReplyToken) -> Result<bool, HandleError> {
        let Some(message) = self.reads.message_by_token(token).await? else {
            return Ok(false);
        };
        let (reason, evidence, since) =
            (CloseReason::OptedOut, "the link to end reminders", self.clock.now());
        retry_contended(async || {
            let mut tx = self.store.begin(message.account).await?;
            if let Some(contact) = message.contact {
                tx.preferences().lock(contact).await?;
            }
            let present = present_address(&mut *tx, message.contact, message.channel).await?;
            let made = (&*self.ids, since);
            close_addresses(&mut *tx, &message, present.as_ref(), evidence, since, made).await?;
            tx.commit().await
        })
        .await?;
        let why = Closing { reason, evidence, words: None, since, returned: &[] };
        self.close(message.channel, &message.address, why, &[]).await?;
        Ok(true)
    }

    /// Closes an address in every account that wrote to it. `proven` are accounts of messages that arrived,
    /// or came back, although they may not be recorded as sent yet.
    async fn close(
        &self,
        channel: Channel,
        address: &Address,
        why: Closing<'_>,
        proven: &[AccountId],
    ) -> Result<(), HandleError> {
        let mut accounts: BTreeSet<AccountId> = proven.iter().copied().collect();
        accounts.extend(self.reads.accounts_that_wrote_to(channel, address).await?);
        for account in accounts {
            retry_contended(|| self.close_in(account, channel, address, why)).await?;
        }
        Ok(())
    }

    async fn close_in(
        &self,
        account: AccountId,
        channel: Channel,
        address: &Address,
        Closing { reason, evidence, words, since, returned }: Closing<'_>,
    ) -> StoreResult<()> {
        let now = self.clock.now();
        let mut tx = self.store.begin(account).await?;
        let mut contacts = tx.preferences().contacts_at(channel, address).await?;
        let writer = words.filter(|(matched, _)| matched.account == account);
        let writer = writer.and_then(|(matched, words)| Some((matched.contact?, words)));
        // An erasure of the writer overwrites the words at the addresses of the writer alone.
        let writer = writer.filter(|(contact, _)| contacts.contains(contact));
        let returned = returned.iter().find(|message| message.account == account);
        let reader = returned.and_then(|message| message.contact);
        let erased = lock_all(&mut *tx, contacts.iter().copied().chain(reader).collect()).await?;
        let words = writer.filter(|(contact, _)| !erased.contains(contact)).map(|(_, words)| words);
        let way = (channel, address.clone());
        let id = Id::new(&*self.ids, now);
        let hold = AddressHold::closing(id, account, way, reason, words.unwrap_or(evidence), now);
        if tx.preferences().close_address(&hold, since).await? {
            if reason == CloseReason::Bounced {
                contacts.retain(|contact| !erased.contains(contact));
                let addressed = match reader.filter(|contact| !erased.contains(contact)) {
                    Some(contact) => Some(contact),
                    None => contact_at(&mut *tx, &contacts, &hold).await?,
                };
                if addressed.is_some() || erased.is_empty() {
                    self.tell_owner(&mut *tx, &hold, addressed).await?;
                }
            }
            tx.commit().await?;
        }
        Ok(())
    }

    /// Tells the owner that mail to an address cannot be delivered.
    async fn tell_owner(
        &self,
        tx: &mut dyn CommunicationsTx,
        hold: &AddressHold,
        contact: Option<ContactId>,
    ) -> StoreResult<()> {
        let owner = tx.escalating().escalations().owner().await?;
        let Some(owner) = owner.filter(|owner| owner.wants(OwnerNotice::Bounces)) else {
            return Ok(());
        };
        let path = contact.map_or_else(
            || "/dashboard/contacts".to_owned(),
            |contact| format!("/dashboard/contacts/{contact}"),
        );
        let notice = Notice {
            subject: format!("Mail to {} cannot be delivered", hold.address.as_str()),
            paragraphs: vec![
                format!("Mail to {} could not be delivered: {}.", hold.address.as_str(), hold.evidence),
                "No more reminders are sent there. Please correct your customer's address.".to_owned(),
            ],
            quote: None,
            link_text: "Open the contact".to_owned(),
            path,
        };
        let about = contact.map_or_else(|| hold.id.uuid(), |contact| contact.uuid());
        let mail = notice.into_mail(Id::new(&*self.ids, hold.closed_at), &owner, about, hold.closed_at);
        tx.jobs().queue(mail.into_job()).await
    }
}

/// Locks the preferences of contacts, and returns those that were erased, perhaps just before.
async fn lock_all(
    tx: &mut dyn CommunicationsTx,
    contacts: BTreeSet<ContactId>,
) -> StoreResult<BTreeSet<ContactId>> {
    let mut erased = BTreeSet::new();
    for contact in contacts {
        tx.preferences().lock(contact).await?;
        if tx.invoicing().contacts().is_erased(contact).await? {
            erased.insert(contact);
        }
    }
    Ok(erased)
}

/// The contact that has the held address now, of those that were written to there; else the newest of them.
async fn contact_at(
    tx: &mut dyn CommunicationsTx,
    contacts: &[ContactId],
    hold: &AddressHold,
) -> StoreResult<Option<ContactId>> {
    for contact in contacts {
        if present_address(tx, Some(*contact), hold.channel).await?.as_ref() == Some(&hold.address) {
            return Ok(Some(*contact));
        }
    }
    Ok(contacts.last().copied())
}
