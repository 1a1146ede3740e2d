//! Paging of lists.

use kernel::{PageSize, PublicUrls};
use pages::PageLinks;

use crate::forms::FormFields;
use crate::list_cursor;

/// How many records a page of a list shows.
pub(super) const LIST_SIZE: PageSize = PageSize::DEFAULT;

/// The links of the page that was requested with these parameters: to the first page, unless this is it, and
/// to the next one.
pub(super) fn links(urls: &PublicUrls, path: &str, query: &FormFields, next: Option<String>) -> PageLinks {
    let address = |cursor: Option<&str>| list_cursor::url(urls, path, query, cursor);
    let is_first = query.get("cursor").is_empty();
    PageLinks { first: (!is_first).then(|| address(None)), next: next.map(|cursor| address(Some(&cursor))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_the_filter_and_replace_the_cursor() {
        let urls = PublicUrls::new("https://books.example.com");
        let links_of = |query: &str, next: Option<&str>| {
            let query = FormFields::parse(query.as_bytes()).unwrap();
            let links = links(&urls, "/list", &query, next.map(str::to_owned));
            (links.first, links.next)
        };
        let address = |rest: &str| Some(format!("https://books.example.com/list{rest}"));
        assert_eq!(links_of("", None), (None, None));
        assert_eq!(links_of("state=&q=a%26b", Some("x")), (None, address("?q=a%26b&cursor=x")));
        assert_eq!(links_of("cursor=x&q=1", Some("y")), (address("?q=1"), address("?q=1&cursor=y")));
        assert_eq!(links_of("cursor=x", None), (address(""), None));
    }
}
