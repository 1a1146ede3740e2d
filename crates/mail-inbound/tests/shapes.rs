//! Messages as mail programs send them, one file each, and what is read of them.

use communications::{Automatic, Bounce, InboundMail, MailReader};
use mail_inbound::MimeReader;

const TOKEN: &str = "reply+aaaqeaye@in.shop.example";

fn read(raw: &[u8]) -> InboundMail {
    MimeReader.read(raw).unwrap_or_else(|| panic!("this is no message"))
}

fn check(raw: &[u8], text: &str, automatic: Option<Automatic>, answers: usize) {
    let mail = read(raw);
    assert_eq!(mail.text, text);
    assert_eq!(mail.automatic, automatic);
    assert_eq!(mail.in_reply_to.len(), answers, "{:?}", mail.in_reply_to);
    assert!(mail.recipients.iter().any(|address| address == TOKEN), "{:?}", mail.recipients);
    assert_eq!(mail.message_id.as_deref(), Some("m1@mail.example.com"));
    assert!(mail.from.is_some());
}

macro_rules! shapes {
    ($($name:ident: $text:expr, $automatic:expr, $answers:expr;)*) => {$(
        #[test]
        fn $name() {
            let raw = include_bytes!(concat!("shapes/", stringify!($name), ".eml"));
            check(raw, $text, $automatic, $answers);
        }
    )*};
}

shapes! {
    gmail_top_posted: "I lost my job.", None, 1;
    gmail_wrapped_header: "I lost my job.", None, 1;
    gmail_alternative: "I lost my job.", None, 1;
    gmail_html_only: "I lost my job.", None, 1;
    gmail_bottom_posted: "I lost my job.", None, 1;
    interleaved: "I cannot.\n\nPlease call me instead.", None, 1;
    apple_mail: "I lost my job.", None, 1;
    iphone: "I lost my job.", None, 1;
    iphone_bottom: "I lost my job.", None, 1;
    iphone_german: "Ich kann nicht zahlen.", None, 1;
    samsung: "I lost my job.", None, 1;
    outlook_desktop: "I lost my job.", None, 1;
    outlook_rule: "I lost my job.", None, 1;
    outlook_original_message: "I lost my job.", None, 1;
    outlook_html: "I lost my job.", None, 1;
    outlook_web: "I lost my job.", None, 1;
    outlook_ios: "I lost my job.", None, 1;
    outlook_german: "Das ist falsch.", None, 1;
    outlook_french: "Je conteste.", None, 1;
    outlook_spanish: "No puedo pagar.", None, 1;
    outlook_italian: "Non posso.", None, 1;
    outlook_dutch: "Dit klopt niet.", None, 1;
    wrote_german: "Kein Geld.", None, 1;
    wrote_french: "Pas d’argent.", None, 1;
    wrote_spanish: "Sin dinero.", None, 1;
    wrote_italian: "Niente soldi.", None, 1;
    wrote_portuguese: "Sem dinheiro.", None, 1;
    wrote_dutch: "Geen geld.", None, 1;
    wrote_swedish: "Inga pengar.", None, 1;
    wrote_polish: "Nie mam pieniędzy.", None, 1;
    wrote_czech: "Nemám peníze.", None, 1;
    wrote_finnish: "Ei rahaa.", None, 1;
    wrote_russian: "Нет денег.", None, 1;
    wrote_turkish: "Param yok.", None, 1;
    wrote_japanese: "払えません。", None, 1;
    wrote_chinese: "我没钱。", None, 1;
    wrote_korean: "돈이 없어요.", None, 1;
    quoted_printable:
        "I can’t pay right now – sorry, but this is a very long line that the client broke softly in the middle of it.",
        None, 1;
    base64_body: "I lost my job.", None, 1;
    latin_1: "Je ne peux pas payer, désolé.", None, 1;
    windows_1252: "I can’t pay – sorry", None, 1;
    koi8_r: "Нет денег", None, 1;
    shift_jis: "払えません", None, 1;
    gb18030: "我没钱", None, 1;
    iso_2022_jp: "払えません", None, 1;
    several_ids: "I lost my job.", None, 3;
    repeated_ids: "I lost my job.", None, 2;
    no_ids: "I lost my job.", None, 0;
    folded_references: "I lost my job.", None, 3;
    id_without_brackets: "I lost my job.", None, 1;
    token_in_cc: "I lost my job.", None, 1;
    token_in_delivered_to: "I lost my job.", None, 1;
    token_in_forwarded_to: "I lost my job.", None, 1;
    forwarded_with_comment: "I lost my job.", None, 1;
    forwarded_apple: "I lost my job.", None, 1;
    forwarded_bare: "", None, 1;
    signature_dashes: "I lost my job.", None, 1;
    signature_closing: "I lost my job.", None, 1;
    signature_thanks: "I lost my job.", None, 1;
    thanks_first: "Hello\nThanks\nbut I am not going to pay any of this invoice", None, 1;
    yahoo_html: "I lost my job.", None, 1;
    thunderbird_html: "I lost my job.\n\nAnd call me.", None, 1;
    proton_html: "I lost my job.", None, 1;
    html_entities: "I can't pay & won't lie.", None, 1;
    html_comments_and_scripts: "I lost my job.", None, 1;
    html_broken: "I lost my job.", None, 1;
    empty_plain_part: "I lost my job.", None, 1;
    attachment: "I lost my job.", None, 1;
    encoded_subject: "I lost my job.", None, 1;
    out_of_office: "I am away until Monday.", Some(Automatic::Reply), 1;
    out_of_office_by_subject: "I am away.", Some(Automatic::Reply), 1;
    out_of_office_german: "Ich bin nicht da.", Some(Automatic::Reply), 1;
    autoresponder_header: "Got it.", Some(Automatic::Reply), 1;
    mailing_list: "Hello all.", Some(Automatic::List), 1;
    bulk: "Sale!", Some(Automatic::List), 1;
    mail_loop: "again", Some(Automatic::Loop), 1;
    auto_submitted_no: "I lost my job.", None, 1;
    bounce_hard: "Your message was not delivered.", Some(Automatic::Bounce), 0;
    bounce_soft: "Your message was not delivered.", Some(Automatic::Bounce), 0;
    bounce_without_report: "User unknown", Some(Automatic::Bounce), 0;
}

#[test]
fn first_answered_id_is_the_direct_one() {
    let mail = read(include_bytes!("shapes/several_ids.eml"));
    assert_eq!(mail.in_reply_to.first().map(String::as_str), Some("inv-1@shop.example"));
}

#[test]
fn last_reference_is_the_direct_one_without_another_id() {
    let mail = read(b"From: a@b.example\r\nReferences: <1@b.example> <2@b.example>\r\n\r\nI paid it");
    assert_eq!(mail.in_reply_to, ["2@b.example", "1@b.example"]);
}

#[test]
fn answered_id_and_reply_address_behind_many_others_are_read() {
    let ids: String = (0..150).map(|id| format!(" <{id}@q.example>")).collect();
    let others: String = (0..150).map(|other| format!("{other}@q.example, ")).collect();
    let mail = read(
        format!("From: a@b.example\r\nTo: {others}Reply+t@b.example\r\nReferences:{ids}\r\n\r\nI paid it")
            .as_bytes(),
    );
    assert_eq!(
        (mail.in_reply_to.len(), mail.in_reply_to.first().map(String::as_str)),
        (100, Some("149@q.example"))
    );
    assert_eq!(
        (mail.recipients.len(), mail.recipients.first().map(String::as_str)),
        (100, Some("Reply+t@b.example"))
    );
}

#[test]
fn attachments_are_counted_and_not_read() {
    let mail = read(include_bytes!("shapes/attachment.eml"));
    assert_eq!((mail.attachments, mail.text.as_str()), (1, "I lost my job."));
}

/// A mail whose body has these parts.
fn mail_of(kind: &str, parts: &[&str]) -> String {
    let parts: String = parts.iter().map(|part| format!("--{kind}\r\n{part}\r\n")).collect();
    format!("Content-Type: multipart/{kind}; boundary={kind}\r\n\r\n{parts}--{kind}--\r\n")
}

#[test]
fn text_around_pictures_and_below_a_notice_is_read() {
    const PICTURE: &str =
        "Content-Type: image/jpeg; name=IMG_1.jpg\r\nContent-Disposition: inline\r\n\r\nAAAA";
    const FILE: &str = "Content-Type: application/pdf; name=x.pdf\r\n\r\nAAAA";
    let plain = |text: &str| format!("Content-Type: text/plain\r\n\r\n{text}");
    let html = |text: &str| format!("Content-Type: text/html\r\n\r\n<p>{text}</p>");
    let below = "The goods are broken.\r\n\r\nOn 1 Dec 2026, Shop wrote:\r\n> Please pay.";
    let (hello, both) = (plain("Hello"), mail_of("alternative", &[&plain("Hello"), &html("Hello")]));
    for (mail, attachments) in [
        (mail_of("mixed", &[&hello, PICTURE, &plain(below)]), 1),
        (mail_of("mixed", &[&both, &plain(below)]), 0),
        (mail_of("mixed", &[&html("Hello"), PICTURE, &html("The goods are broken.")]), 1),
        (mail_of("mixed", &[&hello, &mail_of("alternative", &[&plain(below), &html("x")])]), 0),
        (
            mail_of(
                "mixed",
                &[&hello, &mail_of("alternative", &[&plain(" "), &html("The goods are broken.")])],
            ),
            0,
        ),
        (
            mail_of(
                "alternative",
                &[
                    &plain(&format!("Hello\r\n\r\n{below}")),
                    &mail_of("mixed", &[&html("x"), FILE, &html("y")]),
                ],
            ),
            1,
        ),
    ] {
        let read = read(format!("From: a@b.example\r\n{mail}").as_bytes());
        let lines: Vec<&str> = read.text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(
            (&lines[..], read.attachments),
            (&["Hello", "The goods are broken."][..], attachments),
            "{mail}"
        );
    }
}

#[test]
fn text_that_is_a_file_is_counted_and_not_read() {
    let part = |headers: &str| format!("Content-Type: text/plain{headers}\r\n\r\nI lost my job.");
    let hello = "Content-Type: text/plain; name=message.txt\r\n\r\nHello";
    for headers in [
        "\r\nContent-Disposition: attachment",
        "\r\nContent-Disposition: inline; filename=notes.txt",
        "; name=notes.txt",
    ] {
        let mail = format!("From: a@b.example\r\n{}", mail_of("mixed", &[hello, &part(headers)]));
        let read = read(mail.as_bytes());
        assert_eq!((read.text.as_str(), read.attachments), ("Hello", 1), "{headers}");
    }
}

#[test]
fn address_beside_a_name_that_is_not_in_utf_8_is_read() {
    let raw = b"From: a@b.example\r\nTo: M\xfcller <reply+aaaqeaye@in.shop.example>\r\n\r\nIt is wrong.";
    assert_eq!(read(raw).recipients, ["reply+aaaqeaye@in.shop.example"]);
}

#[test]
fn subject_is_the_text_of_a_mail_without_any_unless_it_is_that_of_another_mail() {
    let text = |subject: &str, body: &str| {
        read(format!("From: a@b.example\r\nSubject: {subject}\r\n\r\n{body}").as_bytes()).text
    };
    let subject = "I lost my job and cannot pay";
    for body in ["", "\r\n \r\n", "-- \r\nAda", "> Please pay."] {
        assert_eq!(text(subject, body), subject);
    }
    assert_eq!(text(subject, "Sorry."), "Sorry.");
    for mark in ["Re", "RE", "Re[2]", "AW", "Fwd", "WG", "Tr ", "SV"] {
        assert_eq!(text(&format!("{mark}: {subject}"), ""), "", "{mark}");
    }
    assert_eq!(text("Note: I lost my job", ""), "Note: I lost my job");
    assert_eq!(text("Automatic reply: I cannot pay", ""), "");
}

#[test]
fn encoded_subject_is_decoded() {
    let mail = read(include_bytes!("shapes/encoded_subject.eml"));
    assert_eq!(mail.subject.as_deref(), Some("Ré : facture"));
}

#[test]
fn automatic_reply_is_recognized_by_its_decoded_subject() {
    for subject in [
        "Automatic reply: Invoice",
        "=?utf-8?Q?Automatic_reply=3A_Invoice_from_M=C3=BCller_GmbH?=",
        "=?utf-8?B?QXV0b21hdGljIHJlcGx5OiBJbnZvaWNl?=",
        "=?iso-8859-1?Q?R=E9ponse_automatique=A0=3A_Facture?=",
        "=?utf-8?Q?R=C3=89PONSE?=\r\n =?utf-8?Q?_AUTOMATIQUE?=",
        "=?utf-8?Q?Automatische_Antwort=3A_Rechnung?=",
        "Réponse automatique : Facture",
    ] {
        let mail = format!("From: a@b.example\r\nSubject: {subject}\r\n\r\nI am on sick leave.");
        assert_eq!(read(mail.as_bytes()).automatic, Some(Automatic::Reply), "{subject}");
    }
    let answer = "From: a@b.example\r\nSubject: Re: =?utf-8?Q?Automatic_reply?=\r\n\r\nI cannot pay.";
    assert_eq!(read(answer.as_bytes()).automatic, None);
}

#[test]
fn report_names_recipient_status_and_returned_mail() {
    let hard = read(include_bytes!("shapes/bounce_hard.eml")).bounce.unwrap();
    assert_eq!(
        (hard.recipients.as_slice(), hard.hard),
        (&[("Ada@Example.com".to_owned(), "5.1.1".to_owned())][..], true)
    );
    assert_eq!(hard.returned_ids, ["inv-1@shop.example"]);
    let soft = read(include_bytes!("shapes/bounce_soft.eml")).bounce.unwrap();
    assert!(!soft.hard);
    assert_eq!(read(include_bytes!("shapes/bounce_without_report.eml")).bounce, None);
}

#[test]
fn report_about_forwarded_mail_names_both_addresses_and_may_fold_its_fields() {
    let bounce = |fields: &str| {
        let report = format!(
            "From: MAILER-DAEMON@b.example\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\
             Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; b.example\r\n\r\n\
             {fields}Status: 5.1.1\r\nAction:\r\n failed\r\n\r\n--b--\r\n"
        );
        read(report.as_bytes()).bounce
    };
    let addresses =
        |found: &Bounce| found.recipients.iter().map(|(address, _)| address.clone()).collect::<Vec<_>>();
    let forwarded =
        "Original-Recipient: rfc822;Ada@Example.com\r\nFinal-Recipient: rfc822;\r\n\tada@new.example\r\n";
    let found = bounce(forwarded).unwrap();
    assert_eq!(
        (&addresses(&found)[..], found.hard),
        (&["ada@new.example", "Ada@Example.com"].map(str::to_owned)[..], true)
    );
    let same = "Original-Recipient: rfc822;a@b.example\r\nFinal-Recipient: rfc822; <A@b.example>\r\n";
    assert_eq!(addresses(&bounce(same).unwrap()), ["A@b.example"]);
    for (named, address) in [
        ("a@b.example (Ada; sales)", "a@b.example"),
        ("a@b.example (expanded from <all@b.example>)", "a@b.example"),
        ("Ada B (Sales) <a@b.example>", "a@b.example"),
        ("\"a b\"@b.example", "\"a b\"@b.example"),
    ] {
        let fields = format!("Final-Recipient: rfc822; {named}\r\nAction: Failed (no mailbox)\r\n");
        let found = bounce(&fields).unwrap();
        assert_eq!((&addresses(&found)[..], found.hard), (&[address.to_owned()][..], true));
    }
    let after = |status: &str, action: &str| {
        let of_bob =
            format!("Final-Recipient: rfc822; bob@b.example\r\nStatus: {status}\r\nAction: {action}\r\n");
        let found = bounce(&format!("{of_bob}\r\nOriginal-Recipient: rfc822; ada@example.com\r\n")).unwrap();
        assert!(found.hard);
        found.recipients
    };
    let ada = || ("ada@example.com".to_owned(), "5.1.1".to_owned());
    let both = [("bob@b.example".to_owned(), "5.4.4".to_owned()), ada()];
    assert_eq!(after("5.4.4", "failed"), both, "a mail to several may fail for each");
    for (status, action) in [("2.1.5", "relayed"), ("4.4.1", "delayed"), ("5.4.4", "delayed")] {
        assert_eq!(after(status, action), [ada()], "{status} {action}");
    }
    assert_eq!(bounce(""), None);
    assert_eq!(bounce("Final-Recipient: rfc822;\r\n"), None, "nothing follows but the next field");
}

#[test]
fn sender_is_the_first_address_although_its_header_is_malformed() {
    for (from, address) in [
        ("Smith, John <x1@firm.example>", "x1@firm.example"),
        ("\"Cust <x1@firm.example>", "x1@firm.example"),
        ("<@relay.example,@b.example:x1@firm.example>", "x1@firm.example"),
        ("<mailto:x1@firm.example>", "x1@firm.example"),
        ("Ada (Shop) <x1@firm.example>, bob@firm.example", "x1@firm.example"),
        ("\"postmaster@b.example\" <x1@firm.example>", "x1@firm.example"),
        ("x1@firm.example", "x1@firm.example"),
        ("Firm: x1@firm.example, bob@firm.example;", "x1@firm.example"),
    ] {
        let mail = read(format!("From: {from}\r\n\r\nI lost my job.").as_bytes());
        assert_eq!(mail.from.as_deref(), Some(address), "{from}");
        assert_eq!(mail.automatic, None, "{from}");
    }
    for from in ["Ada", "", "<>", "<@>", "<ada>"] {
        assert_eq!(
            read(format!("From: {from}\r\nTo: a@b.example\r\n\r\nHi").as_bytes()).from,
            None,
            "{from}"
        );
    }
}

#[test]
fn reply_address_behind_a_colon_is_read() {
    for to in [
        "<mailto:reply+t@b.example>", "Invoices:reply+t@b.example;", "SMTP:reply+t@b.example",
        "x: reply+t@b.example",
    ] {
        let mail = read(format!("From: a@b.example\r\nTo: {to}\r\n\r\nHi").as_bytes());
        assert_eq!(mail.recipients, ["reply+t@b.example"], "{to}");
    }
}

#[test]
fn character_that_two_encoded_words_share_is_read() {
    for (subject, read_as) in [
        ("=?utf-8?Q?M=C3?= =?utf-8?Q?=BCller?=", "Müller"),
        ("=?UTF-8?Q?M=C3?=\r\n =?utf-8?q?=BCller_x?=", "Müller x"),
        ("=?utf-8?B?TcM=?= =?utf-8?B?vGxsZXI=?=", "Müller"),
        ("=?utf-8?B?TcO8bMM=?=\r\n\t=?utf-8?B?pG5l?= =?utf-8?B?w7w=?= Co", "Müläneü Co"),
        ("Re: =?utf-8?Q?M=C3?= =?utf-8?Q?=BC?= =?iso-8859-1?Q?=FC?= x", "Re: Müü x"),
        ("=?utf-8?Q?a?= b =?utf-8?Q?c?=", "a b c"),
        ("=?utf-8?Q?a?= =?utf-8?B?Yg==?=", "ab"),
        ("=?utf-8?Q?a? =?utf-8?Q?b?=", "=?utf-8?Q?a? b"),
    ] {
        let mail = read(format!("From: a@b.example\r\nSubject: {subject}\r\n\r\nI lost my job.").as_bytes());
        assert_eq!(mail.subject.as_deref(), Some(read_as), "{subject}");
    }
}
