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
        let named = [(address.to_owned(), "5.1.1".to_owned())];
        assert_eq!((&found.recipients[..], found.hard), (&named[..], true), "{report}");
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

/// An answer that a mail program wrote, apart from its sender and text.
fn answer(headers: &str, text: &str) -> String {
    format!("From: Ada <postmaster@firm.example>\r\nIn-Reply-To: <1@shop.example>\r\n{headers}\r\n\r\n{text}")
}

#[test]
fn person_at_the_address_of_the_postmaster_is_no_report() {
    for headers in ["Subject: Re: Invoice", "Subject: Re: Invoice\r\nAuto-Submitted: no"] {
        assert_eq!(read(answer(headers, "I dispute this invoice.").as_bytes()).automatic, None, "{headers}");
    }
    let references = answer("Subject: Re: Invoice", "I lost my job.").replace("In-Reply-To", "References");
    assert_eq!(read(references.as_bytes()).automatic, None);
}

#[test]
fn report_of_a_postmaster_is_recognized() {
    let report = "Content-Type: multipart/report; report-type=x; boundary=b\r\n\r\n--b\r\n\r\nNo.\r\n--b--";
    let returned = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nNo.\r\n--b\r\n\
                    Content-Type: message/rfc822\r\n\r\nSubject: Invoice\r\n\r\nPay\r\n--b--";
    for (headers, text) in [
        ("Return-Path: <>", "I dispute this."),
        ("Auto-Submitted: auto-replied", "I dispute this."),
        ("X-Failed-Recipients: ada@firm.example", "I dispute this."),
        (report, ""),
        (returned, ""),
        ("Subject: failure notice", "Sorry."),
        ("Subject: =?utf-8?Q?Undelivered_Mail_Returned_to_Sender?=", "Sorry."),
        ("Subject: Mail delivery failed: returning message to sender", "Sorry."),
        ("Subject: Unzustellbar: Rechnung", "Sorry."),
        ("Subject: Re: Invoice", "Hi. This is the qmail-send program at firm.example."),
        ("Subject: Re: Invoice", "User unknown"),
    ] {
        let mail = answer(headers, text);
        assert_eq!(read(mail.as_bytes()).automatic, Some(Automatic::Bounce), "{mail}");
    }
    for (from, to) in
        [("In-Reply-To", "X-Other"), ("postmaster@", "MAILER-DAEMON@"), ("postmaster@", "mail-daemon@")]
    {
        let mail = answer("Subject: Re: Invoice", "I dispute this.").replace(from, to);
        assert_eq!(read(mail.as_bytes()).automatic, Some(Automatic::Bounce), "{mail}");
    }
}

#[test]
fn report_is_recognized_however_its_type_is_written() {
    for (kind, expected) in [
        ("disposition-notification", Automatic::Reply),
        ("feedback-report", Automatic::Reply),
        ("delivery-status", Automatic::Bounce),
    ] {
        let part = format!(
            "--b\r\n\r\nIt was read.\r\n--b\r\nContent-Type: message/{kind}\r\n\r\nX: y\r\n--b--\r\n"
        );
        for report in
            ["report-type=K", "report-type=\"K\"", "Report-Type = \"K\"", "report-type (x) = K", "x=y"]
        {
            let report = report.replace('K', kind);
            let mail = format!(
                "From: a@b.example\r\nSubject: Read: Invoice\r\n\
                 Content-Type: multipart/report; {report};\r\n boundary=b\r\n\r\n{part}"
            );
            assert_eq!(read(mail.as_bytes()).automatic, Some(expected), "{mail}");
        }
        let mail = format!(
            "From: a@b.example\r\nContent-Type: multipart/report; report-type=\"{kind}\"; boundary=b\r\n\r\n\
             --b\r\n\r\nIt was read.\r\n--b--\r\n"
        );
        assert_eq!(read(mail.as_bytes()).automatic, Some(expected), "{mail}");
    }
}
