//! The parser sees what was written, whatever the raw message has.

use mail_parser::{MessagePart, PartType};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Pieces of which hostile messages are made.
const PIECES: [&str; 40] = [
    "\n",
    "\r\n",
    "\r",
    "\r\r\n",
    "\n\n",
    "\r\n\r\n",
    " ",
    "\t",
    "\u{c}",
    "\0",
    "=",
    "==",
    "\"",
    "(",
    ")",
    "\\",
    ";",
    ":",
    "--",
    "--b",
    "--b--",
    "\n--b\n",
    "\n--c\n",
    "--b\r\n\r\n",
    "é",
    "=?utf-8?Q?a",
    "?=",
    "Z",
    "Content-Type: ",
    "\nContent-Type: message/rfc822\n",
    "\nContent-Type: multipart/mixed; boundary=b\n\n",
    "\nContent-Type: multipart/digest; boundary=\"c\"\n\n",
    "multipart/x; boundary*0=b",
    "message (x)/global",
    "\nContent-Transfer-Encoding: base64\n",
    "\nContent-Transfer-Encoding: quoted-printable\n",
    "\nDate: Mon, 1 Dec 2026 10:00:00 Z",
    "\nSubject: ",
    "\nX: a\n b",
    "SSBwYWlk",
];

fn of_pieces() -> impl Strategy<Value = String> {
    proptest::collection::vec(select(&PIECES[..]), 0..60).prop_map(|pieces| pieces.concat())
}

/// How many multiparts the parts are, and the most parts of a message in them.
fn seen(parts: &[MessagePart<'_>]) -> (usize, usize) {
    let multiparts = parts.iter().filter(|part| matches!(part.body, PartType::Multipart(_))).count();
    let of_message = |part: &MessagePart<'_>| match &part.body {
        PartType::Message(message) => Some(message.parts.len()),
        _ => None,
    };
    (multiparts, parts.iter().filter_map(of_message).max().unwrap_or(0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn sender_adds_neither_parts_nor_containers(head in of_pieces(), body in of_pieces()) {
        for raw in [
            format!("From: a@b.example\n{head}{body}"),
            format!("From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\n{head}\n--b\n{body}\n--b--\n"),
        ] {
            let Some(outline) = Outline::of(raw.as_bytes()) else { continue };
            let message = parser().parse(&outline.written).unwrap();
            let written = String::from_utf8_lossy(&outline.written);
            let begun = written.matches("; boundary=\"part-").count();
            let (multiparts, of_message) = seen(&message.parts);
            prop_assert!(multiparts <= begun, "{raw:?} {written}");
            prop_assert!(of_message <= 1, "{raw:?} {written}");
            prop_assert!(message.parts.len() <= MAX_PARTS + 1, "{raw:?} {written}");
            prop_assert!(message.text_body.iter().all(|id| {
                message.part(*id).is_none_or(|part| part.text_contents().is_none_or(|text| !text.contains("--part-")))
            }), "{raw:?} {written}");
        }
    }
}
