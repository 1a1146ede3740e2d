use crate::test_app::TestApp;

const ACCOUNTS: &str = "/api/v1/partner/accounts";

async fn with_accounts(count: usize) -> TestApp {
    let app = TestApp::new().await;
    for n in 1..=count {
        let body = format!(
            r#"{{"company_name": "Acme {n}", "email": "owner{n}@example.com", "external_id": "c-{n}"}}"#
        );
        assert_eq!(app.post(ACCOUNTS, &body).await.status, 201);
    }
    app
}

#[actix_web::test]
async fn page_begins_at_the_offset_and_hides_email_addresses() {
    let app = with_accounts(3).await;
    let page = app.get(&format!("{ACCOUNTS}?limit=2&offset=1")).await.json();
    assert_eq!((&page["total"], &page["limit"], &page["offset"]), (&4.into(), &2.into(), &1.into()));
    let accounts = page["data"].as_array().unwrap();
    let names: Vec<_> = accounts.iter().map(|account| &account["company_name"]).collect();
    assert_eq!(names, ["Acme 2", "Acme 1"]);
    assert!(accounts.iter().all(|account| account["email"].is_null()));
    let all = app.get(&format!("{ACCOUNTS}?limit=1000")).await.json();
    assert_eq!(all["limit"], 100);
}

#[actix_web::test]
async fn look_up_by_external_id_answers_one_account() {
    let app = with_accounts(2).await;
    let found = app.get(&format!("{ACCOUNTS}?external_id=c-1")).await.json();
    let fields: Vec<_> = found.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["data", "total"]);
    assert_eq!(found["total"], 1);
    assert_eq!(found["data"][0]["external_id"], "c-1");
    assert!(found["data"][0]["email"].is_null());
    let none = app.get(&format!("{ACCOUNTS}?external_id=C-1")).await;
    assert_eq!(none.outcome(), (404, "NOT_FOUND".into()));
}

#[actix_web::test]
async fn faulty_parameters_are_named_at_once() {
    let app = TestApp::new().await;
    let query = "external_id=%0A%00x&limit=-1&offset=-1";
    let response = app.get(&format!("{ACCOUNTS}?{query}")).await;
    assert_eq!(response.faulty(), ["external_id", "limit", "offset"]);
    for blank in ["external_id=", "external_id", "external_id=%20+"] {
        let response = app.get(&format!("{ACCOUNTS}?{blank}")).await;
        assert_eq!(response.outcome(), (400, "VALIDATION_ERROR".into()), "{blank}");
        assert_eq!(response.faulty(), ["external_id"]);
    }
}
