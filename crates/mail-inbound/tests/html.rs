//! HTML as mail programs and people write it: what is no tag.

use communications::MailReader as _;
use mail_inbound::MimeReader;

/// The newest text of an HTML body in an answer.
fn text_of(html: &str) -> String {
    let mail = format!(
        "From: a@b.example\r\nSubject: Re: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}"
    );
    MimeReader.read(mail.as_bytes()).unwrap_or_else(|| panic!("this is no message")).text
}

#[test]
fn less_than_sign_before_no_name_is_text() {
    for text in ["Thanks <3 but I dispute this invoice", "a < b", "1<2 and 3 > 2", "I paid <", "<= 100 <- no"]
    {
        assert_eq!(text_of(text), text);
        assert_eq!(text_of(&format!("<p>{text}</p>")), text);
    }
    assert_eq!(text_of("a<!DOCTYPE x>b<?xml version=\"1.0\"?>c</x>d<o:p>e</o:p>"), "abcde");
}

#[test]
fn address_in_angle_brackets_is_text() {
    let text = "I paid at <https://pay.example/x> today, from <ada@example.com>";
    assert_eq!(text_of(&format!("<p>{text}</p>")), text);
}
