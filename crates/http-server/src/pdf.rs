//! Invoices and receipts as PDF files.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CONTENT_DISPOSITION, Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue,
};

/// A response with the PDF of the invoice with this number.
#[must_use]
pub fn pdf_response(number: &str, bytes: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/pdf")
        .insert_header((CONTENT_DISPOSITION, inline("invoice", number)))
        .body(bytes)
}

/// A response with the PDF of a receipt for the invoice with this number. Since an invoice may have several
/// receipts, `day` is the day of the payment, such as `2026-11-24`.
#[must_use]
pub fn receipt_response(number: &str, day: &str, bytes: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/pdf")
        .insert_header((CONTENT_DISPOSITION, inline("receipt", &format!("{number}-{day}"))))
        .body(bytes)
}

/// `inline` (RFC 6266), with a file name made from the invoice's number: letters, digits, `-`, `_` and `.`
/// stay, any other character becomes a hyphen. Non-ASCII letters are only in `filename*`, which clients
/// prefer if they support it.
fn inline(what: &str, number: &str) -> ContentDisposition {
    let plain = file_name(what, number, |c| c.is_ascii_alphanumeric());
    let full = file_name(what, number, char::is_alphanumeric);
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

fn file_name(what: &str, number: &str, is_safe: impl Fn(char) -> bool) -> String {
    let replace = |c: char| {
        if is_safe(c) || matches!(c, '-' | '_' | '.') { c } else { '-' }
    };
    let number: String = number.chars().map(replace).collect();
    format!("{what}-{number}.pdf")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(number: &str) -> String {
        inline("invoice", number).to_string()
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
