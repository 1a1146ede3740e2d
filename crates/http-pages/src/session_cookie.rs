//! The cookie that holds the token of a session.

use actix_web::http::header::{COOKIE, HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use kernel::{AccountToken, PublicUrls};

/// Over HTTPS the cookie has the prefix `__Host-` (RFC 6265bis, section 4.1.3.2), so no other host can set
/// it.
fn name(urls: &PublicUrls) -> &'static str {
    if is_secure(urls) { "__Host-session" } else { "session" }
}

fn is_secure(urls: &PublicUrls) -> bool {
    urls.base().starts_with("https://")
}

/// The token that a browser sent: the first cookie with this name that can be a token.
pub(crate) fn presented(headers: &HeaderMap, urls: &PublicUrls) -> Option<String> {
    let name = name(urls);
    let values = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok());
    let mut cookies = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    let token =
        cookies.find(|(given, text)| given.trim() == name && AccountToken::parse(text.trim()).is_some());
    token.map(|(_, text)| text.trim().to_owned())
}

/// The header that sets the cookie.
pub(crate) fn set(token: &AccountToken, urls: &PublicUrls) -> (HeaderName, HeaderValue) {
    header(token.reveal(), "", urls)
}

/// The header that removes the cookie.
pub(crate) fn remove(urls: &PublicUrls) -> (HeaderName, HeaderValue) {
    header("", "; Max-Age=0", urls)
}

fn header(value: &str, more: &str, urls: &PublicUrls) -> (HeaderName, HeaderValue) {
    let secure = if is_secure(urls) { "; Secure" } else { "" };
    let text = format!("{}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{more}", name(urls));
    // This cannot fail: a token is base64.
    let value = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
    (SET_COOKIE, value)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use kernel::{Id, SystemRandom};

    use super::*;

    fn token() -> AccountToken {
        let account = Id::parse("019aa1b2-0000-7000-8000-0123456789ab").unwrap();
        AccountToken::generate(account, &SystemRandom::default())
    }

    #[test]
    fn cookie_is_bound_to_the_host_where_the_service_speaks_https() {
        let token = token();
        let text = |urls: &str| set(&token, &PublicUrls::new(urls)).1.to_str().unwrap().to_owned();
        let value = token.reveal();
        assert_eq!(
            text("https://books.example.com"),
            format!("__Host-session={value}; Path=/; HttpOnly; SameSite=Lax; Secure")
        );
        assert_eq!(text("http://127.0.0.1:8080"), format!("session={value}; Path=/; HttpOnly; SameSite=Lax"));
        let removed = remove(&PublicUrls::new("http://127.0.0.1:8080"));
        assert_eq!(removed.1, "session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    }

    #[test]
    fn token_is_found_among_other_cookies() {
        let (token, urls) = (token(), PublicUrls::new("http://127.0.0.1:8080"));
        let found = |cookies: &str| {
            let request = TestRequest::get().insert_header((COOKIE, cookies)).to_http_request();
            presented(request.headers(), &urls)
        };
        let value = token.reveal();
        for cookies in [format!("session={value}"), format!("a=b; session=x; session={value}; c")] {
            assert_eq!(found(&cookies).as_deref(), Some(value), "{cookies}");
        }
        for cookies in ["", "session=", "session=x", &format!("__Host-session={value}")] {
            assert_eq!(found(cookies), None, "{cookies}");
        }
    }
}
