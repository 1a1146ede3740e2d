//! The newest text of a mail: without quoted lines, the headers above them, and the signature.

use crate::answered::Answered;
use crate::reply_headers::{ends_text, wrote_lines};
use crate::signatures::{
    ClosingFormula, begins_postscript, begins_signature, is_about_matter, is_closing, is_notice,
    is_phone_above_text,
};

/// A closing counts only within this many lines of the end.
const LINES_AFTER_CLOSING: usize = 10;
/// "Thanks" is a closing only if lines with at most this many words follow, such as a name.
const MAX_WORDS_OF_NAME: usize = 3;

/// The newest text of a plain body of a mail that answers another.
pub(crate) fn newest_text(body: &str, answered: &Answered) -> String {
    let lines: Vec<&str> = body.lines().collect();
    let mut kept: Vec<&str> = Vec::new();
    let (mut at, mut has_text) = (0, false);
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        let answered = has_text.then_some(answered);
        if ends_text(rest, answered) {
            break;
        }
        let wrote = wrote_lines(rest);
        if wrote > 0 {
            at = at.saturating_add(wrote);
            if !quotes_follow(lines.get(at..).unwrap_or_default()) {
                break;
            }
            continue;
        }
        if begins_signature(rest, answered) {
            match after_signature(rest) {
                Some(skipped) => at = at.saturating_add(skipped),
                None => break,
            }
            continue;
        }
        let is_of_phone = !has_text && is_phone_above_text(rest);
        if !is_of_phone && !line.trim_start().starts_with('>') {
            has_text |= !line.trim().is_empty();
            kept.push(line);
        }
        at = at.saturating_add(1);
    }
    without_rules(&without_closing(&kept).join("\n"))
}

/// Whether the next line with text is a quoted one.
fn quotes_follow(lines: &[&str]) -> bool {
    let next = lines.iter().find(|line| !line.trim().is_empty());
    next.is_some_and(|line| line.trim_start().starts_with('>'))
}

/// How many lines to skip from a signature to the quoted mail: a phone's signature may be above it, with a
/// reply below. `None` if nothing is quoted.
fn after_signature(lines: &[&str]) -> Option<usize> {
    let quoted = lines.iter().position(|line| line.trim_start().starts_with('>'))?;
    let is_usual = lines.first().is_some_and(|line| line.trim_end() == "--");
    // A signature in the usual form ends the message, whatever it quotes.
    if is_usual && quoted > LINES_AFTER_CLOSING { None } else { Some(quoted) }
}

/// Without "Kind regards" and the lines after it, up to where the letter goes on.
fn without_closing<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let written = lines;
    let end = written.iter().rposition(|line| !line.trim().is_empty());
    let end = end.map_or(0, |last| last.saturating_add(1));
    let start = end.saturating_sub(LINES_AFTER_CLOSING);
    let names_only = |at: usize| {
        let mut after = written.get(at.saturating_add(1)..end).unwrap_or_default().iter();
        after.all(|line| line.split_whitespace().count() <= MAX_WORDS_OF_NAME)
    };
    let closes = |at: &usize| match written.get(*at).map(|line| is_closing(line)) {
        Some(Some(ClosingFormula::Formal)) => true,
        Some(Some(ClosingFormula::Short)) => names_only(*at),
        _ => false,
    };
    let closing = (start..end).find(closes);
    let text_before =
        |at: usize| written.get(..at).unwrap_or_default().iter().any(|line| !line.trim().is_empty());
    let Some(at) = closing.filter(|at| text_before(*at)) else {
        return written.get(..end).unwrap_or_default().to_vec();
    };
    let (before, after) = (written.get(..at).unwrap_or_default(), written.get(at..end).unwrap_or_default());
    before.iter().copied().chain(below_signature(after)).collect()
}

/// The lines below a signature: from a postscript on, or from a paragraph on that is about the matter. What
/// matters most may stand there. Notices such as those of confidentiality are left out.
fn below_signature<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let paragraph =
        move |at: usize| lines.get(at..).unwrap_or_default().split(is_blank).next().unwrap_or_default();
    let goes_on = |at: &usize| {
        let above = at.checked_sub(1).and_then(|above| lines.get(above));
        let line = lines.get(*at).copied().unwrap_or_default();
        begins_postscript(line) || (above.is_some_and(is_blank) && is_about_matter(paragraph(*at)))
    };
    let start = (0..lines.len()).find(goes_on).unwrap_or(lines.len());
    let paragraphs = lines.get(start..).unwrap_or_default().split(is_blank).enumerate();
    let is_postscript = |paragraph: &[&str]| paragraph.first().is_some_and(|line| begins_postscript(line));
    // The first one is what the letter goes on with, even if it has a link.
    let kept = paragraphs
        .filter(|(index, paragraph)| *index == 0 || is_postscript(paragraph) || !is_notice(paragraph));
    kept.flat_map(|(_, paragraph)| paragraph.iter().copied().chain([""])).collect()
}

/// Without lines of underscores, dashes or equals signs, and without repeated empty lines.
fn without_rules(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let rule = line.len() >= 5 && line.chars().all(|character| matches!(character, '_' | '-' | '='));
        let repeated = line.is_empty() && kept.last().is_none_or(|last| last.is_empty());
        if !rule && !repeated {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}
