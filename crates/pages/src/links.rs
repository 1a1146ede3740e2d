//! Links from a page to other places of the service.

use kernel::PublicUrls;

/// The addresses of the service without their origin, as pages link to them. A browser that opened a page
/// under another host name stays there: the `Content-Security-Policy` lets it load and send forms to no
/// other, and the cookie of its session is kept for that name.
///
/// ```
/// use kernel::PublicUrls;
///
/// let links = pages::links(&PublicUrls::new("https://example.com/books"));
/// assert_eq!(links.page("/login"), "/books/login");
/// ```
#[must_use]
pub fn links(urls: &PublicUrls) -> PublicUrls {
    PublicUrls::new(local(urls, urls.base()))
}

/// An address without its origin, if it is one of the service.
#[must_use]
pub fn local<'a>(urls: &PublicUrls, url: &'a str) -> &'a str {
    match url.strip_prefix(urls.origin()) {
        Some(path) if path.is_empty() || path.starts_with('/') => path,
        _ => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_loses_only_the_origin_of_the_service() {
        let urls = PublicUrls::new("http://127.0.0.1:80/books");
        assert_eq!(local(&urls, "http://127.0.0.1:80/sandbox/checkout/1"), "/sandbox/checkout/1");
        for other in ["http://127.0.0.1:8080/login", "https://checkout.example.com/1"] {
            assert_eq!(local(&urls, other), other);
        }
    }
}
