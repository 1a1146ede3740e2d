//! The text of an HTML body, without quoted mail.

use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::html::add_html_token;

use crate::characters::with_plain_breaks;
use crate::reply_headers::{begins_with_headers, ends_in_wrote};

/// Elements whose content is left out. Not the whole `head`: nothing else in it is text, and some programs do
/// not close it.
const UNSEEN: [&str; 4] = ["style", "script", "title", "xml"];
/// Elements that begin a new line.
const BLOCKS: [&str; 53] = [
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol",
    "optgroup", "option", "p", "plaintext", "pre", "search", "section", "select", "summary", "table",
    "tbody", "textarea", "tfoot", "thead", "tr", "ul", "xmp",
];
/// Elements that a blank separates.
const CELLS: [&str; 2] = ["td", "th"];
/// Elements without content.
const VOID: [&str; 8] = ["br", "hr", "img", "input", "meta", "link", "wbr", "base"];
/// Elements in which line breaks are those of the text, as in those with such a style.
const PREFORMATTED: [&str; 5] = ["pre", "textarea", "xmp", "listing", "plaintext"];
/// Marks of mail programs on elements that hold the answered mail or a signature.
const QUOTES: [&str; 9] = [
    "gmail_quote",
    "gmail_signature",
    "yahoo_quoted",
    "moz-cite-prefix",
    "moz-signature",
    "protonmail_quote",
    "protonmail_signature_block",
    "zmail_extra",
    "mail-editor-reference-message-container",
];
/// Marks on a `blockquote` with a style that holds the answered mail. Without any, it indents the text.
const QUOTES_WITH_STYLE: [&str; 5] = ["cite", "border-left", "border-inline-start", "replycontent", "quoted"];
/// Everything after an element with one of these marks is quoted.
const ENDS: [&str; 2] = ["divrplyfwdmsg", "appendonsend"];
/// And after a line of one of these colours, if headers of a mail follow: tables have such lines too.
const LINES: [&str; 2] = ["border-top:solid #e1e1e1", "border-top:solid #b5c4df"];

/// So many tags are read: mail programs write a hundredth of them.
const MAX_TAGS: usize = 100_000;

/// Headers of mail are looked for above a `blockquote` within so many tags, and below so many drawn lines.
const MAX_TAGS_TO_HEADERS: usize = 5_000;
const MAX_DRAWN: usize = 100;

/// So many bytes of an address are looked at.
const MAX_ADDRESS_BYTES: usize = 256;

/// Text of HTML, line by line, until it has at least so many bytes or ends. The HTML may be much longer: of
/// pictures and styles within it.
pub(crate) fn text_of_html(html: &str, enough: usize) -> String {
    let mut ruled = Vec::new();
    let mut text = text_and_lines(html, enough, &mut ruled);
    let is_above_headers = |at: &usize| text.get(*at..).is_some_and(begins_with_headers);
    if let Some(end) = ruled.into_iter().find(is_above_headers) {
        text.truncate(end);
    }
    text
}

/// The text, and where lines of which headers may follow are drawn in it.
fn text_and_lines(html: &str, enough: usize, ruled: &mut Vec<usize>) -> String {
    let mut text = String::with_capacity(enough.min(html.len()));
    // The element that is skipped, and the one whose line breaks are those of the text.
    let mut passed: Option<Element> = None;
    let mut preformatted: Option<Element> = None;
    // Some programs label plain text as HTML.
    let is_plain = tag_start(html).is_none();
    let (mut rest, mut tags) = (html, 0_usize);
    while let Some(start) = tag_start(rest) {
        tags = tags.saturating_add(1);
        if text.len() >= enough || tags > MAX_TAGS {
            return text;
        }
        let (before, from) = rest.split_at(start);
        if passed.is_none() {
            append(&mut text, before, enough, preformatted.is_some());
        }
        if let Some(comment) = from.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some((tag, after)) = from.get(1..).and_then(|tag| tag.split_once('>')) else {
            return text;
        };
        rest = after;
        let tag = Tag::of(tag);
        if let Some(element) = &mut passed {
            if element.ends_at(&tag) {
                passed = None;
                text.push('\n');
            }
            continue;
        }
        if tag.has(&ENDS) {
            return text;
        }
        if ruled.len() < MAX_DRAWN && tag.has(&LINES) {
            ruled.push(text.len());
        }
        if tag.is_quote(if tags > MAX_TAGS_TO_HEADERS { "" } else { &text }) {
            passed = Element::begun_by(tag);
            continue;
        }
        if BLOCKS.contains(&tag.name.as_str()) {
            text.push('\n');
        } else if CELLS.contains(&tag.name.as_str()) {
            append(&mut text, " ", enough, false);
        }
        if preformatted.as_mut().is_some_and(|element| element.ends_at(&tag)) {
            preformatted = None;
        } else if preformatted.is_none() && tag.keeps_breaks() {
            preformatted = Element::begun_by(tag);
        }
    }
    if passed.is_none() {
        append(&mut text, rest, enough, preformatted.is_some() || is_plain);
    }
    text
}

/// A tag in lower case, without its brackets.
struct Tag {
    name: String,
    written: String,
}

impl Tag {
    fn of(tag: &str) -> Self {
        let written = tag.to_lowercase();
        let name = written.trim_start_matches('/').chars();
        Self { name: name.take_while(char::is_ascii_alphanumeric).collect(), written }
    }

    fn closes(&self) -> bool {
        self.written.starts_with('/')
    }

    /// Whether it begins an element with one of the marks.
    fn has(&self, marks: &[&str]) -> bool {
        !self.closes() && marks.iter().any(|mark| self.written.contains(mark))
    }

    /// Whether it begins an element that is left out, below this text.
    fn is_quote(&self, above: &str) -> bool {
        let is_unseen = UNSEEN.contains(&self.name.as_str()) && !self.closes();
        (is_unseen || self.has(&QUOTES) || self.quotes(above)) && !VOID.contains(&self.name.as_str())
    }

    /// Whether it begins a `blockquote` that holds the answered mail, and does not indent the text.
    fn quotes(&self, above: &str) -> bool {
        let is_indented = || self.has(&["style"]) && !self.has(&QUOTES_WITH_STYLE);
        self.name == "blockquote" && !self.closes() && (!is_indented() || ends_in_wrote(above))
    }

    /// Whether it begins an element in which line breaks are those of the text.
    fn keeps_breaks(&self) -> bool {
        let of_style = |after: &str| {
            let value = after.trim_start_matches("-collapse").trim_start_matches([' ', ':']);
            value.starts_with("pre") || value.starts_with("break-spaces")
        };
        let is_kept = PREFORMATTED.contains(&self.name.as_str())
            || self.written.split("white-space").skip(1).any(of_style);
        is_kept && !self.closes() && !VOID.contains(&self.name.as_str())
    }
}

/// An element that is open, and how many elements of its name are.
struct Element {
    name: String,
    open: u32,
    /// How many `blockquote` elements of the answered mail are open within it, if it ends with its first:
    /// answers between further quotes stand below. A forwarded mail has quotes of its own, in such an element
    /// of theirs.
    quotes: Option<u32>,
}

impl Element {
    fn begun_by(tag: Tag) -> Option<Self> {
        let quotes = (tag.name != "blockquote" && tag.has(&["gmail_quote"])).then_some(0);
        Some(Self { name: tag.name, open: 1, quotes })
    }

    /// Whether a tag within it ends it.
    fn ends_at(&mut self, tag: &Tag) -> bool {
        let (is_marked, is_quote) = (tag.has(&["gmail_quote"]), tag.name == "blockquote");
        match self.quotes {
            Some(0) if is_marked => self.quotes = is_quote.then_some(1),
            Some(open) if open > 0 && is_quote => {
                let open = if tag.closes() { open.saturating_sub(1) } else { open.saturating_add(1) };
                self.quotes = Some(open);
                return open == 0;
            }
            _ => {}
        }
        if tag.name == self.name && !tag.written.ends_with('/') {
            self.open = if tag.closes() { self.open.saturating_sub(1) } else { self.open.saturating_add(1) };
        }
        self.open == 0
    }
}

/// Where the next tag or comment begins (HTML, tag open state). Elsewhere, `<` is text.
fn tag_start(html: &str) -> Option<usize> {
    let begins_tag = |place: &usize| {
        let from = html.get(place.saturating_add(1)..).unwrap_or_default();
        from.starts_with(['/', '!', '?'])
            || (from.starts_with(|first: char| first.is_ascii_alphabetic()) && !names_address(from))
    };
    html.match_indices('<').map(|(place, _)| place).find(begins_tag)
}

/// Whether what follows a `<` is an address of mail or of a page, as in plain text that is labelled as HTML.
/// Browsers show none of it, but a header of quoted mail is recognised by it.
fn names_address(from: &str) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    let beginning = from.as_bytes().get(..MAX_ADDRESS_BYTES).unwrap_or(from.as_bytes());
    let name = beginning.split(is_end).next().unwrap_or_default();
    name.contains(&b'@') || name.ends_with(b":")
}

/// Appends text with its entities decoded and its white space collapsed, until there is enough. In
/// preformatted text, line breaks stay.
fn append(text: &mut String, html: &str, enough: usize, is_preformatted: bool) {
    let plain = is_preformatted.then(|| with_plain_breaks(html));
    let mut rest = plain.as_deref().unwrap_or(html);
    while text.len() < enough
        && let Some(character) = rest.chars().next()
    {
        let (decoded, length) = match character {
            '&' => entity(rest).unwrap_or(('&', 1)),
            other => (other, other.len_utf8()),
        };
        let is_blank = decoded.is_whitespace() && !(is_preformatted && decoded == '\n');
        let decoded = if is_blank { ' ' } else { decoded };
        let is_repeated = decoded == ' ' && text.ends_with([' ', '\n']);
        if !is_repeated && !INVISIBLE.contains(&decoded) {
            text.push(decoded);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// The most bytes of an entity: the longest name has 31 letters.
const MAX_ENTITY_LENGTH: usize = 33;
/// Characters that only say where a word may be broken.
const INVISIBLE: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// The character that an entity stands for, and the bytes that it takes.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_ENTITY_LENGTH).position(|byte| byte == b';')?;
    let token = text.get(..=end)?;
    let character = match token {
        "&rsquo;" | "&lsquo;" => '\'',
        "&ldquo;" | "&rdquo;" => '"',
        _ => {
            let mut decoded = String::new();
            add_html_token(&mut decoded, token.as_bytes(), false);
            // An unknown name is returned as it is.
            of_windows(decoded.chars().next().filter(|_| decoded != token)?)
        }
    };
    Some((character, token.len()))
}

/// What the number of a control character means: the character of windows-1252 with it (HTML, numeric
/// character reference end state).
fn of_windows(character: char) -> char {
    let byte = u8::try_from(u32::from(character)).ok().filter(|byte| matches!(byte, 0x80..=0x9f));
    let decoded = byte.zip(charset_decoder(b"windows-1252")).map(|(byte, decode)| decode(&[byte]));
    decoded.and_then(|text| text.chars().next()).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_below_a_head_that_is_not_closed_is_read() {
        let head = "<html><head><meta charset=\"utf-8\"><title>Re</title><style>p{}</style>";
        for html in
            [format!("{head}<body><p>It is wrong.</p></body></html>"), format!("{head}<p>It is wrong.")]
        {
            assert_eq!(text_of_html(&html, 1_000).trim(), "It is wrong.");
        }
    }

    #[test]
    fn quoted_elements_and_entities_of_html_are_read() {
        let html = "<html><head><style>p{}</style></head><p>Can&#8217;t pay &amp; won&rsquo;t</p>\
            <div class=\"gmail_quote\"><div>On ...</div><blockquote>x</blockquote></div><p>After</p>";
        assert_eq!(text_of_html(html, 1_000).trim(), "Can’t pay & won't\n\n\nAfter");
        let said = |html: &str| text_of_html(html, 1_000).split_whitespace().collect::<Vec<_>>().join(" ");
        let quote = "<blockquote class=\"gmail_quote\">x<blockquote>y</blockquote>z</blockquote>";
        let between = format!(
            "<div class=\"gmail_quote\"></blockquote><div>On ...</div>{quote}<p>Yes.</p>{quote}<p>No.</p></div>"
        );
        assert_eq!(said(&between), "Yes. No.");
        let within =
            format!("<div class=\"gmail_quote\">Ada wrote:{quote}</div>of Ada<blockquote>q</blockquote>");
        let forwarded = format!("<p>FYI</p><div class=\"gmail_quote\">Forwarded{within}also of Ada</div>");
        assert_eq!(said(&forwarded), "FYI");
        assert_eq!(text_of_html("a < b", 1_000).trim(), "a < b");
        assert_eq!(text_of_html("long text without a tag", 4), "long");
        let names = "&Uuml;berweisung re&ccedil;ue&nbsp;&laquo;&oacute;&raquo; 1&frac12;&ensp;&euro; &hellip;lo&shy;st";
        assert_eq!(text_of_html(names, 1_000), "Überweisung reçue «ó» 1½ € …lost");
        assert_eq!(text_of_html("R&D; A&B &unknown; &#x20AC; &", 1_000), "R&D; A&B &unknown; € &");
        assert_eq!(
            text_of_html("one<blockquote>q<blockquote>r</blockquote>q</blockquote>two", 1_000),
            "one\ntwo"
        );
    }
}
