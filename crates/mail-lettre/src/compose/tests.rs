//! Composed mails are read with an independent parser.

use kernel::{EmailAddress, SingleLine};
use mail::{MailTransport, RenderedMail};
use mail_parser::{Message, MessageParser, MimeHeaders};

use super::{ComposeError, compose};
use crate::eml::EmlTransport;
use crate::fixture;
use crate::sender::SenderAddress;

fn written(mail: &RenderedMail) -> String {
    let sender = SenderAddress::parse("Countinghouse <invoices@example.com>").unwrap();
    String::from_utf8(compose(&sender, mail).unwrap().formatted()).unwrap()
}

fn read(text: &str) -> Message<'_> {
    MessageParser::default().parse(text).unwrap()
}

/// The names of the headers of the mail itself, in order.
fn header_names(text: &str) -> Vec<&str> {
    let head = text.split("\r\n\r\n").next().unwrap();
    let names = head.split("\r\n").filter(|line| !line.starts_with(' '));
    names.map(|line| line.split(':').next().unwrap()).collect()
}

#[test]
fn headers_are_ascii_and_read_as_they_were_meant() {
    let text = written(&fixture::mail());
    assert!(text.is_ascii(), "{text}");
    assert!(text.lines().all(|line| line.len() <= 998));
    let mail = read(&text);
    assert_eq!(mail.subject(), Some("Invoice INV-0001 from Müller & Söhne"));
    let from = mail.from().unwrap().first().unwrap();
    assert_eq!(from.name(), Some("Müller & Söhne, \"Bau\" GmbH"));
    assert_eq!(from.address(), Some("invoices@example.com"));
    let to = mail.to().unwrap();
    assert_eq!(to.iter().count(), 1);
    assert_eq!(to.first().unwrap().name(), Some("Ada Lovelace"));
    assert_eq!(to.first().unwrap().address(), Some("ada@example.com"));
    let reply_to = mail.reply_to().unwrap().first().unwrap();
    assert_eq!(reply_to.address(), Some("office@mueller.example"));
    assert!(text.contains("\r\nDate: Fri, 20 Nov 2026 02:09:06 +0000\r\n"));
    assert!(text.contains("\r\nAuto-Submitted: auto-generated\r\n"));
    assert!(text.contains("\r\nX-Countinghouse-Loop: 1\r\n"));
    let id = "01a1f6b6-ee63-7000-8000-000000000001@example.com";
    assert_eq!(mail.message_id(), Some(id));
}

#[test]
fn subject_that_looks_encoded_is_read_as_it_is_written() {
    let mut mail = fixture::mail();
    mail.message.subject = kernel::SingleLine::parse("Invoice 1 from =?utf-8?q?=E2=80=AEhi?= Ltd").unwrap();
    let text = written(&mail);
    let read = read(&text).subject().unwrap_or_default().replace('\u{200b}', "");
    assert_eq!(read, mail.message.subject.as_str());
}

#[test]
fn text_and_html_are_alternatives_and_files_stand_beside_them() {
    let mut mail = fixture::mail();
    let text = written(&mail);
    let parsed = read(&text);
    assert_eq!(parsed.content_type().unwrap().subtype(), Some("alternative"));
    assert_eq!(parsed.body_text(0).unwrap().replace("\r\n", "\n"), mail.message.text);
    assert_eq!(parsed.body_html(0).unwrap(), mail.message.html);
    assert_eq!(parsed.attachment_count(), 0);

    mail.message.attachments = vec![fixture::pdf()];
    let text = written(&mail);
    let parsed = read(&text);
    assert_eq!(parsed.content_type().unwrap().subtype(), Some("mixed"));
    assert_eq!(parsed.body_html(0).unwrap(), mail.message.html);
    let file = parsed.attachment(0).unwrap();
    assert_eq!(file.attachment_name(), Some("Rechnung \"Ä\" 1.pdf"));
    assert_eq!(file.content_type().unwrap().ctype(), "application");
    assert_eq!(file.contents(), fixture::pdf().bytes);
}

#[test]
fn every_attempt_sends_the_same_bytes() {
    let mut mail = fixture::mail();
    mail.message.attachments = vec![fixture::pdf(), fixture::pdf()];
    assert_eq!(written(&mail), written(&mail.clone()));
}

#[test]
fn a_message_without_a_name_comes_in_the_operators() {
    let mut mail = fixture::mail();
    mail.message.reply_to = None;
    for name in [None, SingleLine::parse(". ..").ok()] {
        mail.message.from_name = name.clone();
        mail.message.to_name = name;
        let text = written(&mail);
        let parsed = read(&text);
        let from = parsed.from().unwrap().first().unwrap();
        assert_eq!(from.name(), Some("Countinghouse"));
        assert!(text.contains("\r\nTo: ada@example.com\r\n"), "{text}");
        assert!(parsed.reply_to().is_none());
    }
}

#[test]
fn no_text_adds_a_header_a_recipient_or_a_part() {
    let plain = written(&fixture::mail());
    let boundary = "=_alternative_01a1f6b6ee6370008000000000000001";
    assert!(plain.contains(boundary));
    let nasty = format!("Hi\r\n--{boundary}--\r\nBcc: eve@example.com\r\n\r\n.\r\nQUIT\r\n");
    let mut mail = fixture::mail();
    mail.message.subject = SingleLine::parse("=?utf-8?Q?a=0D=0ABcc:_eve@example.com?=").unwrap();
    mail.message.from_name = Some(SingleLine::parse("Eve <eve@example.com>, \"x").unwrap());
    mail.message.to_name = Some(SingleLine::parse("a\" <eve@example.com>, Bcc: b@c.de").unwrap());
    mail.message.text = nasty.clone();
    mail.message.html = nasty;
    let text = written(&mail);
    assert_eq!(header_names(&text), header_names(&plain));
    assert!(!header_names(&text).contains(&"Bcc"));
    let parsed = read(&text);
    assert_eq!(parsed.from().unwrap().iter().count(), 1);
    assert_eq!(parsed.from().unwrap().first().unwrap().address(), Some("invoices@example.com"));
    assert_eq!(parsed.to().unwrap().iter().count(), 1);
    assert_eq!(parsed.to().unwrap().first().unwrap().address(), Some("ada@example.com"));
    assert!(parsed.bcc().is_none());
    let sender = SenderAddress::parse("invoices@example.com").unwrap();
    let mime = compose(&sender, &mail).unwrap();
    assert_eq!(mime.envelope().to().len(), 1);
}

fn in_conversation(in_reply_to: &str, references: &[&str]) -> RenderedMail {
    let mut mail = fixture::mail();
    mail.message.in_reply_to = Some(in_reply_to.to_owned());
    mail.message.references = references.iter().map(|id| (*id).to_owned()).collect();
    mail
}

/// The header with this name as it was written, with its folds.
fn header<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let head = text.split("\r\n\r\n").next().unwrap();
    let begin = head.find(&format!("\r\n{name}: "))? + 2;
    let end = head[begin..].match_indices("\r\n").find(|(at, _)| !head[begin + at + 2..].starts_with(' '));
    Some(end.map_or(&head[begin..], |(at, _)| &head[begin..begin + at]))
}

#[test]
fn answer_names_the_mail_that_it_answers_and_the_conversation() {
    let text = written(&in_conversation("c@ada.example", &["a@ada.example", "b@example.com"]));
    assert_eq!(header(&text, "In-Reply-To"), Some("In-Reply-To: <c@ada.example>"));
    let mail = read(&text);
    assert_eq!(mail.in_reply_to().as_text_list().unwrap(), ["c@ada.example"]);
    assert_eq!(mail.references().as_text_list().unwrap(), ["a@ada.example", "b@example.com"]);
    let plain = written(&fixture::mail());
    assert!(header(&plain, "In-Reply-To").is_none() && header(&plain, "References").is_none());
}

#[test]
fn long_references_are_folded_between_ids() {
    let ids: Vec<String> =
        (0..20).map(|number| format!("{number}.{}@mail.example.com", "x".repeat(40))).collect();
    let mut references: Vec<&str> = ids.iter().map(String::as_str).collect();
    // An id that is longer than the usual line is not split.
    let longest = format!("{}@example.com", "y".repeat(888));
    references[7] = &longest;
    let text = written(&in_conversation(&longest, &references));
    let folded = header(&text, "References").unwrap();
    let lines: Vec<&str> = folded.split("\r\n").collect();
    assert!(lines.len() >= 20, "{folded}");
    for line in &lines[1..] {
        assert!(line.starts_with(" <") && line.trim_end().ends_with('>'), "{line:?}");
        assert!(line.len() <= 78 || line.contains(&longest), "{line:?}");
        assert!(line.len() <= 998);
    }
    let mail = read(&text);
    assert_eq!(mail.references().as_text_list().unwrap(), references);
    assert_eq!(mail.in_reply_to().as_text_list().unwrap(), [longest]);
}

#[test]
fn ids_of_other_mails_add_no_header() {
    let nasty = [
        "a@b>\r\nBcc: eve@example.com\r\nX: <c@d",
        "a@b\nBcc: eve@example.com",
        "a@b\rBcc: eve@example.com",
        "a@b> <eve@example.com",
        "a@b\u{85}Bcc: eve@example.com",
        "a@b\u{2028}c",
        "a@b\0",
        "",
    ];
    let plain = header_names(&written(&fixture::mail())).join(" ");
    for id in nasty {
        let text = written(&in_conversation(id, &[id]));
        assert_eq!(header_names(&text).join(" "), plain, "{id:?}");
        let text = written(&in_conversation("a@b", &[id, "c@d"]));
        assert_eq!(read(&text).references().as_text_list().unwrap(), ["c@d"], "{id:?}");
        assert!(!text.contains("eve@example.com"));
    }
}

#[test]
fn reader_unsubscribes_with_one_click() {
    let mut mail = fixture::mail();
    let long = format!("https://books.example.com/reminders/off/{}?a=1&b=%C3%A4", "t".repeat(200));
    for url in ["https://books.example.com/off/token", "http://127.0.0.1:8080/off", &long] {
        mail.message.unsubscribe = Some(url.to_owned());
        let text = written(&mail);
        let list_unsubscribe = header(&text, "List-Unsubscribe").unwrap();
        assert_eq!(list_unsubscribe, format!("List-Unsubscribe: <{url}>"));
        let post = header(&text, "List-Unsubscribe-Post");
        assert_eq!(post, Some("List-Unsubscribe-Post: List-Unsubscribe=One-Click"));
        let parsed = read(&text);
        let addresses = parsed.list_unsubscribe().as_address().unwrap();
        assert_eq!(addresses.first().unwrap().address(), Some(url));
    }
    let plain = written(&fixture::mail());
    assert!(!plain.contains("List-Unsubscribe"));
}

#[test]
fn address_to_unsubscribe_at_that_is_none_is_refused_and_not_repeated() {
    let sender = SenderAddress::parse("invoices@example.com").unwrap();
    for url in [
        "",
        "/off/secret",
        "mailto:secret@example.com",
        "javascript:secret",
        "https://books.example.com/secret\r\nBcc: eve@example.com",
        "https://books.example.com/secret\n",
        "https://books.example.com/secret> <https://eve.example.com",
        "https://books.example.com/secret ä",
        &format!("https://books.example.com/{}", "secret".repeat(200)),
    ] {
        let mut mail = fixture::mail();
        mail.message.unsubscribe = Some(url.to_owned());
        let refused = compose(&sender, &mail).map(|mime| mime.formatted());
        assert_eq!(refused, Err(ComposeError::Unsubscribe), "{url:?}");
        assert!(!ComposeError::Unsubscribe.to_string().contains("secret"));
    }
}

#[test]
fn what_a_person_wrote_is_not_marked_as_written_by_a_machine() {
    let mut mail = fixture::mail();
    mail.message.is_written_by_person = true;
    assert_eq!(header(&written(&mail), "Auto-Submitted"), None);
    assert!(header(&written(&fixture::mail()), "Auto-Submitted").is_some());
}

#[test]
fn transport_knows_the_message_id_before_it_sends() {
    let folder = tempfile::tempdir().unwrap();
    let sender = SenderAddress::parse("Bücher <invoices@münchen.example>").unwrap();
    let transport = EmlTransport::new(folder.path(), sender.clone()).unwrap();
    let mail = fixture::mail();
    let text = String::from_utf8(compose(&sender, &mail).unwrap().formatted()).unwrap();
    let parsed = read(&text);
    assert_eq!(parsed.message_id(), Some(transport.message_id(mail.id).as_str()));
    assert_eq!(transport.from_address(), "invoices@xn--mnchen-3ya.example");
    assert_eq!(parsed.from().unwrap().first().unwrap().address(), Some(transport.from_address().as_str()));
}

#[test]
fn an_address_that_went_bad_in_the_store_is_refused_and_not_sent_to() {
    for address in [
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com>\r\nRCPT TO:<eve@example.com",
        "ada@example.com, eve@example.com",
        "ada",
    ] {
        let mut mail = fixture::mail();
        mail.message.to = EmailAddress::from_stored(address.to_owned());
        let sender = SenderAddress::parse("invoices@example.com").unwrap();
        let refused = compose(&sender, &mail).map(|mime| mime.formatted());
        assert_eq!(refused, Err(ComposeError::Address(address.to_owned())));
    }
}

#[test]
fn a_domain_in_other_letters_is_written_as_servers_know_it() {
    let mut mail = fixture::mail();
    for (address, known) in [
        ("ada@münchen.example", "ada@xn--mnchen-3ya.example"),
        ("ada@हिन्दी.भारत", "ada@xn--j2bd4cyah0f.xn--h2brj9c"),
    ] {
        mail.message.to = EmailAddress::parse(address).unwrap();
        let text = written(&mail);
        assert!(text.contains(known), "{text}");
    }
}
