//! HTML as mail programs and people write it: line breaks, quotes, tables, and what is no tag.

use communications::MailReader as _;
use mail_inbound::MimeReader;

/// The newest text of an HTML body in an answer.
fn text_of(html: &str) -> String {
    let mail = format!(
        "From: a@b.example\r\nSubject: Re: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}"
    );
    MimeReader.read(mail.as_bytes()).unwrap_or_else(|| panic!("this is no message")).text
}

const QUOTING: &str = "Thank you, noted.\n\nOn Tue, 1 Dec 2026 at 9:00, Shop &lt;a@shop.example&gt; wrote:\n\n\
    &gt; Please pay.\n&gt; unsubscribe";

#[test]
fn line_breaks_of_preformatted_html_are_line_breaks() {
    for (begin, end) in [
        ("<pre>", "</pre>"),
        ("<PRE CLASS=\"moz-quote-pre\" wrap=\"\">", "</PRE>"),
        ("<textarea>", "</textarea>"),
        ("<xmp>", "</xmp>"),
        ("<listing>", "</listing>"),
        ("<div style=\"white-space:pre-wrap\">", "</div>"),
        ("<div style=\"color: red; white-space: pre;\"><div><b>", "</b></div></div>"),
        ("<span style='white-space :pre-line'>", "</span>"),
        ("<p style=\"white-space-collapse: preserve\">", ""),
        ("<body style=\"white-space: break-spaces\"><div>x</div>", "</body>"),
        ("", ""),
    ] {
        for breaks in ["\n", "\r\n", "\r"] {
            let html = format!("{begin}{}{end}", QUOTING.replace('\n', breaks));
            assert_eq!(text_of(&html).trim_start_matches("x\n"), "Thank you, noted.", "{html}");
        }
    }
    assert_eq!(text_of("Thank you.&#10;-- &#10;Ada"), "Thank you.");
}

#[test]
fn line_breaks_of_other_html_are_blanks() {
    assert_eq!(text_of("<p>I lost\r\nmy job.</p>"), "I lost my job.");
    assert_eq!(text_of("<pre>I lost\nmy job.</pre>I can\nnot pay."), "I lost\nmy job.\nI can not pay.");
    assert_eq!(text_of("<div style='white-space: normal'>I lost\nmy job.</div>"), "I lost my job.");
    let nested = "<pre>a<pre>b\nc</pre>d\ne</pre><p>f\ng</p>";
    assert_eq!(text_of(nested), "a\nb\nc\nd\ne\n\nf g");
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
    let header = "On Tue, 1 Dec 2026 at 9:00, Shop <a@shop.example> wrote:";
    assert_eq!(text_of(&format!("Noted.\n\n{header}\n\n> unsubscribe")), "Noted.");
}

#[test]
fn cells_are_separate_words_and_blocks_separate_lines() {
    assert_eq!(text_of("<table><tr><td>unsubscribe</td><td>John</td></tr></table>"), "unsubscribe John");
    assert_eq!(text_of("<table><tr><th>a</th><th>b</th></tr><tr><td>c"), "a b\n\nc");
    for block in [
        "section", "article", "aside", "main", "nav", "header", "footer", "address", "dl", "dt", "dd",
        "figure", "figcaption", "fieldset", "form", "center", "h1", "h5", "h6", "option", "caption", "tbody",
    ] {
        assert_eq!(text_of(&format!("unsubscribe<{block}>John</{block}>Smith")), "unsubscribe\nJohn\nSmith");
    }
}

#[test]
fn indented_text_is_kept_and_quoted_text_is_not() {
    for style in [
        "style=\"margin:0 0 0 40px;border:none;padding:0px\"",
        "class=\"webkit-indent-blockquote\" style=\"margin: 0 0 0 40px; border: none; padding: 0px;\"",
        "style=\"margin-top:0;margin-bottom:0\"",
        "style='margin-left:.5in'",
    ] {
        let html = format!("<div>Hello,</div><blockquote {style}><div>I dispute this.</div></blockquote>");
        assert_eq!(text_of(&html), "Hello,\n\nI dispute this.", "{style}");
        let header = "<p>On Tue, 1 Dec 2026,<br>Shop wrote:</p>";
        assert_eq!(text_of(&html.replace("<block", &format!("{header}<block"))), "Hello,", "{style}");
    }
    for quote in [
        "",
        " type=cite style='margin:0'",
        " cite=\"mid:1@b.example\" style=\"margin:0\"",
        " class=\"gmail_quote\" style=\"margin:0\"",
        " class=\"protonmail_quote\" style=\"margin:0\"",
        " style=\"border-left:1px solid #ccc;margin:0\"",
        " id=\"isReplyContent\" style=\"margin:0\"",
    ] {
        let html = format!("<p>Noted.</p><blockquote{quote}><p>unsubscribe</p></blockquote>");
        assert_eq!(text_of(&html), "Noted.", "{quote}");
    }
}

#[test]
fn line_above_headers_ends_the_text_and_that_of_a_table_does_not() {
    for colour in ["#E1E1E1", "#B5C4DF"] {
        let style =
            format!("style=\"border:none;border-top:solid {colour} 1.0pt;padding:3.0pt 0cm 0cm 0cm\"");
        for headers in [
            "<b>From:</b> Shop<br><b>Sent:</b> Tuesday",
            "<b>De&nbsp;:</b> Shop<br><b>Envoyé&nbsp;:</b> mardi<br><b>Objet&nbsp;:</b> x",
            "<b>Feladó:</b> Shop<br><b>Elküldve:</b> 2026. december 1. 9:00<br><b>Tárgy:</b> x",
        ] {
            let html =
                format!("<p>Noted.</p><div><div {style}><p>{headers}</p></div></div><p>unsubscribe</p>");
            assert_eq!(text_of(&html), "Noted.", "{html}");
        }
        let table = format!("<p>Hello,</p><table {style}><tr><td>I dispute this.</td></tr></table>");
        assert_eq!(text_of(&table), "Hello,\n\nI dispute this.");
        let form = format!("<p>Hello,</p><div {style}>Amount: 110<br>Paid: yes<br>I dispute the rest.</div>");
        assert_eq!(text_of(&form), "Hello,\n\nAmount: 110\nPaid: yes\nI dispute the rest.");
    }
}

#[test]
fn numbers_of_windows_characters_are_those() {
    assert_eq!(text_of("<p>I can&#146;t pay &#150; &#x80;5 &#8217;</p>"), "I can’t pay – €5 ’");
}
