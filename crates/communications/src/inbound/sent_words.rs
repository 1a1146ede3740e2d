//! The service's own words in a mail that answers it. Some mail programs quote without any mark: what the
//! customer did not write must not be read as theirs.

use std::collections::{HashMap, HashSet};

/// So many words in a row that also stand in a mail of the service are the service's, if they stand on two of
/// its lines there. A customer may repeat one line to answer it.
const RUN: usize = 6;
/// Longer words, in characters, are links or parts of them if the answered mail has them. They are left out:
/// mail programs break and frame them.
const LONGEST_WORD: usize = 20;
/// What stands in the paths of the service's links before a token of at least so many characters.
const PATHS: [&str; 2] = ["pay", "unsubscribe"];
const SHORTEST_TOKEN: usize = 20;
/// How a slash is written in links, also inside those of mail filters that check links.
const SLASHES: [&str; 4] = ["/", "%2F", "%2f", "_"];
/// The end of a link that a mail program broke has at least so many characters.
const SHORTEST_END: usize = 6;
/// What every reminder ends with, in case that the answered mail is unknown or not recorded yet.
pub(super) const END_OF_REMINDERS: [&str; 3] = [
    "I cannot pay right now, or something is wrong",
    "You can also answer this e-mail.",
    "No more reminders by e-mail",
];

/// The words of a text, in lower case and without punctuation, with the number of the line of each and of its
/// part there.
#[derive(Default)]
struct NumberedWords {
    words: Vec<String>,
    lines: Vec<usize>,
    parts: Vec<usize>,
}

impl NumberedWords {
    fn of<'a>(lines: impl Iterator<Item = &'a str>, links: &SentLinks) -> Self {
        let mut numbered = Self::default();
        for (number, line) in lines.enumerate() {
            for (part, word) in words(line, links) {
                numbered.words.push(word);
                numbered.lines.push(number);
                numbered.parts.push(part);
            }
        }
        numbered
    }

    /// The lines with a word that was not sent.
    fn own_lines(&self, is_sent: &[bool]) -> HashSet<usize> {
        let of_words = self.lines.iter().zip(is_sent);
        of_words.filter(|(_, is_sent)| !**is_sent).map(|(line, _)| *line).collect()
    }

    /// The parts with marked words, of each line that has so many of them.
    fn marked_parts(&self, is_marked: &[bool], count: usize) -> HashMap<usize, HashSet<usize>> {
        let mut marked: HashMap<usize, Vec<usize>> = HashMap::new();
        let of_words = self.lines.iter().zip(&self.parts).zip(is_marked);
        for ((line, part), _) in of_words.filter(|(_, is_marked)| **is_marked) {
            marked.entry(*line).or_default().push(*part);
        }
        let marked = marked.into_iter().filter(|(_, parts)| parts.len() >= count);
        marked.map(|(line, parts)| (line, parts.into_iter().collect())).collect()
    }

    /// The runs of words, each with whether it stands on two lines.
    fn runs(&self) -> impl Iterator<Item = (&[String], bool)> {
        let lines = self.lines.windows(RUN).map(|lines| lines.first() != lines.last());
        self.words.windows(RUN).zip(lines)
    }
}

fn words(line: &str, links: &SentLinks) -> impl Iterator<Item = (usize, String)> {
    parts(line).enumerate().filter(|(_, part)| !links.has(part)).filter_map(|(number, part)| {
        let word = part.trim_matches(|c: char| !c.is_alphanumeric());
        (!word.is_empty()).then(|| (number, word.to_lowercase()))
    })
}

fn parts(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '[' | ']'));
    parts.filter(|part| !part.is_empty())
}

/// The links of the answered mail.
struct SentLinks<'a> {
    /// Its parts that are longer than a word.
    long: String,
    /// Those with a token.
    links: Vec<&'a str>,
    tokens: HashSet<&'a str>,
}

impl<'a> SentLinks<'a> {
    fn of(answered: &'a str) -> Self {
        let is_long = |part: &&str| part.chars().nth(LONGEST_WORD).is_some();
        let long: Vec<&str> = parts(answered).filter(is_long).collect();
        let links: Vec<&str> = long.iter().copied().filter(|part| token_of_service(part).is_some()).collect();
        let tokens = links.iter().filter_map(|part| token_of_service(part)).collect();
        Self { long: long.join(" "), links, tokens }
    }

    /// Whether it is a link of the service or a part of one, perhaps in the link of a mail filter that checks
    /// links; text without spaces and other links are words.
    fn has(&self, whole: &str) -> bool {
        let part = whole.trim_matches(|c: char| !c.is_alphanumeric());
        let is_link = part.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
        let is_long = is_link || part.chars().nth(LONGEST_WORD).is_some();
        let is_sent = || {
            let plain = part.replace("%2F", "/").replace("%2f", "/");
            let mut segments = plain.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')));
            // As Proofpoint writes the signs of a token.
            let is_own = |token: &str| self.tokens.contains(&*token.replace("-2D", "-").replace("-5F", "_"));
            let found = token_of_service(part);
            found.is_some_and(|token| self.tokens.is_empty() || is_own(token))
                || segments.any(|segment| self.tokens.contains(segment))
        };
        is_long && ((is_link && is_sent()) || self.long.contains(part)) || self.is_end_of_one(whole)
    }

    /// Whether it is the end of a link that was broken. A word is not taken for one.
    fn is_end_of_one(&self, part: &str) -> bool {
        let end = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_no_word = end.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '/'));
        end.len() >= SHORTEST_END && is_no_word && self.links.iter().any(|link| link.ends_with(end))
    }
}

/// The token in a link of the service.
fn token_of_service(link: &str) -> Option<&str> {
    let mut places = PATHS.iter().flat_map(|path| link.match_indices(path));
    places.find_map(|(at, path)| {
        let (before, after) = (link.get(..at)?, link.get(at.saturating_add(path.len())..)?);
        SLASHES.iter().find(|slash| before.ends_with(**slash))?;
        let after = SLASHES.iter().find_map(|slash| after.strip_prefix(slash))?;
        let is_of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let token = after.split(|c: char| !is_of_token(c)).next()?;
        (token.len() >= SHORTEST_TOKEN).then_some(token)
    })
}

/// The text without the lines that stand in the answered mail. A line of which the service wrote only a part
/// stays, and so does what stands above the first line of the customer, unless nearly all of the answered
/// mail is repeated. The end of a reminder, which tells how to ask for no more, is left out wherever it
/// stands; beside the customer's words only if all of it stands in their line, since some mail programs write
/// a whole mail in one. Part of it beside words is quoted by the customer.
pub(super) fn without_sent(text: &str, answered: &str) -> String {
    let links = SentLinks::of(answered);
    let of_answered = NumberedWords::of(answered.lines(), &links);
    let of_end = NumberedWords::of(END_OF_REMINDERS.into_iter(), &links);
    let mut known: HashMap<&[String], bool> = of_end.runs().collect();
    let written = NumberedWords::of(text.lines(), &links);
    let is_end = sent_words(&written, &known);
    let beyond_end = written.own_lines(&is_end);
    let whole_ends = written.marked_parts(&is_end, of_end.words.len());
    for (run, on_two_lines) in of_answered.runs() {
        *known.entry(run).or_default() |= on_two_lines;
    }
    let is_sent = sent_words(&written, &known);
    let count = is_sent.iter().filter(|is_sent| **is_sent).count();
    let most = of_answered.words.len().saturating_mul(3) / 4;
    let is_whole = most > 0 && count >= most;
    let with_words: HashSet<usize> = written.lines.iter().copied().collect();
    let own = written.own_lines(&is_sent);
    let signs: HashSet<&str> = parts(answered).collect();
    let first_own = own.iter().min().copied();
    let mut is_below_sent = false;
    let kept = |(number, line): (usize, &str)| {
        let is_below_own = first_own.is_some_and(|first| number > first);
        if with_words.contains(&number) {
            is_below_sent =
                !own.contains(&number) && (is_whole || is_below_own || !beyond_end.contains(&number));
            return (!is_below_sent).then(|| match whole_ends.get(&number) {
                Some(end) => without_parts(line, end, &links),
                None => line.to_owned(),
            });
        }
        // A link below such a line belongs to it.
        let is_link = || parts(line).all(|part| links.has(part) || signs.contains(part) || part == "|");
        (!is_below_sent || line.trim().is_empty() || !is_link()).then(|| line.to_owned())
    };
    let kept: Vec<String> = text.lines().enumerate().filter_map(kept).collect();
    if kept.iter().eq(text.lines()) { text.to_owned() } else { kept.join("\n").trim().to_owned() }
}

/// A line without some of its parts and without the service's links.
fn without_parts(line: &str, left_out: &HashSet<usize>, links: &SentLinks) -> String {
    let is_kept = |(number, part): &(usize, &str)| !left_out.contains(number) && !links.has(part);
    let kept: Vec<&str> = parts(line).enumerate().filter(is_kept).map(|(_, part)| part).collect();
    kept.join(" ")
}

/// Which of the words stand in a sequence of known runs of which one stands on two lines.
fn sent_words(written: &NumberedWords, known: &HashMap<&[String], bool>) -> Vec<bool> {
    let mut is_sent = vec![false; written.words.len()];
    let (mut start, mut end, mut on_two_lines) = (0_usize, 0_usize, false);
    let mut note = |sequence: std::ops::Range<usize>, on_two_lines: bool| {
        if on_two_lines && let Some(words) = is_sent.get_mut(sequence) {
            words.fill(true);
        }
    };
    for (at, run) in written.words.windows(RUN).enumerate() {
        let Some(known) = known.get(run) else { continue };
        if at >= end {
            note(start..end, on_two_lines);
            (start, on_two_lines) = (at, false);
        }
        end = at.saturating_add(RUN);
        on_two_lines |= known;
    }
    note(start..end, on_two_lines);
    is_sent
}

#[cfg(test)]
mod tests {
    use super::*;

    const REMINDER: &str = "Hello Ada,\n\nInvoice INV-0028 from Shop was due on 2 December 2026.\n\
        Amount due: $100.00\nView and pay invoice INV-0028: http://127.0.0.1:8080/pay/aaaaaaaaaaaaaaa1-aaaaaaa\n\n\
        This is a friendly reminder.\n\n\
        I cannot pay right now, or something is wrong:\nhttp://127.0.0.1:8080/pay/aaaaaaaaaaaaaaa1-aaaaaaa/help\n\n\
        You can also answer this e-mail.\n\n\
        No more reminders by e-mail:\nhttp://127.0.0.1:8080/unsubscribe/cccccccccccccccccccccccc\n";

    #[test]
    fn links_of_the_reminder_are_those_of_the_service() {
        let urls = kernel::PublicUrls::new("http://127.0.0.1:8080");
        let (pay, stop) = ("aaaaaaaaaaaaaaa1-aaaaaaa", "cccccccccccccccccccccccc");
        let links = [urls.payment_page(pay), urls.payment_page_help(pay), urls.unsubscribe(stop)];
        for (link, token) in links.into_iter().zip([pay, pay, stop]) {
            assert!(REMINDER.contains(&link), "{link}");
            assert_eq!(token_of_service(&link), Some(token));
            let by_proofpoint = link.replace(':', "-3A").replace('/', "_");
            assert!(
                token_of_service(&format!("https://filter.example/v2/url?u={by_proofpoint}&d=x")).is_some()
            );
        }
        assert_eq!(token_of_service("https://shop.example/repay/aaaaaaaaaaaaaaaaaaaaaaaa"), None);
    }

    #[test]
    fn answer_that_is_written_beside_a_line_of_the_end_is_kept() {
        for (line, answer) in [
            (
                "I cannot pay right now, or something is wrong:",
                "Yes: I cannot pay right now, or something is wrong:",
            ),
            ("No more reminders by e-mail:", "No more reminders by e-mail, please."),
        ] {
            let text = REMINDER.replace(line, answer);
            assert!(text.contains(answer));
            assert!(without_sent(&text, REMINDER).contains(answer));
        }
        let answer = REMINDER.trim_end().to_owned() + " Yes please, do this";
        assert!(without_sent(&answer, REMINDER).ends_with("Yes please, do this"));
        let own = "https://bank.example/pay/TRANSFER20261202000000001";
        assert!(without_sent(&format!("Hi.\n\n{REMINDER}\n{own}"), REMINDER).ends_with(own));
    }

    #[test]
    fn words_of_the_service_are_left_out_of_a_line_with_the_customers() {
        let one_line = |text: &str| text.lines().collect::<Vec<_>>().join(" ");
        let answered = one_line(&format!("Thank you, noted. Shop wrote: > {REMINDER}"));
        let left = without_sent(&answered, REMINDER);
        assert!(left.starts_with("Thank you, noted. Shop wrote:"), "{left}");
        assert!(left.ends_with("This is a friendly reminder."), "{left}");
        let (_, end) = REMINDER.split_once("reminder.\n\n").unwrap();
        let of_unknown = one_line(&format!("Thank you, noted. {end}"));
        assert_eq!(without_sent(&of_unknown, ""), "Thank you, noted.");
    }

    #[test]
    fn lines_of_the_answered_mail_are_left_out_however_they_are_broken() {
        let wrapped = REMINDER.replace("from Shop ", "from Shop\n").replace("8080/", "8080/\n");
        let framed = REMINDER.replace(":\nhttp", "<http").replace("cccc\n", "cccc>\n");
        let marked = REMINDER.replace('\n', "\n| ");
        let checked = REMINDER
            .replace("http://127.0.0.1:8080/", "https://safe.example/?url=http%3A%2F%2F127.0.0.1%3A8080%2F")
            .replace("unsubscribe/", "unsubscribe%2F")
            .replace("cccc\n", "cccc&data=05\n");
        let listed = REMINDER.replace("http://127.0.0.1:8080/u", "(HTTP://127.0.0.1:8080/u");
        let indented = REMINDER.replace('\n', "\n ");
        let broken = REMINDER.replace("1-aaa", "1\n-aaa");
        for quoted in [REMINDER.to_owned(), wrapped, framed, marked, checked, listed, indented, broken] {
            assert_eq!(
                without_sent(&format!("Thank you, noted.\n\n{quoted}"), REMINDER),
                "Thank you, noted."
            );
            let answered = quoted.replace("Amount due", "I never ordered this.\nAmount due");
            let kept = without_sent(&answered, REMINDER);
            assert_eq!(kept.trim_start_matches("| "), "I never ordered this.");
        }
    }

    #[test]
    fn end_of_a_reminder_is_left_out_if_the_answered_mail_is_unknown() {
        let template = include_str!("../reminders/email/reminder.txt");
        assert!(END_OF_REMINDERS.iter().all(|line| template.contains(line)), "{template}");
        let quoted = format!("Thank you, noted.\n\nAda\n\n{REMINDER}");
        let (above, _) = quoted.split_once("\nI cannot").unwrap();
        assert_eq!(without_sent(&quoted, ""), above.trim());
    }

    #[test]
    fn line_that_the_customer_repeats_or_writes_on_is_kept() {
        for text in [
            "No more reminders by e-mail",
            "I cannot pay right now, or something is wrong",
            "Invoice INV-0028 from Shop was due on 2 December 2026.\nIt is wrong.",
            "You write: Invoice INV-0028 from Shop was due on 2 December 2026.\nIt is wrong.",
            "I cannot pay.\n\nNo more reminders by e-mail, please.",
            "Amount due: $100.00\nI paid it.",
        ] {
            assert_eq!(without_sent(text, REMINDER), text);
        }
    }

    #[test]
    fn text_without_spaces_signs_and_links_of_the_customer_are_kept() {
        for own in [
            "この請求書に心当たりがありません。もう連絡しないでください。",
            "ฉันไม่เคยสั่งซื้อสินค้านี้และจะไม่จ่ายเงินให้คุณ",
            "👎",
            "https://bank.example/transfers/8XJ",
        ] {
            assert_eq!(
                without_sent(&format!("Hi.\n\n{REMINDER}\n{own}"), REMINDER).lines().last(),
                Some(own)
            );
            let line = "Amount due: $100.00";
            let beside = REMINDER.replace(line, &format!("{line} {own}"));
            if own != "👎" {
                assert_eq!(without_sent(&beside, REMINDER), format!("{line} {own}"));
            }
        }
    }

    #[test]
    fn words_of_the_service_without_own_text_above_are_cut_only_if_all_are_repeated() {
        let part = "Invoice INV-0028 from Shop was due on 2 December 2026.\nAmount due: $100.00";
        assert_eq!(without_sent(part, REMINDER), part);
        let answered = format!("{part}\nI never ordered this.");
        assert_eq!(without_sent(&answered, REMINDER), answered);
        assert_eq!(without_sent(REMINDER, REMINDER), "");
        let (_, end) = REMINDER.split_once("reminder.\n\n").unwrap();
        assert_eq!(without_sent(&format!("{end}\nI paid on Monday."), REMINDER), "I paid on Monday.");
    }
}
