//! Closings, signatures and postscripts, in many languages.

use crate::answered::Answered;
use crate::reply_headers::{ends_text, quotes_behind_header, wrote_lines};

/// What phones write below a message.
const PHONES: [&str; 18] = [
    "sent from ", "get outlook for", "gesendet mit ", "envoyé de", "envoyé depuis", "enviado desde",
    "enviado do meu", "enviado de", "inviato da", "verzonden vanaf", "verstuurd vanaf", "skickat från",
    "sendt fra", "wysłane z", "отправлено с", "télécharger outlook", "iphoneから送信", "发自我的",
];
/// And in these languages, if the line also names a device: a sentence may begin like that.
const PHONES_WITH_DEVICE: [&str; 12] = [
    "odesláno z ", "odesláno ze ", "odoslané z ", "odoslané zo ", "poslano s ", "poslano sa ", "poslano z ",
    "trimis de pe ", "надіслано з ", "dikirim dari ", "στάλθηκε από ", "lähetetty ",
];
const DEVICES: [&str; 13] = [
    "iphon", "ipad", "android", "samsung", "galaxy", "huawei", "xiaomi", "xperia", "telefon", "outlook",
    "windows", "gmail", "yahoo",
];
/// Words of sentences about a payment, which may begin like that: `Sent from our account on Monday`.
const PAYMENTS: [&str; 19] = [
    "our", "your", "account", "bank", "konto", "konta", "compte", "cuenta", "conto", "conta", "rekening",
    "účtu", "računa", "contul", "рахунку", "счета", "счёта", "λογαριασμό", "hesabımdan",
];
/// The most words that a phone writes.
const MAX_WORDS_OF_PHONE: usize = 12;
/// Closings that occur only above a name at the end.
const FORMAL_CLOSINGS: [&str; 24] = [
    "regards", "kind regards", "best regards", "warm regards", "best wishes", "sincerely", "yours sincerely",
    "yours faithfully", "yours truly", "with kind regards", "mit freundlichen grüßen",
    "mit freundlichen grüssen", "freundliche grüße", "freundliche grüsse", "viele grüsse", "mfg",
    "viele grüße", "cordialement", "saludos", "cordiali saluti", "atenciosamente", "met vriendelijke groet",
    "med vänliga hälsningar", "respectfully",
];
/// Closings that may also begin a message.
const SHORT_CLOSINGS: [&str; 6] = ["best", "many thanks", "thanks", "thank you", "cheers", "thx"];
/// Beginnings of a line after the closing that is text again. A full stop may follow.
const POSTSCRIPTS: [&str; 8] = ["p.p.s", "pps", "p.s", "p. s", "p.-s", "ps", "n.b", "nb"];

/// Words of sentences about an invoice, which slogans do not have; and those of one person about themselves.
const MATTERS: [&str; 28] = [
    "i", "my", "me", "invoice", "invoices", "bill", "bills", "billed", "pay", "paid", "paying", "payment",
    "payments", "owe", "owed", "dispute", "disputed", "wrong", "incorrect", "mistake", "refund", "reminder",
    "reminders", "ordered", "received", "arrived", "cancelled", "unsubscribe",
];
/// The fewest words of such a sentence, and how many it has at least if it ends without a full stop.
const FEWEST_WORDS: usize = 4;
const FEWEST_WORDS_UNENDED: usize = 6;
/// Beginnings of the notices that companies put below signatures.
const NOTICE_BEGINNINGS: [&str; 14] = [
    "this e-mail", "this email", "this message", "this communication", "the information", "the content",
    "if you are not", "if you have received", "if you received", "please consider", "please think",
    "disclaimer", "important", "notice",
];
/// Words of such notices and of contact details.
const NOTICE_WORDS: [&str; 18] = [
    "confidential", "privileged", "intended recipient", "intended for", "intended solely", "the environment",
    "viruses", "registered in", "registered office", "company number", "terms and conditions",
    "rights reserved", "privacy policy", "liability", "linkedin", "facebook", "www.", "http",
];

/// Whether a signature begins here, in a mail that answers another.
pub(crate) fn begins_signature(lines: &[&str], answered: Option<&Answered>) -> bool {
    let line = lines.first().copied().unwrap_or_default();
    is_mark(line) || (is_of_phone(line) && no_text_follows(lines.get(1..).unwrap_or_default(), answered))
}

/// Whether the line is what separates a signature from the text.
fn is_mark(line: &str) -> bool {
    matches!(line, "-- " | "--" | "—" | "__" | "-- \u{a0}")
}

/// Whether a phone may have written the line.
fn is_of_phone(line: &str) -> bool {
    let lower = line.trim().trim_matches(['*', '_']).to_lowercase();
    let begins = PHONES.iter().any(|phone| lower.starts_with(phone))
        || (lower.starts_with("von meinem ") && lower.contains(" gesendet"))
        || (DEVICES.iter().any(|device| lower.contains(device))
            && (["dan gönderildi", "den gönderildi"].iter().any(|end| lower.ends_with(end))
                || PHONES_WITH_DEVICE.iter().any(|phone| lower.starts_with(phone))));
    let words: Vec<&str> = lower.split_whitespace().collect();
    let of_payment = |word: &&str| PAYMENTS.contains(&word.trim_matches(['.', ',', '!', ';']));
    begins && words.len() <= MAX_WORDS_OF_PHONE && !words.iter().any(of_payment)
}

/// Whether a phone's line stands above the text, with an empty line below it. A sentence may begin like it.
pub(crate) fn is_phone_above_text(lines: &[&str]) -> bool {
    let [line, below, ..] = lines else {
        return false;
    };
    let (words, _link) = line.split_once('<').unwrap_or((line, ""));
    let is_sentence = words.trim().trim_end_matches('.').contains(['.', ',', '!', '?', ';', ':']);
    is_of_phone(line) && !is_sentence && below.trim().is_empty()
}

/// Whether nothing follows but the mail that is answered, or another signature. A customer may begin a
/// sentence like a phone, and writes on.
fn no_text_follows(lines: &[&str], answered: Option<&Answered>) -> bool {
    let Some(next) = lines.iter().position(|line| !is_rule(line.trim())) else {
        return true;
    };
    let below = lines.get(next..).unwrap_or_default();
    let line = below.first().copied().unwrap_or_default();
    line.trim_start().starts_with('>')
        || is_mark(line)
        || is_of_phone(line)
        || quotes_behind_header(line)
        || wrote_lines(below) > 0
        || ends_text(below, answered)
}

/// Whether the line is empty, or drawn.
fn is_rule(line: &str) -> bool {
    line.is_empty() || (line.len() >= 5 && line.chars().all(|c| matches!(c, '_' | '-' | '=')))
}

/// How a line closes a letter.
#[derive(Clone, Copy)]
pub(crate) enum ClosingFormula {
    Formal,
    Short,
}

/// Whether the line closes a letter: what follows is a name.
pub(crate) fn is_closing(line: &str) -> Option<ClosingFormula> {
    let lower = line.trim().trim_end_matches([',', '.', '!', '-', '–']).to_lowercase();
    if FORMAL_CLOSINGS.contains(&lower.as_str()) {
        return Some(ClosingFormula::Formal);
    }
    SHORT_CLOSINGS.contains(&lower.as_str()).then_some(ClosingFormula::Short)
}

/// Whether the line begins a postscript.
pub(crate) fn begins_postscript(line: &str) -> bool {
    let lower = line.trim().trim_start_matches(['*', '_', '(']).to_lowercase();
    POSTSCRIPTS.iter().filter_map(|begin| lower.strip_prefix(begin)).any(|rest| {
        let next = rest.trim_start_matches('.').chars().next();
        next.is_none_or(|character| !character.is_alphanumeric())
    })
}

/// Whether a paragraph below a signature is a sentence about the matter, not a slogan or a notice.
pub(crate) fn is_about_matter(paragraph: &[&str]) -> bool {
    let text = paragraph.join(" ").to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_ended = text.trim_end_matches(['"', '”', ')', '*', '_', ' ']).ends_with(['.', '!', '?']);
    let fewest = if is_ended { FEWEST_WORDS } else { FEWEST_WORDS_UNENDED };
    words.len() >= fewest && words.iter().any(|word| MATTERS.contains(word)) && !is_notice(paragraph)
}

/// Whether a paragraph is a notice that a company puts below each of its mails.
pub(crate) fn is_notice(paragraph: &[&str]) -> bool {
    let text = paragraph.join(" ").to_lowercase();
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let begins = NOTICE_BEGINNINGS.iter().any(|words| start.starts_with(words));
    begins || NOTICE_WORDS.iter().any(|words| text.contains(words))
}
