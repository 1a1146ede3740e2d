//! Headers of the answered mail in many languages, with that mail below them and no marks of quotes.

use communications::MailReader as _;
use mail_inbound::MimeReader;

const SUBJECT: &str = "Reminder: invoice INV-0028 from Shop was due on 2 December 2026";
const FROM: &str = "Shop <books@shop.example>";
/// The answer goes to the address for replies, and not to the sender of the answered mail.
const REPLY_TO: &str = "reply+k2x@in.shop.example";
const TO: &str = "ada@example.com";

/// The newest text of an answer to the mail with the subject above.
fn text_of(body: &str) -> String {
    text_in(&format!("Antw: {SUBJECT}"), body)
}

fn text_in(subject: &str, body: &str) -> String {
    let mail = format!("From: {TO}\r\nTo: {REPLY_TO}\r\nSubject: {subject}\r\n\r\n{body}");
    MimeReader.read(mail.as_bytes()).unwrap_or_else(|| panic!("this is no message")).text
}

/// Names of headers of mail programs: the sender, the day, the recipient and the subject.
const BLOCKS: [[&str; 4]; 20] = [
    ["Kimden", "Gönderildi", "Kime", "Konu"],
    ["Od", "Odesláno", "Komu", "Předmět"],
    ["Od", "Odoslané", "Komu", "Predmet"],
    ["Feladó", "Elküldve", "Címzett", "Tárgy"],
    ["De la", "Trimis", "Către", "Subiect"],
    ["Από", "Στάλθηκε", "Προς", "Θέμα"],
    ["보낸 사람", "보낸 날짜", "받는 사람", "제목"],
    ["Від", "Надіслано", "Кому", "Тема"],
    ["מאת", "נשלח", "אל", "נושא"],
    ["من", "تم الإرسال", "إلى", "الموضوع"],
    ["Šalje", "Poslano", "Prima", "Predmet"],
    ["De", "Enviat", "Per a", "Tema"],
    ["จาก", "ส่ง", "ถึง", "เรื่อง"],
    ["Từ", "Đã gửi", "Đến", "Chủ đề"],
    ["发件人", "发送时间", "收件人", "主题"],
    ["From", "Sent", "To", "Subject"],
    ["*From*", "Sent", "*To*", "*Subject*"],
    ["Von", "Datum", "An", "Betreff"],
    ["Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"],
    ["Σ", "Σ", "Σ", "Σ"],
];

#[test]
fn headers_that_repeat_the_subject_end_the_text_in_any_language() {
    for [from, sent, to, subject] in BLOCKS {
        let lines = |colon: &str| {
            let day = format!("{sent}{colon}3 December 2026 20:59");
            let sender = format!("{from}{colon}{FROM}");
            [sender, day, format!("{to}{colon}{TO}"), format!("{subject}{colon}{SUBJECT}")]
        };
        let [sender, day, recipient, answered] = lines(": ");
        for headers in [
            lines(": ").join("\n"),
            lines("： ").join("\n"),
            lines(":    ").join("\n\n"),
            format!("{day}\n{sender}\n{recipient}\n{answered}"),
            format!("-------- Původní zpráva --------\n{sender}\n{day}\n{recipient}\n{answered}"),
            format!("---- 回复的原邮件 ----\n| {} |", lines(" | ").join(" |\n| ")),
        ] {
            let read = text_of(&format!("Thank you.\n\nAda\n\n{headers}\n\nNo more reminders by e-mail"));
            assert_eq!(read, "Thank you.\n\nAda", "{headers}");
        }
    }
}

#[test]
fn line_above_the_answered_mail_ends_the_text_whatever_its_verb() {
    for header in [
        format!("---- On Thu, 03 Dec 2026 20:59:52 +0000 {FROM} wrote ----"),
        format!("---- On Thu, 03 Dec 2026 20:59:52 +0000 {FROM} wrote ---"),
        format!("Am Donnerstag, 3. Dezember 2026 um 20:59:52 MEZ hat {FROM} Folgendes geschrieben:"),
        format!("Четверг, 3 декабря 2026, 20:59 +03:00 от {FROM}:"),
        format!("3 Dec 2026, 20:59 by {FROM}:"),
        format!("2026年12月3日(木) 20:59 {FROM}:"),
        format!("\"Shop\" ---03.12.2026 20:59:52---{SUBJECT}"),
        format!("> Message du 03/12/26 20:59\n> De : {FROM}\n> A : {TO}\n> Copie à : \n> Objet : {SUBJECT}"),
    ] {
        let read = text_of(&format!("Thank you.\n\nAda\n\n{header}\n\nNo more reminders by e-mail"));
        assert_eq!(read, "Thank you.\n\nAda", "{header}");
    }
}

#[test]
fn details_that_do_not_repeat_the_subject_and_sentences_with_an_hour_are_kept() {
    for text in [
        format!("Name: Ada\nE-mail: {TO}\nAppointment: 3 December 2026 20:59\nThe boiler is still broken."),
        format!("Subject: {SUBJECT}\nThis is wrong."),
        format!("Invoice: {SUBJECT}\nAmount: 110\nDay: 3 December 2026\nI paid it already."),
        format!("> From: {FROM}\n> Please pay.\nI cannot."),
        format!("On Thursday, 3 December 2026 at 20:59, I sent it to {TO}:\nyou never answered."),
        "--- broken on arrival ---\nPump: leaks\nInvoice: wrong".to_owned(),
    ] {
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with('>')).collect();
        assert_eq!(text_of(&text), kept.join("\n"));
    }
}

#[test]
fn lines_of_the_customer_that_look_like_headers_are_kept_with_the_text_below_them() {
    let final_reminder = "Final reminder: 2 invoices from Example Company";
    let dispute = "Dispute of invoice INV-0028";
    let answer = &format!("Re: {SUBJECT}");
    for (subject, text) in [
        (&**answer, format!("Paid on: 2 December 2026\nPayPal: {TO}\nI paid this already, please stop.")),
        (answer, "Hello,\nPaid on: 2 December 2026\nPayPal: p@pay.example\nI paid this already.".to_owned()),
        (answer, "Hello,\nAmount: 110.00\nDate: 2 December 2026\nTime: 14:05\nI have paid this.".to_owned()),
        (answer, format!("Hello,\nE-mail: {TO}\nSubject: {SUBJECT}\nI never ordered this.")),
        (answer, format!("E-mail: p@pay.example\nSubject: {SUBJECT}\nI never ordered this.")),
        (answer, format!("Hi,\nRegarding: {SUBJECT}\nMy new address: new@ada.example\nI never ordered this.")),
        (answer, format!("Ada\nMain Street 1\n\nAn: Shop, books@shop.example\nBetreff: {SUBJECT}\n\nNein.")),
        (
            &*format!("Re: {final_reminder}"),
            "Hello,\nRecipient: Example Company\nAmount: 110.00\nSent: 3 December 2026 14:05\nI paid. I dispute \
             the rest"
                .to_owned(),
        ),
        (dispute, format!("E-mail: {TO}\nSubject: {dispute}\nI never ordered this. I am insolvent.")),
        (dispute, format!("Hello,\nTo: {FROM}\nSubject: {dispute}\nI never ordered this. I am insolvent.")),
    ] {
        assert_eq!(text_in(subject, &text), text);
    }
}

#[test]
fn customer_of_a_form_has_the_same_address_in_every_spelling_of_its_domain() {
    let text =
        format!("Hi,\nE-mail: Ada@Bücher.example\nPaid: 2 December 14:05\nSubject: {SUBJECT}\nI paid this.");
    for (from, kept) in [("ada@xn--bcher-kva.example", &*text), ("eve@xn--bcher-kva.example", "Hi,")] {
        let mail = format!("From: {from}\r\nSubject: Re: {SUBJECT}\r\n\r\n{text}");
        assert_eq!(MimeReader.read(mail.as_bytes()).unwrap().text, kept, "{from}");
    }
}

#[test]
fn sentence_that_ends_in_an_address_and_answer_below_quoted_headers_are_kept() {
    for text in [
        "Am 02.12.2026 um 14:05 Uhr per PayPal bezahlt an books@shop.example:\nTransaktion 8XJ\n\
         Bitte keine weiteren Mahnungen",
        "Hello,\nAm 02.12.2026 um 14:05 Uhr per PayPal bezahlt an books@shop.example:\nTransaktion 8XJ",
    ] {
        assert_eq!(text_of(text), text);
    }
    let quoted = format!("> From: {FROM}\n> Sent: 3 December 2026 14:05\n> Subject: {SUBJECT}\n");
    assert_eq!(text_of(&format!("{quoted}I never ordered this.")), "I never ordered this.");
}
