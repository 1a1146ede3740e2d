//! Pages of invoices, small and large.

use std::future::poll_fn;
use std::sync::Arc;

use kernel::Id;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::*;
use crate::testing::House;

const INVOICES: &str = "/api/v1/invoices";

/// A house with as many invoices, each of some 100 KB.
async fn house_with(count: u128) -> House {
    let house = House::new();
    let line = json!({"description": "é".repeat(900), "unit_amount": 1.5});
    let body = json!({"is_draft": true, "line_items": vec![line; 50]});
    let raised = house.post(INVOICES, &body.to_string()).await;
    assert_eq!(raised.status, 201, "{}", raised.body);
    {
        let mut kept = house.kept();
        let first = kept.invoices.remove(0);
        kept.invoices = (1..=count)
            .map(|n| {
                let mut data = (*first).clone();
                data.id = Id::from_uuid(uuid::Uuid::from_u128(n));
                Invoice::from_stored(data)
            })
            .collect();
    }
    house
}

fn place() -> (Arc<Semaphore>, OwnedSemaphorePermit) {
    let places = Arc::new(Semaphore::new(1));
    let place = places.clone().try_acquire_owned().unwrap();
    (places, place)
}

#[actix_web::test]
async fn a_large_page_is_the_same_json_in_small_pieces() {
    let house = house_with(12).await;
    let invoices = house.kept().invoices.clone();
    let pieces = Pieces::new(
        invoices,
        Some("next"),
        &kernel::PublicUrls::new("https://books.example.com"),
    );
    let Err(pieces) = pieces.whole() else {
        panic!("the page is larger than what is sent at once");
    };
    let pieces: Vec<_> = pieces.collect();
    assert!(pieces.len() > 12);
    assert!(pieces.iter().all(|piece| piece.len() <= LARGEST_PIECE));
    let page: Value = serde_json::from_slice(&pieces.concat()).unwrap();
    assert_eq!(page["data"].as_array().unwrap().len(), 12);
    assert_eq!(
        (&page["next_cursor"], &page["has_more"]),
        (&json!("next"), &json!(true))
    );
    let third = page["data"][2]["id"].as_str().unwrap();
    let one = house.get(&format!("{INVOICES}/{third}")).await;
    assert_eq!(page["data"][2], one.json());
}

#[actix_web::test]
async fn small_and_large_pages_are_answered_alike() {
    for count in [0, 1, 2, 5] {
        let house = house_with(count).await;
        let page = house.get(INVOICES).await;
        assert_eq!(page.header("content-type"), "application/json");
        let (length, page) = (page.body.len(), page.json());
        let ids = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].clone());
        assert_eq!(ids.count(), usize::try_from(count).unwrap());
        assert_eq!(
            (&page["next_cursor"], &page["has_more"]),
            (&Value::Null, &json!(false))
        );
        assert_eq!(length > LARGEST_WHOLE, count > 2, "{length}");
    }
}

#[actix_web::test]
async fn a_page_that_nobody_reads_is_let_go_of() {
    let house = house_with(4).await;
    let invoices = house.kept().invoices.clone();
    let pieces = Pieces::new(invoices, None, &kernel::PublicUrls::new(""));
    let (places, place) = place();
    let mut body = LargePage::new(pieces, place, Duration::from_millis(20));
    let mut next = async || poll_fn(|cx| Pin::new(&mut body).poll_next(cx)).await;
    assert!(matches!(next().await, Some(Ok(_))));
    assert_eq!(places.available_permits(), 0);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(places.available_permits(), 1);
    // It must not look like the end of the page.
    assert!(matches!(next().await, Some(Err(_))));
}

#[actix_web::test]
async fn a_caller_that_goes_away_gives_its_place_back() {
    let (places, place) = place();
    let pieces = Pieces::new(Vec::new(), None, &kernel::PublicUrls::new(""));
    drop(LargePage::new(pieces, place, Duration::from_secs(3_600)));
    tokio::task::yield_now().await;
    assert_eq!(places.available_permits(), 1);
}
