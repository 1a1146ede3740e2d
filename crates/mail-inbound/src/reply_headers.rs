//! Lines that mail programs write above what they quote, in many languages.

/// Words of "On ..., ... wrote:", in lower case.
const WROTE: [&str; 32] = [
    " wrote",
    " schrieb",
    " a écrit",
    " escribió",
    " ha scritto",
    " escreveu",
    " schreef",
    " skrev",
    " napisał",
    " napsal",
    " kirjoitti",
    " написал",
    " пишет",
    " написав",
    " yazdı",
    "写道",
    "寫道",
    "のメール",
    "書きました",
    "작성",
    " írta",
    " a scris",
    " έγραψε",
    "כתב",
    "كتب",
    " va escriure",
    " napísal",
    " je napisao",
    " rašė",
    " rakstīja",
    " kirjutas",
    " viết",
];
/// What such a line may begin with: `On Tue, 1 Dec`, `Am 01.12.`, `Le mar. 1 déc.`
const BEGINS: [&str; 30] = [
    "on ",
    "am ",
    "le ",
    "el ",
    "il ",
    "il giorno ",
    "em ",
    "a ",
    "op ",
    "den ",
    "w dniu ",
    "dne ",
    "dňa ",
    "la data ",
    "pe ",
    "în ",
    "στις ",
    "ב",
    "في ",
    "vào ",
    "dana ",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "в ",
    "у ",
];
/// The first line of a block of headers that is quoted: `From:`.
const FROM: [&str; 14] = [
    "from:",
    "von:",
    "de:",
    "de :",
    "da:",
    "van:",
    "från:",
    "fra:",
    "od:",
    "lähettäjä:",
    "от:",
    "发件人:",
    "差出人:",
    "寄件者:",
];
/// Beginnings of the lines that follow it.
const SENT: [&str; 30] = [
    "sent:",
    "date:",
    "to:",
    "subject:",
    "gesendet:",
    "datum:",
    "an:",
    "betreff:",
    "envoyé",
    "date :",
    "à :",
    "objet",
    "enviado",
    "para:",
    "asunto:",
    "inviato:",
    "data:",
    "a:",
    "oggetto:",
    "verzonden:",
    "aan:",
    "skickat:",
    "sendt:",
    "til:",
    "wysłano:",
    "do:",
    "lähetetty:",
    "отправлено:",
    "发送时间:",
    "送信日時:",
];
/// `-----Original Message-----` without its dashes.
const ORIGINAL: [&str; 16] = [
    "original message",
    "original-nachricht",
    "ursprüngliche nachricht",
    "originalnachricht",
    "message d'origine",
    "message transféré",
    "mensaje original",
    "messaggio originale",
    "mensagem original",
    "oorspronkelijk bericht",
    "ursprungligt meddelande",
    "oprindelig meddelelse",
    "forwarded message",
    "weitergeleitete nachricht",
    "wiadomość oryginalna",
    "reply above this line",
];
/// How many lines a "wrote" line may be broken into.
const MAX_LINES: usize = 4;

/// How many lines from here on form one "On ..., ... wrote:"; 0 if they form none.
pub(crate) fn wrote_lines(lines: &[&str]) -> usize {
    let first = lines.first().map_or("", |line| line.trim()).to_lowercase();
    let begins = BEGINS.iter().any(|begin| first.starts_with(begin))
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
        let ends = joined.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']);
        let wrote = WROTE.iter().any(|word| joined.contains(word));
        let dated = joined.contains(|character: char| character.is_numeric());
        if ends && wrote && dated && joined.chars().count() < 400 {
            return number.saturating_add(1);
        }
    }
    0
}

/// Whether everything from here on is quoted.
pub(crate) fn ends_text(lines: &[&str]) -> bool {
    let plain = |line: &str| line.trim().trim_matches(['*', '_']).trim().to_lowercase();
    let Some(first) = lines.first().map(|line| plain(line)) else {
        return false;
    };
    let dashed = first.trim_matches(['-', '=', '_', '#', ' ']);
    let framed = first.starts_with("--") || first.starts_with("##") || first.starts_with("==");
    if framed && ORIGINAL.iter().any(|words| dashed.contains(words)) {
        return true;
    }
    if first.starts_with("begin forwarded message") || first.starts_with("anfang der weitergeleiteten") {
        return true;
    }
    let is_from = FROM.iter().any(|from| first.starts_with(from));
    let following = lines.iter().skip(1).take(4).map(|line| plain(line));
    is_from && following.filter(|line| SENT.iter().any(|sent| line.starts_with(sent))).count() >= 2
}
