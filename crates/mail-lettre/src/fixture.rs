//! The mail that the tests of this crate send.

use kernel::{EmailAddress, Id, SingleLine};
use mail::{Attachment, MailMessage, MediaType, RenderedMail};
use testkit::{CountingIds, FixedClock};

pub(crate) fn mail() -> RenderedMail {
    let mut message = MailMessage::new(
        EmailAddress::parse("ada@example.com").unwrap(),
        SingleLine::parse("Invoice INV-0001 from Müller & Söhne").unwrap(),
        "Grüß Gott Ada,\n.\n110,00 €\n".to_owned(),
        "<p>Grüß Gott Ada,</p><p>110,00 €</p>".to_owned(),
    );
    message.from_name = Some(SingleLine::parse("Müller & Söhne, \"Bau\" GmbH").unwrap());
    message.to_name = Some(SingleLine::parse("Ada Lovelace").unwrap());
    message.reply_to = Some(EmailAddress::parse("office@mueller.example").unwrap());
    let ids = CountingIds::default();
    RenderedMail { id: Id::new(&ids, FixedClock::START), message, queued_at: FixedClock::START }
}

pub(crate) fn pdf() -> Attachment {
    Attachment {
        file_name: SingleLine::parse("Rechnung \"Ä\" 1.pdf").unwrap(),
        media_type: MediaType::pdf(),
        bytes: (0..=255).cycle().take(5_000).collect(),
    }
}

pub(crate) fn sender() -> crate::SenderAddress {
    crate::SenderAddress::parse("invoices@example.com").unwrap()
}
