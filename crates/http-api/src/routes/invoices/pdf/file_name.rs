//! The name under which a document is saved (RFC 6266).

use actix_web::http::header::{
    Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue,
};
use invoices::InvoiceNumber;

/// `inline`, with a file name made of the invoice's number: letters, digits, `-`, `_` and `.` stay, any other
/// character becomes a hyphen. Letters beyond ASCII are in `filename*`, which clients that understand it
/// prefer.
pub(super) fn inline(number: &InvoiceNumber) -> ContentDisposition {
    let plain = file_name(number, |c| c.is_ascii_alphanumeric());
    let full = file_name(number, char::is_alphanumeric);
    let mut parameters = vec![DispositionParam::Filename(plain.clone())];
    if full != plain {
        parameters.push(DispositionParam::FilenameExt(ExtendedValue {
            charset: Charset::Ext("UTF-8".to_owned()),
            language_tag: None,
            value: full.into_bytes(),
        }));
    }
    ContentDisposition { disposition: DispositionType::Inline, parameters }
}

fn file_name(number: &InvoiceNumber, is_safe: impl Fn(char) -> bool) -> String {
    let replace = |c: char| {
        if is_safe(c) || matches!(c, '-' | '_' | '.') { c } else { '-' }
    };
    let number: String = number.as_str().chars().map(replace).collect();
    format!("invoice-{number}.pdf")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(number: &str) -> String {
        inline(&InvoiceNumber::parse(number).unwrap()).to_string()
    }

    #[test]
    fn number_of_safe_characters_is_kept() {
        assert_eq!(header("INV-0001"), r#"inline; filename="invoice-INV-0001.pdf""#);
        assert_eq!(header("a_b.7"), r#"inline; filename="invoice-a_b.7.pdf""#);
    }

    #[test]
    fn number_with_quotes_and_slashes_stays_inside_header_and_folder() {
        assert_eq!(header(r#"../a"b\c;d%0d%0a e"#), r#"inline; filename="invoice-..-a-b-c-d-0d-0a-e.pdf""#);
    }

    #[test]
    fn letters_beyond_ascii_are_in_the_extended_parameter() {
        assert_eq!(
            header("Größe/1"),
            r#"inline; filename="invoice-Gr--e-1.pdf"; filename*=UTF-8''invoice%2DGr%C3%B6%C3%9Fe%2D1.pdf"#
        );
    }
}
