//! Closings, signatures and postscripts, in many languages.

/// What phones write below a message.
const PHONES: [&str; 20] = [
    "sent from ",
    "get outlook for",
    "von meinem iphone",
    "von meinem ",
    "gesendet mit ",
    "envoyé de",
    "envoyé depuis",
    "enviado desde",
    "enviado do meu",
    "enviado de",
    "inviato da",
    "verzonden vanaf",
    "verstuurd vanaf",
    "skickat från",
    "sendt fra",
    "wysłane z",
    "отправлено с",
    "télécharger outlook",
    "iphoneから送信",
    "发自我的",
];
/// Closings that occur only above a name at the end.
const FORMAL_CLOSINGS: [&str; 20] = [
    "regards",
    "kind regards",
    "best regards",
    "warm regards",
    "best wishes",
    "sincerely",
    "yours sincerely",
    "yours faithfully",
    "yours truly",
    "with kind regards",
    "mit freundlichen grüßen",
    "mfg",
    "viele grüße",
    "cordialement",
    "saludos",
    "cordiali saluti",
    "atenciosamente",
    "met vriendelijke groet",
    "med vänliga hälsningar",
    "respectfully",
];
/// Closings that may also begin a message.
const SHORT_CLOSINGS: [&str; 6] = ["best", "many thanks", "thanks", "thank you", "cheers", "thx"];
/// Beginnings of a line after the closing that is text again. A full stop may follow.
const POSTSCRIPTS: [&str; 8] = ["p.p.s", "pps", "p.s", "p. s", "p.-s", "ps", "n.b", "nb"];

/// Whether a signature begins here.
pub(crate) fn begins_signature(line: &str) -> bool {
    let line = line.trim_end_matches('\r');
    let lower = line.trim().trim_matches(['*', '_']).to_lowercase();
    matches!(line, "-- " | "--" | "—" | "__" | "-- \u{a0}")
        || PHONES.iter().any(|phone| lower.starts_with(phone))
}

/// How a line closes a letter.
#[derive(Clone, Copy)]
pub(crate) enum Closing {
    Formal,
    Short,
}

/// Whether the line closes a letter: what follows is a name.
pub(crate) fn is_closing(line: &str) -> Option<Closing> {
    let lower = line.trim().trim_end_matches([',', '.', '!', '-', '–']).to_lowercase();
    if FORMAL_CLOSINGS.contains(&lower.as_str()) {
        return Some(Closing::Formal);
    }
    SHORT_CLOSINGS.contains(&lower.as_str()).then_some(Closing::Short)
}

/// Whether the line begins a postscript.
pub(crate) fn begins_postscript(line: &str) -> bool {
    let lower = line.trim().trim_start_matches(['*', '_', '(']).to_lowercase();
    POSTSCRIPTS.iter().filter_map(|begin| lower.strip_prefix(begin)).any(|rest| {
        let next = rest.trim_start_matches('.').chars().next();
        next.is_none_or(|character| !character.is_alphanumeric())
    })
}
