//! An inbound e-mail, parsed from its raw form.

use escalations::Channel;

use crate::address::Address;

/// Why a message was sent by a program. Such a message is never classified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Automatic {
    /// An absence notice, a confirmation of receipt, a ticket system.
    Reply,
    /// A report about a mail that was not, or not yet, delivered.
    Bounce,
    /// It went through a mailing list, or was sent in bulk.
    List,
    /// It passed this service before.
    Loop,
    /// The account that it belongs to wrote it. Only matching tells.
    Own,
}

/// What a report says about a mail that was not delivered (RFC 3464).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounce {
    /// The addresses that the mail was not delivered to and those that it was sent to, as they are written:
    /// they differ where mail is forwarded. Each has its status code, such as `5.1.1`.
    pub recipients: Vec<(String, String)>,
    /// Whether it is final: action `failed` and a status of class 5.
    pub hard: bool,
    /// The `Message-ID`s of the mail that was returned, without angle brackets.
    pub returned_ids: Vec<String>,
}

impl Bounce {
    /// Its recipients, as far as they are addresses, each with its status.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (Address, &str)> {
        let parsed = |text: &str| Address::parse(Channel::Email, text).ok();
        self.recipients.iter().filter_map(move |(address, status)| Some((parsed(address)?, &**status)))
    }
}

/// A parsed e-mail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InboundMail {
    /// Its `Message-ID`, without angle brackets.
    pub message_id: Option<String>,
    /// The ids in `In-Reply-To` and `References`, without angle brackets, each once.
    pub in_reply_to: Vec<String>,
    /// The address in `From`, as it is written.
    pub from: Option<String>,
    /// Every address in a header that names recipients, as it is written.
    pub recipients: Vec<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// What the sender wrote last: without quoted text and signature. The subject if nothing is written below
    /// it, unless it is that of an answered or forwarded mail.
    pub text: String,
    /// How many attachments it has. They are not opened.
    pub attachments: usize,
    /// Why it is automatic; `None` if a person may have written it.
    pub automatic: Option<Automatic>,
    /// What it reports, if it is a readable bounce.
    pub bounce: Option<Bounce>,
}

/// Reads mail.
pub trait MailReader: Send + Sync {
    /// Parses a raw message. `None` if it is not a mail at all. Content never makes it fail: unreadable parts
    /// are left out.
    fn read(&self, raw: &[u8]) -> Option<InboundMail>;
}
