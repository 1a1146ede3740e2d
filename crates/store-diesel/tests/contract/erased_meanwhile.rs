//! A contact that is erased while a message of theirs is handled, or a mail to them is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use communications::{
    Address, Automatic, Bounce, Channel, CommunicationsStore, CommunicationsTx, ConversationService,
    InboundMail, InboundService, Incoming, MailReader, MailRecorder, MessageState,
};
use contacts::ContactId;
use kernel::{AccountId, AccountScope, StoreResult};
use mail::{Correspondence as _, SendDecision};
use store_diesel::Store;
use time::Duration;

use crate::database::on_both;
use crate::erasure::{erase, invoiced, send_invoice};
use crate::fixtures::{NOW, conversations, fresh, id, inbound, line, stored_contact, tenant};
use crate::jobs::lease;
use crate::messages::{insert, outgoing};
use crate::recorded_mail::{queued, recorder};

/// Erases a contact just before the transaction with this number begins, counted from 1.
struct ErasedBefore {
    store: Arc<dyn CommunicationsStore>,
    conversations: ConversationService,
    contact: ContactId,
    number: u32,
    begun: AtomicU32,
    is_erased: AtomicBool,
}

impl ErasedBefore {
    fn new(store: &Store, contact: ContactId, number: u32) -> Arc<Self> {
        Arc::new(Self {
            store: store.communications.clone(),
            conversations: conversations(store),
            contact,
            number,
            begun: AtomicU32::new(0),
            is_erased: AtomicBool::new(false),
        })
    }
}

#[async_trait]
impl CommunicationsStore for ErasedBefore {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn CommunicationsTx>> {
        if self.begun.fetch_add(1, Ordering::SeqCst) + 1 == self.number {
            self.conversations.erase(account, self.contact).await.unwrap();
            self.is_erased.store(true, Ordering::SeqCst);
        }
        self.store.begin(account).await
    }
}

/// Reads each mail as this one.
struct Reads(InboundMail);

impl MailReader for Reads {
    fn read(&self, _: &[u8]) -> Option<InboundMail> {
        Some(self.0.clone())
    }
}

/// Handles a mail about a message to a contact, which is erased before each transaction of it in turn, and
/// passes the account to a check.
async fn erased_in_turn(
    store: &Store,
    mail: impl Fn(&str, &str) -> InboundMail,
    check: impl AsyncFn(&AccountScope),
) {
    for number in 1.. {
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await.id;
        let address = format!("ada{}@example.com", fresh());
        let sent = outgoing(scope.id, contact, &address);
        insert(store, &sent).await;
        let erasing = ErasedBefore::new(store, contact, number);
        let reader = Arc::new(Reads(mail(&address, sent.internet_id.as_deref().unwrap())));
        let service = InboundService { store: erasing.clone(), mail: reader, ..inbound(store) };
        let item = service.receive(Incoming::Mail(address.clone().into_bytes())).await.unwrap();
        service.handle(item).await.unwrap();
        if !erasing.is_erased.load(Ordering::SeqCst) {
            assert!(number > 2, "some transactions were begun");
            break;
        }
        check(&scope).await;
    }
}

#[test]
fn words_of_an_opt_out_are_not_kept_of_a_contact_that_was_erased_meanwhile() {
    on_both(async |db| {
        let words = format!("unsubscribe me please {}", fresh());
        let mail = |from: &str, answered: &str| InboundMail {
            in_reply_to: vec![answered.to_owned()],
            from: Some(from.to_owned()),
            text: words.clone(),
            ..InboundMail::default()
        };
        let check = async |_: &AccountScope| assert_eq!(db.columns_with(&words).await, [""; 0]);
        erased_in_turn(&db.store, mail, check).await;
    });
}

#[test]
fn owner_is_not_told_of_a_bounce_of_a_contact_that_was_erased_meanwhile() {
    on_both(async |db| {
        let mail = |to: &str, returned: &str| {
            let bounce = Bounce {
                recipients: vec![(to.to_owned(), "5.1.1".to_owned())],
                hard: true,
                returned_ids: vec![returned.to_owned()],
            };
            let (automatic, bounce) = (Some(Automatic::Bounce), Some(bounce));
            InboundMail { automatic, bounce, ..InboundMail::default() }
        };
        let check = async |scope: &AccountScope| {
            let account = db.literal(scope.id);
            let waiting = "SELECT count(*) AS count FROM jobs WHERE kind = 'mail' AND state = 'waiting'";
            assert_eq!(db.count(&format!("{waiting} AND account_id = {account}")).await, 0);
        };
        erased_in_turn(&db.store, mail, check).await;
    });
}

/// The transaction of the erasure has removed the message, and has not stored yet that it is dropped.
struct RemovedBefore {
    store: Arc<dyn CommunicationsStore>,
    contact: ContactId,
}

#[async_trait]
impl CommunicationsStore for RemovedBefore {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn CommunicationsTx>> {
        let mut tx = self.store.begin(account).await?;
        tx.messages().erase(self.contact).await?;
        tx.commit().await?;
        self.store.begin(account).await
    }
}

#[test]
fn mail_whose_message_was_removed_since_it_was_read_is_not_sent() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        let [job] = &lease(store, NOW, 10).await[..] else { panic!("one mail") };
        let mail = queued(job);
        let message = mail::MailMessage::new(mail.to.clone(), line("Invoice"), String::new(), String::new());
        let first = recorder(store, NOW).begin(&mail, &message, "m1@localhost").await.unwrap();
        assert!(matches!(first, SendDecision::Send { .. }));
        recorder(store, NOW).not_accepted(&mail, NOW).await.unwrap();
        let removing = RemovedBefore { store: store.communications.clone(), contact: contact.id };
        let again = MailRecorder { store: Arc::new(removing), ..recorder(store, NOW) };
        let decision = again.begin(&mail, &message, "m1@localhost").await.unwrap();
        assert_eq!(decision, SendDecision::Unwanted("the contact was erased"));
    });
}

#[test]
fn mail_whose_contact_is_erased_during_the_attempt_may_have_arrived() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        let [job] = &lease(store, NOW, 10).await[..] else { panic!("one mail") };
        let (mail, recorder) = (queued(job), recorder(store, NOW));
        let message = mail::MailMessage::new(mail.to.clone(), line("Invoice"), String::new(), String::new());
        recorder.begin(&mail, &message, "m1@localhost").await.unwrap();
        erase(store, &scope, contact.id).await;
        let stored = async || {
            let messages = store.communications_reads.messages(scope.id, None, None, 10).await.unwrap();
            (messages.len(), messages[0].state, messages[0].contact, messages[0].address.as_str().to_owned())
        };
        let erased = "(erased)".to_owned();
        assert_eq!(stored().await, (1, MessageState::Failed, None, erased.clone()));
        recorder.sent(&mail, &message).await.unwrap();
        assert_eq!(stored().await, (1, MessageState::Sent, None, erased));
    });
}

/// A message from a number that nobody wrote to.
#[test]
fn message_without_an_account_keeps_its_content_only_if_no_earlier_attempt_may_have_found_one() {
    on_both(async |db| {
        let store = &db.store;
        for attempts in [1, 2] {
            let from = Address::parse(Channel::Sms, "+491701234567").unwrap();
            let text = "I lost my job".to_owned();
            let provider_id = Some(format!("SM{}", fresh()));
            let sms = Incoming::Sms { from, text, attachments: 0, opts_out: false, provider_id };
            let item = inbound(store).receive(sms).await.unwrap();
            for attempt in 0..attempts {
                let now = NOW + Duration::HOUR * attempt;
                store.inbox.lease(now, now + Duration::MINUTE, 100).await.unwrap();
            }
            inbound(store).handle(item).await.unwrap();
            let dropped = store.inbox.item(item).await.unwrap().unwrap();
            assert_eq!((dropped.state, dropped.content.is_some()), (MessageState::Dropped, attempts == 1));
        }
    });
}

#[test]
fn message_that_the_operator_drops_keeps_neither_content_nor_sender() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact, _) = invoiced(store).await;
        let item = crate::communications::inbox_item();
        store.inbox.store(&item).await.unwrap();
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        assert!(tx.preferences().hold_for_quarantine(item.id, Some(contact.id), None).await.unwrap());
        tx.commit().await.unwrap();
        store.inbox.quarantine(item.id, "2 accounts fit", "erased").await.unwrap();
        inbound(store).drop_quarantined(item.id).await.unwrap();
        let dropped = store.inbox.item(item.id).await.unwrap().unwrap();
        assert_eq!((dropped.state, dropped.content, dropped.sender), (MessageState::Dropped, None, None));
        assert_eq!(store.inbox.candidates(item.id).await.unwrap(), []);
        assert!(inbound(store).drop_quarantined(item.id).await.is_err(), "once");
        assert!(inbound(store).drop_quarantined(id()).await.is_err(), "it is unknown");
    });
}
