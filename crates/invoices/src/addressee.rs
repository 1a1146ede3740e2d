//! The contact that a mail to a customer is addressed to, as the payload of the mail names it.

mod payload;

use contacts::ContactId;
use kernel::Id;
use mail::QueuedMail;

pub use self::payload::Addressee;

impl Addressee {
    /// What the payload of a mail to a contact has.
    #[must_use]
    pub fn new(contact: ContactId) -> Self {
        Self { id: contact.to_string() }
    }

    /// The contact that a mail to a customer is addressed to. The invoice that it is about may have another
    /// one by now. `None` if the payload names no contact, as that of a mail to an owner.
    #[must_use]
    pub fn of(mail: &QueuedMail) -> Option<ContactId> {
        Id::parse(mail.payload.get("contact")?.get("id")?.as_str()?)
    }
}
