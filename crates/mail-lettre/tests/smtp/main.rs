//! Delivery to a real SMTP server: aiosmtpd, a Python package.
//!
//! Without it the tests say so and are skipped; `SMTP_TEST_PYTHON` names a Python that has it.
#![expect(clippy::expect_used, reason = "a test that is wrong should stop there and say what broke")]

mod outage;
mod server;
mod tls;

use kernel::{EmailAddress, Id, SingleLine};
use mail::{Attachment, MailMessage, MailTransport, MailTransportError, MediaType, RenderedMail};
use mail_lettre::SmtpTransport;
use mail_parser::{MessageParser, MimeHeaders};
use testkit::{CountingIds, FixedClock};

use server::{Server, Taken};

/// A mail with an attachment and a sender's name.
fn mail_to(address: &str) -> RenderedMail {
    let line = |text| SingleLine::parse(text).expect("a short line");
    let mut message = MailMessage::new(
        EmailAddress::parse(address).expect("an address"),
        SingleLine::parse("Invoice INV-0001 from Müller & Söhne").expect("a short line"),
        "Grüß Gott\n.\n.. 110,00 €\n".to_owned(),
        "<p>110,00 €</p>".to_owned(),
    );
    message.from_name = Some(line("Müller & Söhne"));
    message.attachments = vec![Attachment {
        file_name: line("INV-0001.pdf"),
        media_type: MediaType::pdf(),
        bytes: (0..=255).cycle().take(200_000).collect(),
    }];
    let ids = CountingIds::default();
    RenderedMail { id: Id::new(&ids, FixedClock::START), message, queued_at: FixedClock::START }
}

fn transport_trusting(url: &str, extra_ca: Option<&std::path::Path>) -> SmtpTransport {
    let url = mail_lettre::SmtpUrl::parse(url).expect("a right URL");
    let sender = mail_lettre::SenderAddress::parse("invoices@example.com").expect("a right address");
    SmtpTransport::new(url, sender, extra_ca).expect("readable certificates")
}

fn transport(url: &str) -> SmtpTransport {
    transport_trusting(url, None)
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_written() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let server = Server::start(taken.folder(), 0, &[]);
    let mail = mail_to("ada@example.com");
    assert_eq!(transport(&server.url()).send(&mail).await, Ok(()));
    let arrived = taken.mails();
    assert_eq!(arrived.len(), 1);
    assert!(
        arrived[0].starts_with("X-Envelope-From: invoices@example.com\r\nX-Envelope-To: ada@example.com\r\n")
    );
    let parsed = MessageParser::default().parse(&arrived[0]).unwrap();
    assert_eq!(parsed.subject(), Some(mail.message.subject.as_str()));
    assert_eq!(parsed.body_text(0).unwrap().replace("\r\n", "\n"), mail.message.text);
    let file = parsed.attachment(0).unwrap();
    assert_eq!(file.attachment_name(), Some("INV-0001.pdf"));
    assert_eq!(file.contents(), mail.message.attachments[0].bytes);
}

#[tokio::test]
async fn a_refused_recipient_is_refused_for_good_with_the_servers_words() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let server = Server::start(taken.folder(), 0, &[]);
    let refused = transport(&server.url()).send(&mail_to("nobody@example.com")).await;
    let reason = "550 5.1.1 no such mailbox".to_owned();
    assert_eq!(refused, Err(MailTransportError::Permanent(reason)));
    assert!(taken.mails().is_empty());
}

#[tokio::test]
async fn a_busy_server_is_a_passing_failure() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let server = Server::start(taken.folder(), 0, &[]);
    let transport = transport(&server.url());
    taken.set_busy(true);
    let put_off = transport.send(&mail_to("ada@example.com")).await;
    let reason = "451 4.7.1 try again later".to_owned();
    assert_eq!(put_off, Err(MailTransportError::Temporary(reason)));
    taken.set_busy(false);
    assert_eq!(transport.send(&mail_to("ada@example.com")).await, Ok(()));
    assert_eq!(taken.mails().len(), 1);
}

#[tokio::test]
async fn mails_in_a_row_share_a_connection_until_one_fails() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let server = Server::start(taken.folder(), 0, &[]);
    let transport = transport(&server.url());
    for address in ["a@example.com", "nobody@example.com", "b@example.com", "c@example.com"] {
        let sent = transport.send(&mail_to(address)).await;
        assert_eq!(sent.is_ok(), !address.starts_with("nobody"), "{sent:?}");
    }
    let ports = taken.ports();
    assert_eq!(ports.len(), 3);
    assert_ne!(ports[0], ports[1]);
    assert_eq!(ports[1], ports[2]);
}

#[tokio::test]
async fn wrong_password_is_a_temporary_failure_and_not_shown() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let server = Server::start(taken.folder(), 0, &["--login", "ada:open sesame"]);
    let with_login = |login: &str| server.url().replace("//", &format!("//{login}@"));
    let mail = mail_to("ada@example.com");
    for url in [server.url(), with_login("ada:wrong-sesame")] {
        match transport(&url).send(&mail).await {
            Err(MailTransportError::Temporary(reason)) => {
                assert!(reason.starts_with("53"), "{reason}");
                assert!(!reason.contains("sesame"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    let right = transport(&with_login("ada:open%20sesame"));
    assert_eq!(right.send(&mail).await, Ok(()));
    assert!(taken.mails()[0].contains("X-Logged-In: True"));
}
