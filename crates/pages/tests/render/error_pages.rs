//! Error pages.

use pages::{ErrorPage, Template as _};

use crate::assert_well_made;
use crate::sample::urls;

#[test]
fn every_error_page_says_what_to_do_and_names_the_request() {
    let mut titles = Vec::new();
    for status in [400, 403, 404, 405, 409, 410, 413, 422, 429, 500, 503] {
        let html = ErrorPage::new(status, "0199-<id>", &urls()).render().unwrap();
        assert_well_made(&html);
        assert!(html.contains("Request id: 0199-&#60;id&#62;"), "{html}");
        titles.push(html.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_owned());
    }
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), 10, "{titles:?}");
    assert!(titles.contains(&"Page not found".to_owned()));
}

#[test]
fn title_of_an_error_page_names_the_company_where_it_is_known() {
    let page = |company| ErrorPage::new(410, "0199", &urls()).of_company(company).render().unwrap();
    let (of_one, of_none) = (page(Some("Acme & Sons")), page(None));
    let heading = "This link is no longer valid";
    assert!(of_one.contains(&format!("<title>{heading} – Acme &#38; Sons</title>")), "{of_one}");
    assert!(of_none.contains(&format!("<title>{heading}</title>")), "{of_none}");
    assert!(of_one.contains(&format!("<h1>{heading}</h1>")), "{of_one}");
}

#[test]
fn error_pages_link_to_the_next_step() {
    let html = |status, path, wait| {
        ErrorPage::new(status, "0199", &urls()).of_path(path, wait, &urls()).render().unwrap()
    };
    for (status, path, link) in [
        (404, "/dashboard/nothing", "/dashboard\">Back to the overview</a>"),
        (409, "/dashboard/invoices/1/edit", "/dashboard\">Back to the overview</a>"),
        (
            409,
            "/dashboard/invoices/01890a5d-ac96-774b-bcce-b302099a8057/edit",
            "/dashboard/invoices/01890a5d-ac96-774b-bcce-b302099a8057\">Back to the invoice</a>",
        ),
        (429, "/login", "/password/forgot\">Forgot your password?</a>"),
        (429, "/confirm", "/password/forgot\">Forgot your password?</a>"),
        (404, "/password/reset/removed", "/password/forgot\">Forgot your password?</a>"),
        (409, "/pay/token/help", "/pay/token\">Back to the invoice</a>"),
    ] {
        let page = html(status, path, None);
        assert_well_made(&page);
        assert!(page.contains(&format!("href=\"https://books.example.com{link}")), "{path}: {page}");
    }
    for (status, path) in [(404, "/pay/token"), (410, "/pay/token/help"), (403, "/dashboard"), (404, "/x")] {
        assert!(!html(status, path, None).contains("<a "), "{status} {path}");
    }
    let page = ErrorPage::new(405, "0199", &urls()).of_path("/pay/token/checkout", None, &urls());
    let page = page.of_forms_only().render().unwrap();
    for text in ["This address only takes a form.", "Back to the invoice"] {
        assert!(page.contains(text), "{text} in {page}");
    }
    let page = ErrorPage::new(409, "0199", &urls()).of_path("/pay/token/checkout", None, &urls());
    let link = ("https://books.example.com/pay/token".to_owned(), "Try again".to_owned());
    let page = page.saying("Nothing was paid.".to_owned(), Some(link)).render().unwrap();
    assert_eq!(page.matches("<a ").count(), 1, "one link to one page: {page}");
    let page = html(404, "/dashboard/contacts/1", None);
    assert!(page.contains("no such page in this account"), "{page}");
    assert!(html(415, "/dashboard", None).contains("Nothing was changed."));
    assert!(html(429, "/login", Some(601)).contains("Wait 11 minutes, then try again."));
}

#[test]
fn page_of_a_refused_form_names_the_address_of_the_service() {
    let page = ErrorPage::new(403, "0199", &urls()).at_its_address("http://127.0.0.1:8080");
    let page = page.render().unwrap();
    assert!(page.contains("its own address, which begins with http://127.0.0.1:8080, and send"), "{page}");
}
