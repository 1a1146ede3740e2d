//! `X-Twilio-Signature`: HMAC-SHA1 of the URL and the fields of a form, keyed with the account's token, in
//! base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// The signature of a form that was sent to `url`: the URL that Twilio was given, with its query, even if
/// proxies changed it. A field that occurs twice with the same value counts once.
#[must_use]
pub fn signature(token: &str, url: &str, fields: &[(&str, &str)]) -> String {
    STANDARD.encode(hmac::sign(&key(token), &signed_text(url, fields)))
}

/// Whether a form that was sent to `url` has the right signature. The comparison takes the same time wherever
/// the signatures differ.
#[must_use]
pub fn is_signed(token: &str, url: &str, fields: &[(&str, &str)], header: &str) -> bool {
    let Ok(given) = STANDARD.decode(header.trim()) else {
        return false;
    };
    hmac::verify(&key(token), &signed_text(url, fields), &given).is_ok()
}

fn key(token: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes())
}

fn signed_text(url: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut sorted = fields.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let fields = sorted.into_iter().flat_map(|(name, value)| [name, value]);
    std::iter::once(url).chain(fields).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://mycompany.com/myapp.php?foo=1&bar=2";
    const TOKEN: &str = "12345";
    const FIELDS: [(&str, &str); 5] = [
        ("Digits", "1234"),
        ("To", "+18005551212"),
        ("From", "+14158675309"),
        ("Caller", "+14158675309"),
        ("CallSid", "CA1234567890ABCDE"),
    ];

    #[test]
    fn signature_does_not_depend_on_the_order_of_fields() {
        let mut reversed = FIELDS;
        reversed.reverse();
        assert_eq!(signature(TOKEN, URL, &FIELDS), signature(TOKEN, URL, &reversed));
        assert!(is_signed(TOKEN, URL, &reversed, &signature(TOKEN, URL, &FIELDS)));
    }

    /// The example of Twilio's documentation.
    #[test]
    fn known_signature_is_computed() {
        assert_eq!(signature(TOKEN, URL, &FIELDS), "RSOYDt4T1cUTdK1PDd93/VVr8B8=");
    }

    #[test]
    fn text_that_is_signed_is_the_address_and_the_sorted_fields() {
        let text = String::from_utf8(signed_text(URL, &FIELDS)).unwrap();
        let expected = "https://mycompany.com/myapp.php?foo=1&bar=2CallSidCA1234567890ABCDECaller+14158675309\
            Digits1234From+14158675309To+18005551212";
        assert_eq!(text, expected);
    }

    #[test]
    fn whatever_is_changed_is_not_signed() {
        let header = signature(TOKEN, URL, &FIELDS);
        assert!(!is_signed("12346", URL, &FIELDS, &header));
        assert!(!is_signed(TOKEN, "http://mycompany.com/myapp.php?foo=1&bar=2", &FIELDS, &header));
        assert!(!is_signed(TOKEN, URL, &FIELDS[1..], &header));
        for header in ["", "x", &header[1..], &format!("A{header}")] {
            assert!(!is_signed(TOKEN, URL, &FIELDS, header), "{header}");
        }
    }
}
