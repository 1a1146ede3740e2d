//! Recognising automatic mail (RFC 3834).

use communications::Automatic;
use mail_parser::{Message, MimeHeaders};

use crate::headers::Headers;

/// Subjects of absence notices in the languages of common mail programs, in lower case.
const SUBJECTS: [&str; 27] = [
    "automatic reply", "auto reply", "auto-reply", "autoreply", "auto response", "out of office",
    "out of the office", "automatische antwort", "abwesenheitsnotiz", "abwesenheit:", "réponse automatique",
    "absence du bureau", "respuesta automática", "fuera de la oficina", "risposta automatica",
    "resposta automática", "automatisch antwoord", "automatiskt svar", "automatisk svar", "autosvar:",
    "automaattinen vastaus:", "automatická odpověď:", "odpowiedź automatyczna", "automatyczna odpowiedź:",
    "assente dall'ufficio", "自動応答", "自动答复",
];
/// The senders of delivery reports, before the `@`.
const REPORTERS: [&str; 3] = ["mailer-daemon@", "postmaster@", "mail-daemon@"];

/// The kind of automatic mail; `None` if a person may have written it. The subject must be decoded.
pub(crate) fn automatic(message: &Message<'_>, headers: &Headers, subject: &str) -> Option<Automatic> {
    if headers.has("x-countinghouse-loop") || headers.has("x-loop") {
        return Some(Automatic::Loop);
    }
    let from = headers.addresses("from").first().map(|from| from.to_lowercase()).unwrap_or_default();
    let content_type = headers.lower("content-type");
    let returned = headers.all("return-path").any(|path| path.trim() == "<>");
    let reports = REPORTERS.iter().any(|reporter| from.starts_with(reporter));
    if reports || content_type.contains("report-type=delivery-status") || headers.has("x-failed-recipients") {
        return Some(Automatic::Bounce);
    }
    if is_list(headers) {
        return Some(Automatic::List);
    }
    let submitted = headers.lower("auto-submitted");
    let answered = !submitted.is_empty() && !submitted.starts_with("no");
    let precedence = headers.lower("precedence");
    let named = ["x-autoreply", "x-autorespond", "x-autoresponder", "x-auto-reply"];
    // Mail programs write other blanks than U+0020 before a French colon.
    let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let is_reply = answered
        || returned
        || precedence.contains("auto_reply")
        || content_type.contains("report-type=disposition-notification")
        || named.iter().any(|name| headers.has(name))
        || answers_invitation(message)
        || SUBJECTS.iter().any(|words| subject.starts_with(words));
    is_reply.then_some(Automatic::Reply)
}

/// Whether a calendar wrote it, to accept or decline an invitation (RFC 5546).
fn answers_invitation(message: &Message<'_>) -> bool {
    message.parts.iter().filter_map(|part| part.content_type()).any(|kind| {
        kind.subtype().is_some_and(|subtype| subtype.eq_ignore_ascii_case("calendar"))
            && kind.attribute("method").is_some_and(|method| method.eq_ignore_ascii_case("reply"))
    })
}

fn is_list(headers: &Headers) -> bool {
    let precedence = headers.lower("precedence");
    ["list-id", "list-post", "list-unsubscribe"].iter().any(|name| headers.has(name))
        || ["list", "bulk", "junk"].contains(&precedence.trim())
}
