//! Recognising automatic mail (RFC 3834).

use communications::Automatic;
use mail_parser::{ContentType, Message, MimeHeaders, PartType};

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
const REPORTERS: [&str; 2] = ["mailer-daemon@", "mail-daemon@"];
/// A person may read and write mail there, too.
const POSTMASTER: &str = "postmaster@";
/// Words of delivery reports that have no standard form, in lower case.
const REPORT_WORDS: [&str; 12] = [
    "failure notice", "undeliver", "delivery status", "delivery fail", "delivery has failed",
    "mail delivery", "returned mail", "qmail-send", "user unknown", "mailbox full", "mailbox is full",
    "unzustellbar",
];

/// A mail of which is asked who wrote it.
pub(crate) struct Mail<'m> {
    /// Its own headers as they were written.
    pub(crate) own: &'m Message<'m>,
    pub(crate) headers: &'m Headers,
    /// With its parts.
    pub(crate) message: &'m Message<'m>,
    pub(crate) from: Option<&'m str>,
    /// Decoded.
    pub(crate) subject: &'m str,
    pub(crate) text: &'m str,
}

impl Mail<'_> {
    /// The kind of automatic mail; `None` if a person may have written it.
    pub(crate) fn automatic(&self) -> Option<Automatic> {
        let headers = self.headers;
        if headers.has("x-countinghouse-loop") || headers.has("x-loop") {
            return Some(Automatic::Loop);
        }
        if self.is_by_reporter() || self.reports("delivery-status") || headers.has("x-failed-recipients") {
            return Some(Automatic::Bounce);
        }
        if is_list(headers) {
            return Some(Automatic::List);
        }
        let named = ["x-autoreply", "x-autorespond", "x-autoresponder", "x-auto-reply"];
        let is_reply = self.is_submitted_by_program()
            || headers.lower("precedence").contains("auto_reply")
            // Receipts (RFC 8098), and complaints that a provider passes on (RFC 5965).
            || self.reports("disposition-notification")
            || self.reports("feedback-report")
            || named.iter().any(|name| headers.has(name))
            || answers_invitation(self.message)
            || is_of_absence(self.subject);
        is_reply.then_some(Automatic::Reply)
    }

    /// Whether its sender's name is that of a program which reports. Of a postmaster, an answer without any
    /// mark of a report is a person's.
    fn is_by_reporter(&self) -> bool {
        let from = self.from.unwrap_or_default().to_lowercase();
        let is_answer =
            || ["in-reply-to", "references"].iter().any(|name| !self.headers.ids(name).is_empty());
        REPORTERS.iter().any(|reporter| from.starts_with(reporter))
            || (from.starts_with(POSTMASTER) && (!is_answer() || self.resembles_report()))
    }

    fn resembles_report(&self) -> bool {
        let is_report =
            |kind: &ContentType<'_>| kind.subtype().is_some_and(|sub| sub.eq_ignore_ascii_case("report"));
        let words = format!("{}\n{}", self.subject, self.text).to_lowercase();
        self.is_submitted_by_program()
            || self.own.content_type().is_some_and(is_report)
            || self.message.parts.iter().any(|part| matches!(part.body, PartType::Message(_)))
            || REPORT_WORDS.iter().any(|report| words.contains(report))
    }

    /// Whether its headers say that a program sent it.
    fn is_submitted_by_program(&self) -> bool {
        let submitted = self.headers.lower("auto-submitted");
        let returned = self.headers.all("return-path").any(|path| path.trim() == "<>");
        returned || (!submitted.is_empty() && !submitted.starts_with("no"))
    }

    /// Whether it is a report of this type, or has one (RFC 6522).
    fn reports(&self, report: &str) -> bool {
        let given = self.own.content_type().and_then(|kind| kind.attribute("report-type"));
        let is_part = |kind: &ContentType<'_>| {
            kind.ctype().eq_ignore_ascii_case("message")
                && kind.subtype().is_some_and(|subtype| subtype.eq_ignore_ascii_case(report))
        };
        given.is_some_and(|given| given.eq_ignore_ascii_case(report))
            || self.message.parts.iter().filter_map(|part| part.content_type()).any(is_part)
    }
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
