//! A contact that is erased while a message of theirs is handled, or a mail to them is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use communications::{
    Address, Automatic, Bounce, Channel, CommunicationsStore, CommunicationsTx, ConversationService,
    InboundMail, InboundService, Incoming, MailReader, MailRecorder, Message, MessageData, MessagePurpose,
    MessageState, RemovedMessage,
};
use contacts::ContactId;
use kernel::{AccountId, AccountScope, StoreResult};
use mail::{Correspondence as _, MailMessage, QueuedMail, SendDecision};
use store_diesel::Store;
use time::Duration;

use crate::database::{TestDatabase, on_both, on_postgres};
use crate::erasure::{invoiced, send_invoice};
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

/// An account that wrote to a contact.
struct Written {
    scope: AccountScope,
    contact: ContactId,
    sent: Message,
}

impl Written {
    async fn new(store: &Store) -> Self {
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await.id;
        let sent = outgoing(scope.id, contact, &format!("ada{}@example.com", fresh()));
        insert(store, &sent).await;
        Self { scope, contact, sent }
    }

    /// The report that the mail server of the contact refused the mail.
    fn bounce(&self) -> InboundMail {
        let bounce = Bounce {
            recipients: vec![(self.sent.address.as_str().to_owned(), "5.1.1".to_owned())],
            hard: true,
            returned_ids: self.sent.internet_id.iter().cloned().collect(),
        };
        InboundMail { automatic: Some(Automatic::Bounce), bounce: Some(bounce), ..InboundMail::default() }
    }

    /// How many mails to the owner wait.
    async fn notices(&self, db: &TestDatabase) -> i64 {
        let account = db.literal(self.scope.id);
        let waiting = "SELECT count(*) AS count FROM jobs WHERE kind = 'mail' AND state = 'waiting'";
        db.count(&format!("{waiting} AND account_id = {account}")).await
    }
}

/// Handles a mail about what was written to a contact, which is erased before each transaction of it in turn,
/// and at last not at all, and passes the account to a check.
async fn erased_in_turn(
    store: &Store,
    mail: impl AsyncFn(&Written) -> InboundMail,
    check: impl AsyncFn(&Written, bool),
) {
    for number in 1.. {
        let written = Written::new(store).await;
        let erasing = ErasedBefore::new(store, written.contact, number);
        let reader = Arc::new(Reads(mail(&written).await));
        let service = InboundService { store: erasing.clone(), mail: reader, ..inbound(store) };
        let item = service.receive(Incoming::Mail(written.scope.id.to_string().into_bytes())).await.unwrap();
        service.handle(item).await.unwrap();
        let is_erased = erasing.is_erased.load(Ordering::SeqCst);
        check(&written, is_erased).await;
        if !is_erased {
            assert!(number > 2, "some transactions were begun");
            break;
        }
    }
}

/// Waits until a transaction waits for another one. Only PostgreSQL has several that write.
async fn until_one_waits(db: &TestDatabase) {
    let blocked = "SELECT count(*) AS count FROM pg_stat_activity \
         WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0";
    for _ in 0..10_000 {
        if db.count(blocked).await > 0 {
            return;
        }
    }
    panic!("no transaction waits");
}

#[test]
fn words_of_an_opt_out_are_not_kept_of_a_contact_that_was_erased_meanwhile() {
    on_both(async |db| {
        for is_from_elsewhere in [false, true] {
            let words = format!("unsubscribe me please {}", fresh());
            let mail = async |written: &Written| {
                let mut from = written.sent.address.as_str().to_owned();
                if is_from_elsewhere {
                    // The account wrote there too, to another contact.
                    let other = stored_contact(&db.store, written.scope.id).await.id;
                    from = format!("eve{}@example.com", fresh());
                    insert(&db.store, &outgoing(written.scope.id, other, &from)).await;
                }
                let in_reply_to = written.sent.internet_id.iter().cloned().collect();
                InboundMail { in_reply_to, from: Some(from), text: words.clone(), ..InboundMail::default() }
            };
            let check = async |_: &Written, is_erased: bool| {
                let columns = db.columns_with(&words).await;
                let is_kept = columns.contains(&"address_holds.evidence".to_owned());
                assert_eq!((columns.is_empty(), is_kept), (is_erased, !is_erased), "{columns:?}");
            };
            erased_in_turn(&db.store, mail, check).await;
        }
    });
}

#[test]
fn owner_is_not_told_of_a_bounce_of_a_contact_that_was_erased_meanwhile() {
    on_both(async |db| {
        let mail = async |written: &Written| written.bounce();
        let check = async |written: &Written, is_erased: bool| {
            assert_eq!(written.notices(db).await, i64::from(!is_erased));
        };
        erased_in_turn(&db.store, mail, check).await;
    });
}

#[test]
fn owner_is_not_told_of_a_bounce_that_waited_for_the_erasure_of_its_contact() {
    on_postgres(async |db| {
        let store = &db.store;
        let written = Written::new(store).await;
        let mut erasing = store.communications.begin(written.scope.id).await.unwrap();
        erasing.preferences().lock(written.contact).await.unwrap();
        let service = InboundService { mail: Arc::new(Reads(written.bounce())), ..inbound(store) };
        let item = service.receive(Incoming::Mail(b"a report".to_vec())).await.unwrap();
        let erase = async {
            until_one_waits(db).await;
            erasing.preferences().erase(written.contact, "(erased)", NOW).await.unwrap();
            erasing.messages().erase(written.contact).await.unwrap();
            erasing.commit().await.unwrap();
        };
        let (handled, ()) = tokio::join!(service.handle(item), erase);
        handled.unwrap();
        assert_eq!(written.notices(db).await, 0);
    });
}

#[test]
fn erasure_sees_the_attempt_at_a_mail_that_began_before_it_removed_the_message() {
    on_postgres(async |db| {
        let store = &db.store;
        let written = Written::new(store).await;
        let way = (Channel::Email, written.sent.address.clone());
        let data = MessageData::outgoing(id(), written.scope.id, MessagePurpose::Service, way, NOW);
        let mut mail = Message::new(MessageData { contact: Some(written.contact), ..data });
        insert(store, &mail).await;
        let mut beginning = store.communications.begin(written.scope.id).await.unwrap();
        beginning.messages().lock(mail.id).await.unwrap();
        mail.begin(mail.address.clone(), None, NOW).unwrap();
        beginning.messages().update(&mail).await.unwrap();
        let begin = async {
            until_one_waits(db).await;
            beginning.commit().await.unwrap();
        };
        let erase = async {
            let mut tx = store.communications.begin(written.scope.id).await.unwrap();
            tx.messages().erase(written.contact).await.unwrap()
        };
        let (removed, ()) = tokio::join!(erase, begin);
        let (state, began_at) = (MessageState::Queued, Some(NOW));
        assert!(removed.contains(&RemovedMessage { id: mail.id, state, began_at }), "{removed:?}");
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

/// The mail of an invoice, which a worker has leased.
struct InvoiceMail {
    scope: AccountScope,
    contact: ContactId,
    mail: QueuedMail,
    message: MailMessage,
    recorder: MailRecorder,
}

impl InvoiceMail {
    async fn leased(store: &Store) -> Self {
        let (scope, contact, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        let mut leased = lease(store, NOW, 10).await;
        leased.retain(|job| job.lease.account == scope.id);
        let [job] = &leased[..] else { panic!("one mail: {leased:?}") };
        let mail = queued(job);
        let message = MailMessage::new(mail.to.clone(), line("Invoice"), String::new(), String::new());
        Self { scope, contact: contact.id, mail, message, recorder: recorder(store, NOW) }
    }

    /// Begins an attempt over a store.
    async fn begin(&self, store: Arc<dyn CommunicationsStore>) -> SendDecision {
        let recorder = MailRecorder { store, ..self.recorder.clone() };
        recorder.begin(&self.mail, &self.message, "m1@localhost").await.unwrap()
    }

    /// Begins an attempt that is to be made.
    async fn begun(&self) {
        let decision = self.begin(self.recorder.store.clone()).await;
        assert!(matches!(decision, SendDecision::Send { .. }), "{decision:?}");
    }

    async fn listed(&self) -> Vec<Message> {
        self.recorder.reads.messages(self.scope.id, None, None, 10).await.unwrap()
    }
}

const ERASED: SendDecision = SendDecision::Unwanted("the contact was erased");

#[test]
fn mail_whose_message_was_removed_since_it_was_read_is_not_sent() {
    on_both(async |db| {
        let mail = InvoiceMail::leased(&db.store).await;
        mail.begun().await;
        mail.recorder.not_accepted(&mail.mail, NOW).await.unwrap();
        let removing = RemovedBefore { store: db.store.communications.clone(), contact: mail.contact };
        assert_eq!(mail.begin(Arc::new(removing)).await, ERASED);
    });
}

#[test]
fn mail_whose_contact_is_erased_during_the_attempt_may_have_arrived() {
    on_both(async |db| {
        for is_accepted in [true, false] {
            let mail = InvoiceMail::leased(&db.store).await;
            mail.begun().await;
            // Another attempt begins, since this one takes long.
            assert_eq!(mail.begin(ErasedBefore::new(&db.store, mail.contact, 1)).await, ERASED);
            let stored = async || {
                let listed = mail.listed().await;
                let [one] = &listed[..] else { panic!("{listed:?}") };
                assert_eq!((one.contact, one.address.as_str()), (None, "(erased)"));
                (one.state, one.began_at)
            };
            assert_eq!(stored().await, (MessageState::Failed, Some(NOW)));
            if is_accepted {
                mail.recorder.sent(&mail.mail, &mail.message).await.unwrap();
                assert_eq!(stored().await, (MessageState::Sent, Some(NOW)));
            } else {
                mail.recorder.not_accepted(&mail.mail, NOW).await.unwrap();
                assert_eq!(stored().await, (MessageState::Failed, None));
            }
        }
    });
}

/// The process ends before it records that the job is over.
#[test]
fn mail_with_an_outcome_before_the_erasure_is_not_listed_as_dropped() {
    on_both(async |db| {
        for (is_sent, given_up) in [(true, 0), (false, 1)] {
            let mail = InvoiceMail::leased(&db.store).await;
            mail.begun().await;
            if is_sent {
                mail.recorder.sent(&mail.mail, &mail.message).await.unwrap();
            } else {
                mail.recorder.not_accepted(&mail.mail, NOW).await.unwrap();
                mail.recorder.failed(&mail.mail, "550 no such mailbox").await.unwrap();
            }
            conversations(&db.store).erase(mail.scope.id, mail.contact).await.unwrap();
            assert_eq!(mail.listed().await, []);
            let jobs = "SELECT count(*) AS count FROM jobs WHERE kind = 'mail' AND state = 'given_up'";
            let account = db.literal(mail.scope.id);
            assert_eq!(db.count(&format!("{jobs} AND account_id = {account}")).await, given_up);
        }
    });
}

/// The text message comes from a number to which no account sent one.
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
