//! Mail that is cut, or to which a server on the way added something: what can be read of it is read.

use communications::MailReader as _;
use mail_inbound::MimeReader;

const TEXT: &str = "I never ordered this, the invoice is wrong.";
const ENCODED: &str = "SSBuZXZlciBvcmRlcmVkIHRoaXMsIHRoZSBpbnZvaWNlIGlzIHdyb25nLg==";

fn text_of(mail: &str) -> String {
    let mail = format!("From: ada@example.com\r\nMIME-Version: 1.0\r\n{mail}");
    MimeReader.read(mail.as_bytes()).unwrap_or_else(|| panic!("this is no message")).text
}

#[test]
fn base64_with_other_characters_and_a_footer_is_read() {
    let (start, end) = ENCODED.split_at(20);
    for kind in ["plain", "html"] {
        for body in [
            format!("{start}!\r\n*{end}\r\n"),
            format!("{ENCODED}\r\n\r\n____________\r\nThis mail was scanned, by AVG.\r\n"),
        ] {
            let part =
                format!("Content-Type: text/{kind}\r\nContent-Transfer-Encoding: base64\r\n\r\n{body}");
            assert_eq!(text_of(&part), TEXT, "{part}");
            let mixed =
                format!("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{part}\r\n--b--\r\n");
            assert_eq!(text_of(&mixed), TEXT, "{mixed}");
        }
    }
}

#[test]
fn base64_in_several_pieces_is_read() {
    // Each line by itself, and blanks within a line.
    for body in [
        "SSBuZXZlciBvcmRlcmVkIHRoaXMs\r\nIHRoZSBpbnZvaWNlIA==\r\naXMgd3Jvbmcu\r\n",
        "SSBuZXZlciBvcmRlcmVkIHRoaXMs IHRoZSBpbnZvaWNl IGlzIHdyb25nLg==\r\n",
    ] {
        let part = format!("Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n{body}");
        assert_eq!(text_of(&part), TEXT, "{body}");
    }
}

#[test]
fn quoted_printable_that_ends_in_a_soft_break_is_read_to_its_end() {
    let head = "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
    for end in ["=", "=\r\n", "= \r\n", ""] {
        assert_eq!(text_of(&format!("{head}I can pay only $150{end}")), "I can pay only $150", "{end:?}");
    }
    for (written, read) in [("=", ""), ("==", "="), ("= =", "=")] {
        assert_eq!(text_of(&format!("{head}{written}")), read);
    }
}

#[test]
fn quoted_printable_with_equals_signs_that_encode_nothing_is_read() {
    let written = "I owe nothing =E2=80=93 my token is dGVzdA== and=\r\n I will not pay=2E\r\n==========\r\n";
    for kind in ["plain", "html"] {
        let encoding = "charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable";
        let part = format!("Content-Type: text/{kind}; {encoding}\r\n\r\n{written}");
        let mixed = format!("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{part}\r\n--b--\r\n");
        for mail in [part, mixed] {
            let text = text_of(&mail);
            assert!(text.starts_with("I owe nothing – my token is dGVzdA== and I will not pay."), "{text}");
        }
    }
}

#[test]
fn headers_with_odd_ends_are_read() {
    let part = format!("Content-Transfer-Encoding: base64\r\n\r\n{ENCODED}");
    let multipart = format!("Content-Type: multipart/mixed; boundary=b\n\n--b\n{part}\n--b--\n");
    for date in ["Mon, 1 Dec 2026 10:00:00 Z", "Mon, 1 Dec 2026 10:00:00 UT"] {
        assert_eq!(text_of(&format!("Date: {date}\n{multipart}")), TEXT, "{date}");
    }
    let received = "from a by b; 1 Dec 2026 10:00:00 -9223372036854775808";
    assert_eq!(text_of(&format!("Received: {received}\n{multipart}")), TEXT);
    for blank in ["\r\r\n", "\u{c}\n"] {
        assert_eq!(text_of(&format!("Content-Type: text/plain\r\n{blank}{TEXT}")), TEXT, "{blank:?}");
    }
}

#[test]
fn text_of_a_mail_with_very_many_parts_has_no_boundary() {
    let part = format!("Content-Type: text/plain\r\n\r\n{TEXT}");
    let inner = format!("Content-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n{part}\r\n--c--");
    let pictures = "--b\r\nContent-Type: image/png\r\n\r\n\r\n".repeat(198);
    let mail = format!(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{part}\r\n{pictures}--b\r\n{inner}\r\n--b--\r\n"
    );
    assert_eq!(text_of(&mail), TEXT);
}

#[test]
fn delimiter_with_something_around_it_is_one() {
    for (begin, end) in [
        ("--b (comment)", "\r\n--b--"),
        ("--b", "\r\n--b-- footer by a server"),
        ("--b ", "\r\n--b --"),
        ("--b", "--b--"),
    ] {
        let multipart = "Content-Type: multipart/mixed; boundary=b\r\n\r\n";
        let mail = format!("{multipart}{begin}\r\nContent-Type: text/plain\r\n\r\n{TEXT}{end}\r\n");
        assert_eq!(text_of(&mail), TEXT, "{mail}");
    }
}

#[test]
fn headers_after_long_ones_are_read() {
    let others = "someone@example.com, ".repeat(5_000);
    let part = format!("Content-Transfer-Encoding: base64\r\n\r\n{ENCODED}");
    let mail = format!(
        "Cc: {others}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{part}\r\n--b--\r\n"
    );
    assert_eq!(text_of(&mail), TEXT);
}

#[test]
fn parts_without_an_end_are_read() {
    for kind in ["plain", "html"] {
        let part = format!("Content-Type: text/{kind}\r\n\r\n{TEXT}");
        let one = format!("Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n{part}");
        let nested = format!(
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{one}\r\n--a--\r\n--b\r\n{part}"
        );
        assert_eq!(text_of(&one), TEXT);
        assert_eq!(text_of(&nested).replace("\n\n", "\n"), format!("{TEXT}\n{TEXT}"));
    }
}

#[test]
fn inner_parts_without_an_end_leave_the_outer_parts_as_they_are() {
    for encoded in [format!("\r\n{TEXT}"), format!("Content-Transfer-Encoding: base64\r\n\r\n{ENCODED}")] {
        let part = format!("Content-Type: text/plain\r\n{encoded}");
        let inner = format!("Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n{part}");
        let mail = format!(
            "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{inner}\r\n--b\r\n{part}\r\n--b--\r\n"
        );
        assert_eq!(text_of(&mail).replace("\n\n", "\n"), format!("{TEXT}\n{TEXT}"), "{mail}");
    }
}

#[test]
fn text_beside_large_pictures_and_styles_in_html_is_read() {
    let picture = |bytes: usize| format!("<img src=\"data:image/png;base64,{}\">", "A".repeat(bytes));
    let style = format!("<html><head><style>{}</style></head>", "p.a{x:y}\n".repeat(40_000));
    for html in [
        format!("{style}<p>{TEXT}</p>"),
        format!("{}<p>{TEXT}</p>", picture(400_000)),
        format!("<p>{TEXT}{}</p>", picture(1_500_000)),
        format!("<blockquote>{}</blockquote><p>{TEXT}", "<p>quoted</p>".repeat(30_000)),
    ] {
        let part = format!("Content-Type: text/html\r\n\r\n{html}");
        assert_eq!(text_of(&part), TEXT);
        let related =
            format!("Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\n{part}\r\n--b--\r\n");
        assert_eq!(text_of(&related), TEXT);
    }
}

#[test]
fn name_of_an_encoding_with_a_comment_or_in_quotes_is_read() {
    let quoted = TEXT.replace(' ', "=20");
    for kind in ["plain", "html"] {
        for (encoding, body) in [
            ("base64 (comment)", ENCODED),
            ("\"base64\"", ENCODED),
            ("(comment) BASE64;", ENCODED),
            ("quoted-printable (comment)", &quoted),
            ("'quoted-printable'", &quoted),
            ("7bit (comment)", TEXT),
            ("x-unknown", TEXT),
        ] {
            let part =
                format!("Content-Type: text/{kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n{body}");
            assert_eq!(text_of(&part), TEXT, "{encoding}");
            let mixed =
                format!("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n{part}\r\n--b--\r\n");
            assert_eq!(text_of(&mixed), TEXT, "{encoding}");
        }
    }
}
