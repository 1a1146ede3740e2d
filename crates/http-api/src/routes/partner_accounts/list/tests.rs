//! Listing accounts and looking one up.

use crate::testing::House;

const ACCOUNTS: &str = "/api/v1/partner/accounts";

async fn with_accounts(count: usize) -> House {
    let house = House::new();
    for n in 1..=count {
        let body = format!(
            r#"{{"company_name": "Acme {n}", "email": "owner{n}@example.com", "external_id": "c-{n}"}}"#
        );
        assert_eq!(house.post(ACCOUNTS, &body).await.status, 201);
    }
    house
}

#[actix_web::test]
async fn pages_are_walked_by_offset_and_hide_the_address() {
    let house = with_accounts(3).await;
    let page = house
        .get(&format!("{ACCOUNTS}?limit=2&offset=1"))
        .await
        .json();
    assert_eq!(
        (&page["total"], &page["limit"], &page["offset"]),
        (&3.into(), &2.into(), &1.into())
    );
    let accounts = page["data"].as_array().unwrap();
    let names: Vec<_> = accounts
        .iter()
        .map(|account| &account["company_name"])
        .collect();
    assert_eq!(names, ["Acme 2", "Acme 1"]);
    assert!(accounts.iter().all(|account| account["email"].is_null()));
    let all = house.get(&format!("{ACCOUNTS}?limit=1000")).await.json();
    assert_eq!(all["limit"], 100);
}

#[actix_web::test]
async fn a_look_up_answers_one_account_alone() {
    let house = with_accounts(2).await;
    let found = house
        .get(&format!("{ACCOUNTS}?external_id=c-1"))
        .await
        .json();
    let fields: Vec<_> = found.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["data", "total"]);
    assert_eq!(found["total"], 1);
    assert_eq!(found["data"][0]["external_id"], "c-1");
    assert!(found["data"][0]["email"].is_null());
    let none = house.get(&format!("{ACCOUNTS}?external_id=C-1")).await;
    assert_eq!(none.outcome(), (404, "NOT_FOUND".into()));
}

#[actix_web::test]
async fn faulty_parameters_are_named_at_once() {
    let house = House::new();
    let query = "external_id=%0A%00x&limit=-1&offset=9223372036854775808";
    let reply = house.get(&format!("{ACCOUNTS}?{query}")).await;
    assert_eq!(reply.faulty(), ["external_id", "limit", "offset"]);
    for blank in ["external_id=", "external_id", "external_id=%20+"] {
        let reply = house.get(&format!("{ACCOUNTS}?{blank}")).await;
        assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()), "{blank}");
        assert_eq!(reply.faulty(), ["external_id"]);
    }
}
