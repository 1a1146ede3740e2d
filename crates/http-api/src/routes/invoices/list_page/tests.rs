use std::future::poll_fn;

use ::time::OffsetDateTime;
use invoices::InvoiceFilter;
use kernel::{Id, PageSize};
use serde_json::{Value, json};
use testkit::CountingIds;

use super::*;
use crate::list_memory::ListMemory;
use crate::test_app::TestApp;

const INVOICES: &str = "/api/v1/invoices";

/// An account with `count` invoices of about 100 KB each.
async fn app_with(count: usize) -> TestApp {
    let app = TestApp::new().await;
    let line = json!({"description": "é".repeat(900), "unit_amount": 1.5});
    let body = json!({"is_draft": true, "line_items": vec![line; 50]}).to_string();
    for _ in 0..count {
        app.create(INVOICES, &body).await;
    }
    app
}

async fn invoices_of(app: &TestApp) -> Vec<Invoice> {
    let caller = app.state.authenticator.account(&app.account_key).await;
    let (caller, filter) = (caller.unwrap(), InvoiceFilter::default());
    let listing = app.state.invoicing.list(caller.scope(), &filter, PageSize::MAX, None);
    listing.await.unwrap().items
}

/// The permit to send a large page, and the memory that it is of, with how many more such pages can be sent.
async fn permit() -> (ListMemory, LargePagePermit, usize) {
    let memory = ListMemory::default();
    let account = Id::new(&CountingIds::default(), OffsetDateTime::UNIX_EPOCH);
    let page = memory.reserve(account, PageSize::MAX).await.unwrap();
    let permit = page.for_large_page().unwrap();
    let others = memory.free_large_pages();
    (memory, permit, others)
}

#[actix_web::test]
async fn large_page_is_the_same_json_in_small_chunks() {
    let app = app_with(5).await;
    let invoices = invoices_of(&app).await;
    let page = PageWriter::new(invoices, Some("next"), &app.state.urls);
    let Err(page) = page.write_small() else {
        panic!("the page is larger than a small one");
    };
    let chunks: Vec<_> = page.collect();
    assert!(chunks.len() > 5);
    assert!(chunks.iter().all(|chunk| chunk.len() <= MAX_CHUNK));
    let page: Value = serde_json::from_slice(&chunks.concat()).unwrap();
    assert_eq!(page["data"].as_array().unwrap().len(), 5);
    assert_eq!((&page["next_cursor"], &page["has_more"]), (&json!("next"), &json!(true)));
    let third = page["data"][2]["id"].as_str().unwrap();
    let one = app.get(&format!("{INVOICES}/{third}")).await;
    assert_eq!(page["data"][2], one.json());
}

#[actix_web::test]
async fn small_and_large_pages_are_answered_alike() {
    for count in [0, 1, 2, 5] {
        let app = app_with(count).await;
        let page = app.get(INVOICES).await;
        assert_eq!(page.header("content-type"), "application/json");
        let (length, page) = (page.body.len(), page.json());
        assert_eq!(page["data"].as_array().unwrap().len(), count);
        assert_eq!((&page["next_cursor"], &page["has_more"]), (&Value::Null, &json!(false)));
        assert_eq!(length > MAX_SMALL_PAGE, count > 2, "{length}");
    }
}

#[actix_web::test]
async fn page_that_is_not_read_in_time_is_dropped() {
    let app = app_with(2).await;
    let page = PageWriter::new(invoices_of(&app).await, None, &app.state.urls);
    let (memory, permit, others) = permit().await;
    let mut body = LargePage::new(page, permit, Duration::from_millis(20));
    let mut next = async || poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await;
    assert!(matches!(next().await, Some(Ok(_))));
    assert_eq!(memory.free_large_pages(), others);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(memory.free_large_pages(), others + 1);
    // The error must not look like the end of the page.
    assert!(matches!(next().await, Some(Err(_))));
}

#[actix_web::test]
async fn dropped_page_gives_its_permit_back() {
    let (memory, permit, others) = permit().await;
    let page = PageWriter::new(Vec::new(), None, &PublicUrls::new(""));
    drop(LargePage::new(page, permit, Duration::from_secs(3_600)));
    tokio::task::yield_now().await;
    assert_eq!(memory.free_large_pages(), others + 1);
}
