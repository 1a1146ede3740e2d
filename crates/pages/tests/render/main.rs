//! Every page in every state, rendered from samples.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

mod account_pages;
mod communications;
mod contact_pages;
mod error_pages;
mod inbox;
mod invoice_list;
mod invoicing;
mod overview;
mod payment_forms;
mod payment_page;
mod sample;
mod sign_in;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use invoices::InvoiceStatus;
use pages::stylesheet::NAME;

const SHOWN: [InvoiceStatus; 6] = [
    InvoiceStatus::Scheduled,
    InvoiceStatus::Unpaid,
    InvoiceStatus::Overdue,
    InvoiceStatus::PartiallyPaid,
    InvoiceStatus::Paid,
    InvoiceStatus::Cancelled,
];

/// The names of the tags in order; the name of an end tag begins with `/`.
fn tags(html: &str) -> Vec<&str> {
    let tags = html.split('<').skip(1);
    tags.filter_map(|tag| tag.split([' ', '>']).next()).filter(|tag| !tag.starts_with('!')).collect()
}

/// Asserts what holds for every page: elements are closed correctly, and landmarks, headings and table
/// headers exist.
fn assert_well_made(html: &str) {
    let mut open = Vec::new();
    for tag in tags(html) {
        match tag.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(end), "{html}"),
            None if matches!(tag, "meta" | "link" | "img" | "input") => {}
            None => open.push(tag),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    let count = |text: &str| html.matches(text).count();
    for once in ["<html lang=\"en\">", "<title>", "<main>", "<h1>", "name=\"viewport\"", NAME.as_str()] {
        assert_eq!(count(once), 1, "{once} in {html}");
    }
    assert_eq!(count("<th "), count("<th scope=\""), "{html}");
    assert_eq!(count("<th>") + count(" style=\"") + count("<script"), 0, "{html}");
    assert_eq!(count("<img "), count(" alt=\""));
    assert!(count(" autofocus") <= 1, "{html}");
    // The page with faults is told from the one before it, and opens at the summary.
    let is_refused = html.contains("role=\"alert\" tabindex=\"-1\" autofocus>");
    assert_eq!(html.contains("<title>Error: "), is_refused, "{html}");
}

#[test]
fn title_of_every_page_with_a_summary_of_faults_says_so() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")];
    let mut pages = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let template = fs::read_to_string(&path).unwrap();
            let calls = |name: &str| template.contains(&format!("call forms::{name}(problems)"));
            if !path.ends_with("forms.html") {
                assert_eq!(calls("summary"), calls("title_start"), "{path:?}");
                pages += usize::from(calls("summary"));
            }
        }
    }
    assert!(pages > 20, "{pages}");
}

/// The size of a text as gzip, in bytes.
fn compressed(text: &str) -> usize {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap().len()
}
