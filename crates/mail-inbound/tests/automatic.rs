//! Mail of programs: reports about mail that was not delivered, absence notices, answers of calendars.

use communications::{Automatic, InboundMail, MailReader as _};
use mail_inbound::MimeReader;

fn read(raw: &[u8]) -> InboundMail {
    MimeReader.read(raw).unwrap_or_else(|| panic!("this is no message"))
}

#[test]
fn report_with_addresses_in_utf_8_or_headers_of_another_type_is_read() {
    let hard = include_str!("shapes/bounce_hard.eml");
    for (status, returned, recipient) in [
        ("message/global-delivery-status", "message/global-headers", "utf-8; ünï@example.com"),
        ("message/global-delivery-status", "message/global", "utf-8; ünï@example.com"),
        ("message/delivery-status", "message/rfc822-headers", "rfc822; ada@example.com"),
        ("message/delivery-status", "message/rfc822", "rfc822; ada@example.com"),
    ] {
        let report = hard
            .replace("message/delivery-status", status)
            .replace("text/rfc822-headers", returned)
            .replace("rfc822; Ada@Example.com", recipient);
        let found = read(report.as_bytes()).bounce.unwrap_or_else(|| panic!("{report}"));
        let address = recipient.split_once("; ").unwrap().1;
        assert_eq!((&found.recipients[..], found.hard), (&[address.to_owned()][..], true), "{report}");
        assert_eq!(found.returned_ids, ["inv-1@shop.example"], "{report}");
    }
}

#[test]
fn absence_is_recognized_by_its_subject_in_more_languages() {
    for subject in [
        "Autosvar: Faktura",
        "Automaattinen vastaus: Lasku",
        "Automatická odpověď: Faktura",
        "Automatyczna odpowiedź: Faktura",
        "Assente dall'ufficio",
        "Abwesend: Rechnung",
        "Absent du bureau",
        "Otomatik yanıt: Fatura",
        "Автоматический ответ: Счет",
        "自動返信: 請求書",
        "[EXTERNAL] Automatic reply: Invoice",
    ] {
        let mail = format!("From: a@b.example\r\nSubject: {subject}\r\n\r\nI am on sick leave.");
        assert_eq!(read(mail.as_bytes()).automatic, Some(Automatic::Reply), "{subject}");
    }
}

/// An invitation that a customer sends is their own mail.
#[test]
fn answer_of_a_calendar_is_automatic_and_an_invitation_is_not() {
    for (method, expected) in [("REPLY", Some(Automatic::Reply)), ("REQUEST", None)] {
        let calendar = format!("Content-Type: text/calendar; method={method}\r\n\r\nBEGIN:VCALENDAR\r\n");
        let text = "Content-Type: text/plain\r\n\r\nAda has accepted this invitation";
        let both = format!(
            "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n{text}\r\n--b\r\n{calendar}\r\n--b--\r\n"
        );
        for body in [calendar, both] {
            let mail = format!("From: a@b.example\r\nSubject: Accepted\r\n{body}");
            assert_eq!(read(mail.as_bytes()).automatic, expected, "{mail}");
        }
    }
}
