//! Recognising automatic mail (RFC 3834).

use communications::Automatic;
use mail_parser::{Message, MimeHeaders};

use crate::headers::Headers;

/// Subjects of absence notices in the languages of common mail programs, in lower case.
const SUBJECTS: [&str; 49] = [
    "automatic reply",
    "auto reply",
    "auto-reply",
    "autoreply",
    "auto response",
    "out of office",
    "out of the office",
    "automatische antwort",
    "abwesenheitsnotiz",
    "abwesenheitsmeldung",
    "abwesenheit:",
    "abwesend:",
    "auto: abwesend",
    "réponse automatique",
    "absence du bureau",
    "absent du bureau",
    "absence :",
    "respuesta automática",
    "fuera de la oficina",
    "risposta automatica",
    "assente dall'ufficio",
    "fuori ufficio",
    "resposta automática",
    "ausência temporária",
    "automatisch antwoord",
    "afwezigheidsmelding",
    "afwezigheidsbericht",
    "automatiskt svar",
    "automatisk svar",
    "autosvar:",
    "frånvaro:",
    "automaattinen vastaus:",
    "automatická odpověď:",
    "odpowiedź automatyczna",
    "automatyczna odpowiedź:",
    "nieobecność:",
    "poza biurem",
    "automatikus válasz",
    "răspuns automat",
    "otomatik yanıt",
    "αυτόματη απάντηση",
    "автоматический ответ",
    "автоответ",
    "автоматична відповідь",
    "自動応答",
    "自動返信",
    "自动答复",
    "자동 회신",
    "자동 응답",
];
/// The senders of delivery reports, before the `@`.
const REPORTERS: [&str; 3] = ["mailer-daemon@", "postmaster@", "mail-daemon@"];

/// The kind of automatic mail; `None` if a person may have written it. The subject must be decoded.
pub(crate) fn automatic(
    message: &Message<'_>,
    headers: &Headers,
    from: Option<&str>,
    subject: &str,
) -> Option<Automatic> {
    if headers.has("x-countinghouse-loop") || headers.has("x-loop") {
        return Some(Automatic::Loop);
    }
    let from = from.unwrap_or_default().to_lowercase();
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
    let is_reply = answered
        || returned
        || precedence.contains("auto_reply")
        || content_type.contains("report-type=disposition-notification")
        || named.iter().any(|name| headers.has(name))
        || answers_invitation(message)
        || is_of_absence(subject);
    is_reply.then_some(Automatic::Reply)
}

/// Whether the subject is that of an absence notice, perhaps behind the mark of a mail filter: `[EXTERNAL]`.
fn is_of_absence(subject: &str) -> bool {
    // Mail programs write other blanks than U+0020 before a French colon.
    let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let marked = subject.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let subject = marked.map_or(subject.as_str(), |(_, rest)| rest);
    SUBJECTS.iter().any(|words| subject.starts_with(words))
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
