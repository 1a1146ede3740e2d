//! Lines that mail programs write above what they quote, in many languages.

use crate::answered::Answered;

/// Words of "On ..., ... wrote:", in lower case. Those with a colon begin other words too.
const WROTE: [&str; 40] = [
    " wrote", " schrieb", " folgendes geschrieben", " a écrit", " escribió", " ha scritto", " escreveu",
    " schreef", " skrev", " napisał", " pisze", " napsal", " kirjoitti", " написал", " пишет", " написав",
    " yazdı", "写道", "寫道", "のメール", "書きました", "작성", " írta", " a scris", " έγραψε", "כתב", "كتب",
    " va escriure", " napísal", " je napisao", " rašė", " rakstīja", " kirjutas", " viết", " menulis",
    " пише:", " написа:", " napisao je", " napisala", "เขียนว่า",
];
/// What such a line may begin with: `On Tue, 1 Dec`, `Am 01.12.`, `Le mar. 1 déc.`
const BEGINS: [&str; 27] = [
    "on ", "am ", "le ", "el ", "il ", "il giorno ", "em ", "a ", "op ", "den ", "w dniu ", "dne ", "dňa ",
    "la data ", "pe ", "în ", "στις ", "ב", "في ", "vào ", "dana ", "в ", "у ", "на ", "pada ", "v ", "เมื่อ ",
];
/// Or with a weekday, which a comma, a number or a month follows: `Tue, 1 Dec`, `Tuesday, December 1`.
const WEEKDAYS: [&str; 17] = [
    "mon", "monday", "tue", "tues", "tuesday", "wed", "wednesday", "thu", "thur", "thurs", "thursday", "fri",
    "friday", "sat", "saturday", "sun", "sunday",
];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Those above text that is not marked as quoted, only if the line has an address: a customer may write like
/// this about another letter, and which words are personal is known in few languages.
const WITH_ADDRESS: [&str; 6] = [" menulis", " пише:", " написа:", " napisao je", " napisala", "เขียนว่า"];
/// What a customer writes about their own letters, and no mail program about the mail that it quotes.
const OWN: [&str; 11] = [
    " i wrote", " we wrote", " schrieb ich", " schrieben wir", " schreef ik", " skrev jag", " skrev jeg",
    " napisałem", " napisałam", " я написал", " yazdım",
];
/// Words of people, in lines that name no address.
const PERSONAL: [&str; 11] =
    [" i ", " we ", " you ", " my ", " our ", " mon ", " vous ", " ihnen ", " sie ", " mir ", " uns "];
/// The first line of a block of headers that is quoted: `From:`.
const FROM: [&str; 14] = [
    "from:", "von:", "de:", "de :", "da:", "van:", "från:", "fra:", "od:", "lähettäjä:", "от:", "发件人:",
    "差出人:", "寄件者:",
];
/// Beginnings of the lines that follow it: when the mail was sent, and its subject.
const SENT_OR_SUBJECT: [&str; 27] = [
    "sent:", "subject:", "gesendet:", "betreff:", "envoyé", "objet", "enviado", "asunto:", "assunto:",
    "inviato:", "oggetto:", "verzonden:", "onderwerp:", "skickat:", "ämne:", "sendt:", "emne:", "wysłano:",
    "temat:", "lähetetty:", "aihe:", "отправлено:", "тема:", "发送时间:", "主题:", "送信日時:", "件名:",
];
/// And of those that a customer may write too, such as in the details of a transfer.
const DATE_OR_TO: [&str; 13] =
    ["date:", "to:", "datum:", "an:", "date :", "à :", "a :", "para:", "data:", "a:", "aan:", "til:", "do:"];
/// `-----Original Message-----` without its dashes.
const ORIGINAL: [&str; 17] = [
    "original message", "original-nachricht", "ursprüngliche nachricht", "originalnachricht",
    "message d'origine", "message original", "message transféré", "mensaje original", "messaggio originale",
    "mensagem original", "oorspronkelijk bericht", "ursprungligt meddelande", "oprindelig meddelelse",
    "forwarded message", "weitergeleitete nachricht", "wiadomość oryginalna", "reply above this line",
];
/// How many lines a "wrote" line may be broken into.
const MAX_LINES: usize = 4;
/// And how many characters it has at most.
const MAX_CHARACTERS: usize = 400;
/// How many headers of the answered mail are repeated at most.
const MAX_HEADERS: usize = 8;

/// How many lines from here on form one "On ..., ... wrote:"; 0 if they form none.
pub(crate) fn wrote_lines(lines: &[&str]) -> usize {
    let first = lines.first().map_or("", |line| line.trim()).to_lowercase();
    let begins = BEGINS.iter().any(|begin| first.starts_with(begin))
        || begins_with_weekday(&first)
        || begins_with_word_and_number(&first)
        || first.starts_with(|character: char| character.is_ascii_digit())
        || first.contains('@');
    if !begins {
        return 0;
    }
    let mut joined = String::new();
    for (number, line) in lines.iter().take(MAX_LINES).enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('>') {
            return 0;
        }
        joined.push(' ');
        joined.push_str(&line.to_lowercase());
        let text = joined.trim_end_matches(['*', '_', ' ']);
        let ends = text.ends_with([':', '：']);
        let wrote = WROTE.iter().any(|word| text.contains(word)) || names_hour_and_sender(text);
        let dated = text.contains(|character: char| character.is_numeric());
        if ends && wrote && dated && text.chars().count() < MAX_CHARACTERS {
            let length = number.saturating_add(1);
            let is_header = introduces_quote(text, lines.get(length..).unwrap_or_default());
            return if is_header { length } else { 0 };
        }
    }
    0
}

/// These words without a colon.
fn wrote() -> impl Iterator<Item = &'static str> {
    WROTE.iter().map(|word| word.trim_end_matches(':'))
}

/// Whether the last lines of a text form one.
pub(crate) fn ends_in_wrote(text: &str) -> bool {
    let start = text.char_indices().rev().nth(MAX_CHARACTERS).map_or(0, |(start, _)| start);
    let end = text.get(start..).unwrap_or_default().trim_end();
    let lines: Vec<&str> = end.lines().collect();
    let first = lines.len().saturating_sub(MAX_LINES);
    end.ends_with([':', '：'])
        && (first..lines.len()).filter_map(|at| lines.get(at..)).any(|last| wrote_lines(last) == last.len())
}

fn begins_with_weekday(line: &str) -> bool {
    let end = line.find(|character: char| !character.is_alphabetic()).unwrap_or(line.len());
    let Some((word, rest)) = line.split_at_checked(end) else {
        return false;
    };
    let next = rest.trim_start_matches(['.', ' ']);
    let dated = rest.starts_with(',')
        || next.starts_with(|character: char| character.is_ascii_digit())
        || MONTHS.iter().any(|month| next.starts_with(month));
    dated && WEEKDAYS.contains(&word)
}

/// Whether the line begins like `Четверг, 3 декабря`: with one word and a number, in any language.
fn begins_with_word_and_number(line: &str) -> bool {
    line.split_once(", ").is_some_and(|(word, rest)| {
        word.chars().all(char::is_alphabetic) && rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether the line has the day, the hour and at its end the address of a sender in angle brackets, as some
/// mail programs write it without a verb: `3 Dec 2026, 20:59 Shop <a@b.example>:`. A customer may end a
/// sentence with the address of a payment, without brackets.
fn names_hour_and_sender(line: &str) -> bool {
    let sender = line.trim_end_matches([':', '：', ' ']).rsplit(' ').next().unwrap_or_default();
    let by_person = PERSONAL.iter().any(|word| line.contains(word));
    sender.starts_with(['<', '‹']) && sender.contains('@') && has_hour(line) && has_year(line) && !by_person
}

/// Whether a line that ends like "wrote:" is about the mail below it. A customer may begin a sentence with
/// "On 3 December I wrote to you:", and what follows is their own text.
fn introduces_quote(line: &str, below: &[&str]) -> bool {
    if OWN.iter().any(|own| line.contains(own)) {
        return false;
    }
    match below.iter().find(|line| !line.trim().is_empty()) {
        None => true,
        Some(next) if next.trim_start().starts_with('>') => true,
        Some(_) if WITH_ADDRESS.iter().any(|words| line.contains(words)) => line.contains('@'),
        // Some mail programs mark no quotes. They name the sender's address, or the day and the hour.
        Some(_) => {
            let text = line.trim_end_matches([':', '：', ' ']);
            let in_order = !text.contains(" wrote") || text.ends_with(" wrote");
            // "Mon" is a weekday here, not the French word.
            let said = line
                .trim_start()
                .strip_prefix("on ")
                .filter(|rest| begins_with_weekday(rest))
                .unwrap_or(line);
            let by_person = PERSONAL.iter().any(|word| said.contains(word));
            in_order && (line.contains('@') || (!by_person && (has_hour(line) || has_year(line))))
        }
    }
}

/// Whether the line has an hour such as 9:00.
fn has_hour(line: &str) -> bool {
    let bytes: Vec<u8> = line.bytes().collect();
    bytes.windows(4).any(|four| {
        matches!(four, [hour, b':', tens, ones]
            if hour.is_ascii_digit() && tens.is_ascii_digit() && ones.is_ascii_digit())
    })
}

/// Whether the line has a year of four digits.
fn has_year(line: &str) -> bool {
    let mut numbers = line.split(|character: char| !character.is_ascii_digit());
    numbers.any(|number| number.len() == 4 && (number.starts_with("19") || number.starts_with("20")))
}

/// Whether the line is such a header with the quoted mail behind it, as some phones write it.
pub(crate) fn quotes_behind_header(line: &str) -> bool {
    let lower = line.to_lowercase();
    let header = wrote().find_map(|word| lower.split_once(&format!("{word}:")));
    header.is_some_and(|(header, _quoted)| header.contains('@') && has_hour(header))
}

/// Whether everything from here on is quoted. The headers of the answered mail repeat the subject; a mail in
/// which no text stands above them, where `answered` is `None`, may be a form that the customer filled in.
pub(crate) fn ends_text(lines: &[&str], answered: Option<&Answered>) -> bool {
    let Some(first) = lines.first().map(|line| plain(line)) else {
        return false;
    };
    let dashed = first.trim_matches(['-', '=', '_', '#', ' ']);
    let framed = first.starts_with("--") || first.starts_with("##") || first.starts_with("==");
    let below = lines.get(1..).unwrap_or_default();
    let said = || wrote().any(|word| dashed.ends_with(word)) && dashed.contains('@') && has_hour(dashed);
    if framed
        && (ORIGINAL.iter().any(|words| dashed.contains(words)) || said() || repeats_subject(below, answered))
    {
        return true;
    }
    if first.starts_with("begin forwarded message") || first.starts_with("anfang der weitergeleiteten") {
        return true;
    }
    let is_from = FROM.iter().any(|from| first.starts_with(from));
    let has_subject = |said: &str| answered.is_some_and(|answered| answered.has_subject(said));
    (is_from && is_header_block(&first, below))
        || first.rsplit_once("---").is_some_and(|(sent, said)| has_hour(sent) && has_subject(said))
        || repeats_subject(lines, answered)
        || (answered.is_some() && quotes_headers_alone(lines))
}

/// Whether lines of `name: value` in any language are headers of the answered mail: one repeats the subject,
/// another one has an address that is not the customer's, and one has the hour. The customer may have filled
/// in a form, or begun a letter with its subject.
fn repeats_subject(lines: &[&str], answered: Option<&Answered>) -> bool {
    let Some(answered) = answered else {
        return false;
    };
    // Some have an empty line below each.
    let near = lines.iter().take(MAX_HEADERS.saturating_mul(2));
    let lines = near.filter(|line| !line.trim().is_empty()).take(MAX_HEADERS);
    let headers: Vec<String> = lines.map_while(|line| value_of_header(&plain(line))).collect();
    let (subjects, others): (Vec<&String>, Vec<&String>) =
        headers.iter().partition(|value| answered.has_subject(value));
    !subjects.is_empty()
        && others.iter().any(|value| answered.is_of_another(value))
        && others.iter().any(|value| has_hour(value))
}

/// The value in `name: value`, or in the cells `| name | value |`.
fn value_of_header(line: &str) -> Option<String> {
    let (name, value) = line.trim_matches(['|', ' ']).split_once([':', '：', '|'])?;
    let name = name.trim_matches(['*', '_', ' ']);
    let is_name = name.split_whitespace().count() <= 3 && !name.is_empty();
    let letters =
        name.chars().count() <= 30 && !name.contains(|c: char| c.is_numeric() || "@<>\"".contains(c));
    (is_name && letters).then(|| spaced(value.trim_matches(['*', '_', ' '])))
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the lines from here on that are marked as quoted are headers alone: the mail below them is quoted
/// without marks, unless the answer stands there.
fn quotes_headers_alone(lines: &[&str]) -> bool {
    let marked = lines.iter().map_while(|line| line.trim_start().strip_prefix('>'));
    let marked: Vec<&str> = marked.take(MAX_HEADERS.saturating_add(1)).collect();
    let from = marked.iter().position(|line| FROM.iter().any(|from| plain(line).starts_with(from)));
    let Some((from, below)) = from.and_then(|from| marked.get(from..)?.split_first()) else {
        return false;
    };
    marked.len() <= MAX_HEADERS
        && below.iter().all(|line| value_of_header(&plain(line)).is_some())
        && is_header_block(&plain(from), below)
}

/// Whether lines below a line like `From:` are headers of a mail: they name an address, a subject or when it
/// was sent. Details of a transfer have `From:`, `To:` and `Date:` too.
fn is_header_block(from: &str, below: &[&str]) -> bool {
    let below: Vec<String> = below.iter().take(4).map(|line| plain(line)).collect();
    let begins = |line: &&String, words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let of_mail = below.iter().filter(|line| begins(line, &SENT_OR_SUBJECT)).count();
    let others = below.iter().filter(|line| begins(line, &DATE_OR_TO));
    let has_address = from.contains('@') || others.clone().any(|line| line.contains('@'));
    of_mail.saturating_add(others.count()) >= 2 && (of_mail > 0 || has_address)
}

/// Whether text below a line that a mail program drew begins with headers of a mail: `From:` and others, or
/// three in another language of which one has the hour.
pub(crate) fn begins_with_headers(text: &str) -> bool {
    let end = text.char_indices().nth(MAX_CHARACTERS.saturating_mul(4)).map_or(text.len(), |(end, _)| end);
    let lines = text.get(..end).unwrap_or_default().lines().map(plain).filter(|line| !line.is_empty());
    let headers: Vec<String> =
        lines.take(MAX_HEADERS).take_while(|line| value_of_header(line).is_some()).collect();
    let Some((first, below)) = headers.split_first() else {
        return false;
    };
    let begins = |line: &String, words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let below_lines: Vec<&str> = below.iter().map(String::as_str).collect();
    let has_sent = below.iter().any(|line| begins(line, &SENT_OR_SUBJECT));
    (begins(first, &FROM) && (has_sent || is_header_block(first, &below_lines)))
        || (headers.len() >= 3 && headers.iter().any(|line| has_hour(line)))
}

/// A line without marks of emphasis, in lower case.
fn plain(line: &str) -> String {
    line.trim().trim_matches(['*', '_']).trim().to_lowercase()
}
