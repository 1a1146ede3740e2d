//! An e-mail that came in, read from its raw form.

/// Why a message was sent by a program. Such a message is never classified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Automatic {
    /// An absence notice, a confirmation of receipt, a ticket system.
    Reply,
    /// A report about a mail that was not, or not yet, delivered.
    Bounce,
    /// It went through a mailing list, or to many.
    List,
    /// It passed this service before.
    Loop,
}

/// What a report says about a mail that was not delivered (RFC 3464).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounce {
    /// The address that did not take the mail, in lower case.
    pub recipient: String,
    /// `5.1.1` and the like.
    pub status: String,
    /// Whether it is final: action `failed` and a status of class 5.
    pub hard: bool,
    /// The `Message-ID`s of the mail that was returned, without angle brackets.
    pub returned_ids: Vec<String>,
}

/// An e-mail as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InboundMail {
    /// Its `Message-ID`, without angle brackets.
    pub message_id: Option<String>,
    /// The ids in `In-Reply-To` and `References`, without angle brackets, each once.
    pub answers: Vec<String>,
    /// The address in `From`, in lower case.
    pub from: Option<String>,
    /// Every address in a header that names recipients, as it is written.
    pub recipients: Vec<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// What the sender wrote last: without quoted text and signature.
    pub text: String,
    /// How many attachments it has. They are not opened.
    pub attachments: usize,
    /// Why it is not from a person, if it is not.
    pub automatic: Option<Automatic>,
    /// What it reports, where it is a bounce that can be read.
    pub bounce: Option<Bounce>,
}

/// Reads mail.
pub trait MailReader: Send + Sync {
    /// Reads a raw message. `None` where it is no mail at all. It never fails for its content: what cannot
    /// be read is left out.
    fn read(&self, raw: &[u8]) -> Option<InboundMail>;
}
