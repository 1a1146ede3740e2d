//! Messages made to harm the reader.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use communications::{InboundMail, MailReader as _};
use mail_inbound::MimeReader;
use proptest::prelude::*;

/// The headers of each message that is read.
const FROM: &str = "From: a@b.example\r\nMessage-ID: <1@b.example>\r\n";

fn read(raw: &[u8]) -> InboundMail {
    MimeReader.read(raw).unwrap_or_else(|| panic!("this is no message"))
}

/// In a thread with a worker's stack size.
fn read_all(messages: Vec<String>) {
    let read = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(move || {
        for raw in messages {
            assert_eq!(read(raw.as_bytes()).message_id.as_deref(), Some("1@b.example"));
        }
    });
    assert!(read.is_ok_and(|thread| thread.join().is_ok()));
}

/// A message in a message, encoded.
fn encoded(encoding: &str, inner: &str) -> String {
    let headers =
        format!("{FROM}Content-Type: message/rfc822\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n");
    headers + &if encoding == "base64" { STANDARD.encode(inner) } else { inner.replace('=', "=3D") }
}

#[test]
fn what_is_no_mail_is_none() {
    assert_eq!(MimeReader.read(b""), None);
}

#[test]
fn deep_and_long_messages_are_read() {
    let mut nested = String::from("From: a@b.example\r\n");
    for level in 0..500 {
        let boundary = format!("b{level}");
        nested
            .push_str(&format!("Content-Type: multipart/mixed; boundary={boundary}\r\n\r\n--{boundary}\r\n"));
    }
    let _read = MimeReader.read(nested.as_bytes());
    let divs = format!("From: a@b.example\r\nContent-Type: text/html\r\n\r\n{}", "<div>".repeat(50_000));
    assert_eq!(read(divs.as_bytes()).text, "");
    let quoted = format!("From: a@b.example\r\n\r\n{}", "On 1 Dec wrote\r\n".repeat(20_000));
    assert!(!read(quoted.as_bytes()).text.is_empty());
}

/// Without limits, each takes seconds or gigabytes, or crashes the process.
#[test]
fn messages_made_to_exhaust_the_reader_are_read_from_their_beginning() {
    let in_messages = "Content-Type: message/rfc822\n\n".repeat(36_000);
    let line = "<p style='border-top:solid #e1e1e1'>";
    read_all(vec![
        format!("{FROM}{in_messages}hi"),
        format!("{FROM}{}\r\nhi", "X: y\r\n".repeat(1_000_000)),
        format!("{FROM}To: {}\r\n\r\nhi", "a@b.example, ".repeat(500_000)),
        format!("{FROM}Content-Type: multipart/mixed; boundary=b\r\n\r\n{}", "--b\r\n\r\n".repeat(500_000)),
        format!("{FROM}\r\n{}", "__\n>\n".repeat(60_000)),
        format!("{FROM}Subject: Re: {}\r\n\r\n{}", "a:@ ".repeat(62_000), "a:@\n".repeat(65_536)),
        format!("{FROM}Subject: Re: {}\r\n\r\n{}", "a:@ ".repeat(240), "a:@\n".repeat(65_536)),
        format!("{FROM}Content-Type: text/html\r\n\r\n{}", "&".repeat(262_144)),
        format!("{FROM}Content-Type: text/html\r\n\r\n{}{}", line.repeat(90_000), "a:b ".repeat(60_000)),
        format!(
            "{FROM}Content-Type: text/html\r\n\r\n{}:{}",
            "On a@b.example 1 ".repeat(20),
            "<blockquote style=x>".repeat(99_000)
        ),
    ]);
}

#[test]
fn encoded_messages_in_messages_do_not_exhaust_the_reader() {
    let text = "hello world\n".repeat(100_000);
    let inner = [
        "Content-Type: message/rfc822\n\n".repeat(36_000),
        format!("{}{text}", "Content-Type: message/rfc822\n\n".repeat(300)),
        format!(
            "Content-Type: multipart/mixed; boundary=b\n\n{}--b--\n",
            "--b\nContent-Type: multipart/x; boundary=zzzz\n\n".repeat(20_000)
        ),
    ];
    let all = |inner: &String| ["base64", "quoted-printable"].map(|encoding| encoded(encoding, inner));
    read_all(inner.iter().flat_map(all).collect());
}

#[test]
fn no_spelling_of_a_media_type_exhausts_the_reader() {
    let blanks = format!("{}message/rfc822", " ".repeat(200));
    let spellings =
        [&*blanks, "message /rfc822", "message(x)/rfc822", "(c)message (x) / rfc822", "message\n /rfc822"];
    let nested =
        spellings.map(|spelling| format!("{FROM}{}", format!("Content-Type: {spelling}\n\n").repeat(30_000)));
    let text = "hello world, this is a line of text\n".repeat(50_000);
    let never_ends = "--b\nContent-Type: multi(x)part/x; boundary=zzzz\n\n".repeat(9_000);
    let multipart = format!("{FROM}Content-Type: multipart/mixed; boundary=b\n\n");
    read_all([vec![format!("{multipart}{never_ends}--b\n\n{text}")], nested.to_vec()].concat());
}

/// At the end of its input, the parser does not see the media type of a header that has no end of line.
#[test]
fn media_type_at_the_end_of_what_is_read_is_known() {
    let nested = "Content-Type: message/rfc822\n\n".repeat(36_000);
    let never_ends = "--zzzz\nContent-Type: multipart/x; boundary=yyyy\n\n".repeat(9_000);
    let multipart = format!("{FROM}Content-Type: multipart/mixed; boundary=b\n\n");
    let after_padding = |before: &str, bytes: usize| {
        let kind = "Content-Type: message/rfc822";
        let padding = bytes - before.len() - kind.len() - 4;
        format!("{before}X: {}\n{kind}\n{nested}hi", "a".repeat(padding))
    };
    let mut messages: Vec<_> = [&nested, &never_ends]
        .map(|inner| {
            let begun = "--b\nContent-Type: multipart/mixed; boundary=zzzz\n--b\n\n--zzzz\n";
            format!("{multipart}{begun}{inner}\nhi\n--b--\n")
        })
        .into();
    for bytes in [16, 64, 256].map(|kib| kib * 1024) {
        messages.push(after_padding(FROM, bytes));
        messages.push(format!("{multipart}{}", after_padding("--b\n", bytes)));
        messages.push(format!("{multipart}--b\n{}", after_padding("", bytes)));
    }
    read_all(messages);
}

#[test]
fn headers_made_to_be_compared_with_each_other_do_not_exhaust_the_reader() {
    let parameters = |count: usize| (0..count).map(|n| format!(";{n}*1=a")).collect::<String>();
    let multipart = format!("{FROM}Content-Type: multipart/mixed; boundary=b\n\n");
    let part = format!("--b\nContent-Type: text/plain{}\n\nhi\n", parameters(30_000));
    read_all(vec![
        format!("{FROM}Content-Type: text/plain{}\n\nhi", parameters(200_000)),
        format!("{multipart}{}", part.repeat(200)),
    ]);
}

#[test]
fn text_is_not_taken_for_a_part() {
    // A boundary that the sender could foresee would end the first part.
    for guess in ["part-0000000000000000-0", "b2", "-"] {
        let raw = format!(
            "{FROM}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nI lost my job.\r\n--{guess}\r\n\r\n\
             I paid.\r\n--b--\r\n"
        );
        assert_eq!(read(raw.as_bytes()).text, format!("I lost my job.\n--{guess}\n\nI paid."));
    }
}

#[test]
fn returned_message_is_named_although_it_is_encoded() {
    let inner =
        "Message-ID: <2@shop.example>\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nhi";
    for encoding in ["7bit", "base64", "quoted-printable"] {
        let returned = encoded(encoding, inner);
        let raw = format!(
            "From: a@b.example\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\
             Content-Type: message/delivery-status\r\n\r\nFinal-Recipient: rfc822; x@y.example\r\n\
             Status: 5.1.1\r\nAction: failed\r\n\r\n--b\r\n{returned}\r\n--b--\r\n"
        );
        assert_eq!(read(raw.as_bytes()).bounce.unwrap().returned_ids, ["2@shop.example"], "{encoding}");
    }
}

#[test]
fn control_characters_and_excess_ids_are_removed() {
    let raw = "From: a@b.example\r\nIn-Reply-To: <1\0@b.example>\r\nSubject: INV\u{202e}-1\0\r\n\r\n\
               I paid invoice 1\0 yesterday\u{202e}";
    let mail = read(raw.as_bytes());
    assert_eq!(mail.in_reply_to, ["1@b.example"]);
    assert_eq!((mail.subject.as_deref(), &*mail.text), (Some("INV-1"), "I paid invoice 1 yesterday"));
    let ids: String = (0..40_000).map(|id| format!("<{id}@q.example>")).collect();
    let report = format!(
        "From: a@b.example\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\
         Content-Type: message/delivery-status\r\n\r\nFinal-Recipient: rfc822; x@y.example\r\n\
         Status: 5.1.1\r\nAction: failed\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\n\
         Message-ID: {ids}\r\n\r\n--b--\r\n"
    );
    assert_eq!(read(report.as_bytes()).bounce.unwrap().returned_ids.len(), 100);
}

proptest! {
    #[test]
    fn no_bytes_make_reading_fail(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let _read = MimeReader.read(&bytes);
        let mut mail = b"From: a@b.example\r\nContent-Type: text/html\r\n\r\n".to_vec();
        mail.extend(&bytes);
        let _read = MimeReader.read(&mail);
    }
}
