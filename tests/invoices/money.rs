//! Exact numbers, in and out.

use serde_json::{Value, json};

use crate::test_app::{json_text, number, on_both};

fn invoice(lines: &[(&str, &str, &str)]) -> Value {
    let line = |(quantity, unit_amount, tax_rate): &(&str, &str, &str)| json!({"description": "x", "quantity": number(quantity), "unit_amount": number(unit_amount), "tax_rate": number(tax_rate)});
    json!({"contact": {"name": "Ada", "phone": "1"}, "line_items": lines.iter().map(line).collect::<Vec<_>>()})
}

#[tokio::test]
async fn worked_examples_of_the_contract_have_their_totals() {
    on_both(async |server| {
        let account = server.account().await;
        let exclusive = invoice(&[("1", "25.06", "15"), ("1", "25.61", "15"), ("1", "25.63", "15")]);
        let made = account.post("/invoices", &exclusive).await.expect(201);
        assert_eq!(
            ["sub_total", "tax_total", "total", "amount_due"].map(|name| json_text(&made.body[name])),
            ["76.30", "11.44", "87.74", "87.74"]
        );
        assert_eq!(json_text(&made.body["line_items"][0]["tax_amount"]), "3.76");
        let mut inclusive = invoice(&[("1", "9.99", "20")]);
        inclusive["line_amount_types"] = json!("inclusive");
        let made = account.post("/invoices", &inclusive).await.expect(201);
        assert_eq!(
            ["sub_total", "tax_total", "total"].map(|name| json_text(&made.body[name])),
            ["8.32", "1.67", "9.99"]
        );
        assert_eq!(made.text("line_amount_types"), "INCLUSIVE");
    })
    .await;
}

#[tokio::test]
async fn numbers_are_read_and_written_exactly() {
    on_both(async |server| {
        let account = server.account().await;
        let made = account
            .post("/invoices", &invoice(&[("1.5e1", "0.1000", "12.5"), ("3", "0.0333", "0")]))
            .await
            .expect(201);
        let line = &made.body["line_items"][0];
        assert_eq!(
            ["quantity", "unit_amount", "tax_rate", "line_amount", "tax_amount"]
                .map(|name| json_text(&line[name])),
            ["15", "0.10", "12.5", "1.50", "0.19"]
        );
        assert_eq!(json_text(&made.body["line_items"][1]["unit_amount"]), "0.0333");
        let largest = account.post("/invoices", &invoice(&[("1", "999999999999.99", "0")])).await;
        assert_eq!(largest.refused(400, "VALIDATION_ERROR").fields(), ["line_items"]);
        let large = account.post("/invoices", &invoice(&[("1", "999999999999", "0")])).await.expect(201);
        assert_eq!(json_text(&large.body["total"]), "999999999999.00");
        let read = account.get(&format!("/invoices/{}", large.text("id"))).await.expect(200);
        assert_eq!(read.bytes, large.bytes);
    })
    .await;
}

#[tokio::test]
async fn currencies_have_their_own_decimals() {
    on_both(async |server| {
        let account = server.account().await;
        for (code, unit, total) in
            [("jpy", "1000", "1100"), ("BHD", "1.234", "1.357"), ("USD", "10", "11.00")]
        {
            let mut body = invoice(&[("1", unit, "10")]);
            body["currency"] = json!(code);
            let made = account.post("/invoices", &body).await.expect(201);
            assert_eq!(
                (made.text("currency"), json_text(&made.body["total"]).as_str()),
                (code.to_uppercase().as_str(), total)
            );
        }
    })
    .await;
}

#[tokio::test]
async fn the_operator_sets_the_currency_of_invoices_that_name_none() {
    on_both(async |server| {
        let (account, made) = server.account_of(&server.partner(), json!({})).await;
        let id = made["id"].as_str().unwrap();
        assert_eq!(server.command_json(&["account", "set-currency", id, "eur"])["currency"], "EUR");
        let made = account.post("/invoices", &invoice(&[("1", "1", "0")])).await.expect(201);
        assert_eq!(made.text("currency"), "EUR");
    })
    .await;
}
