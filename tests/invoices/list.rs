//! GET /invoices: filters, and paging by cursor.

use serde_json::{Value, json};

use crate::test_app::{Caller, on_both};

async fn create(account: &Caller, change: Value) -> String {
    account.invoice(change).await.text("id").to_owned()
}

fn ids(page: &Value) -> Vec<String> {
    page["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|invoice| invoice["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_cursor_walk_is_stable_under_inserts() {
    on_both(async |server| {
        let account = server.account().await;
        let mut made = Vec::new();
        for _ in 0..7 {
            made.push(create(&account, json!({})).await);
        }
        let mut path = "/invoices?limit=2".to_owned();
        let mut seen = Vec::new();
        loop {
            let page = account.get(&path).await.expect(200).body;
            seen.extend(ids(&page));
            create(&account, json!({})).await;
            if page["has_more"] == json!(false) {
                assert_eq!(page["next_cursor"], Value::Null);
                break;
            }
            path = format!("/invoices?limit=2&cursor={}", page["next_cursor"].as_str().unwrap());
        }
        made.reverse();
        assert_eq!(seen, made);
    })
    .await;
}

#[tokio::test]
async fn list_items_are_whole_and_page_sizes_are_clamped() {
    on_both(async |server| {
        let account = server.account().await;
        let empty = account.get("/invoices").await.expect(200).body;
        assert_eq!(
            (&empty["data"], &empty["has_more"], &empty["next_cursor"]),
            (&json!([]), &json!(false), &Value::Null)
        );
        let id = create(&account, json!({})).await;
        let one = account.get(&format!("/invoices/{id}")).await.expect(200).body;
        let page = account.get("/invoices?limit=100000").await.expect(200).body;
        assert_eq!(page["data"], json!([one]));
        for _ in 0..26 {
            create(&account, json!({})).await;
        }
        let page = account.get("/invoices").await.expect(200).body;
        assert_eq!((ids(&page).len(), &page["has_more"]), (25, &json!(true)));
    })
    .await;
}

#[tokio::test]
async fn every_filter_narrows() {
    on_both(async |server| {
        let account = server.account().await;
        let draft = create(&account, json!({"is_draft": true, "invoice_date": "2026-01-10"})).await;
        let overdue = create(&account, json!({"invoice_date": "2020-05-01", "invoice_number": "A+1"})).await;
        let grace = create(&account, json!({"contact": {"name": "Grace", "phone": "1"}, "invoice_date": "2026-01-11", "due_date": "9998-01-01"})).await;
        let contact = account.get(&format!("/invoices/{grace}")).await.expect(200).body["contact"]["id"].as_str().unwrap().to_owned();
        for (query, expected) in [
            ("status=DRAFT", vec![&draft]),
            ("status=overdue,DRAFT", vec![&overdue, &draft]),
            ("status=PAID", vec![]),
            ("invoice_number=A%2B1", vec![&overdue]),
            ("invoice_number=a%2B1", vec![]),
            (&format!("contact_id={contact}"), vec![&grace]),
            ("date_from=2026-01-10", vec![&grace, &draft]),
            ("date_to=2026-01-10", vec![&overdue, &draft]),
            ("date_from=2026-01-10&date_to=2026-01-10", vec![&draft]),
            ("date_from=2026-01-10&status=UNPAID", vec![&grace]),
            ("status=&limit=", vec![&grace, &overdue, &draft]),
        ] {
            let page = account.get(&format!("/invoices?{query}")).await.expect(200).body;
            assert_eq!(ids(&page).iter().collect::<Vec<_>>(), expected, "{query}");
        }
        let several = account.get("/invoices?status=NO&limit=0&contact_id=1&cursor=?&date_from=x").await.refused(400, "VALIDATION_ERROR");
        assert_eq!(several.fields(), ["contact_id", "cursor", "date_from", "limit", "status"]);
    })
    .await;
}
