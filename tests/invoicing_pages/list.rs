//! `/dashboard/invoices` and its export.

use serde_json::json;

use super::Owner;
use crate::test_app::{Browser, on_both};

#[tokio::test]
async fn conditions_and_search_narrow_the_list_and_faulty_ones_are_named() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        let empty = owner.page("/dashboard/invoices").await;
        assert!(empty.contains("Your invoices will be listed here"), "{empty}");
        owner
            .invoice(json!({"invoice_number": "A-1", "reference": "PO 7", "invoice_date": "2020-01-01",
            "due_date": "2020-01-15"}))
            .await;
        let grace = json!({"contact": {"name": "Grace <Hopper>", "email": "grace@example.com"}});
        let draft = json!({"invoice_number": "B-2", "is_draft": true, "contact": grace["contact"]});
        owner.invoice(draft).await;
        for (query, found, missing) in [
            ("", "A-1", "C-3"),
            ("?status=DRAFT", "B-2", "A-1"),
            ("?status=OVERDUE", "A-1", "B-2"),
            ("?number=A-1", "A-1", "B-2"),
            ("?from=2020-01-01&to=2020-01-01", "A-1", "B-2"),
            ("?q=PO+7", "A-1", "B-2"),
            ("?q=hopp", "B-2", "A-1"),
            ("?q=%3Cscript%3E", "No invoices match these filters", "<script>"),
            ("?q=%27%20OR%201%3D1", "No invoices match these filters", "A-1"),
        ] {
            let page = owner.page(&format!("/dashboard/invoices{query}")).await;
            assert!(page.contains(found) && !page.contains(&format!(">{missing}<")), "{query}: {page}");
        }
        let page = owner.page("/dashboard/invoices").await;
        assert!(page.contains("Grace &#60;Hopper&#62;"), "{page}");
        let faulty = "/dashboard/invoices?status=NEW&from=yesterday&contact=1&q=kept";
        let page = owner.browser.get(faulty).await.expect(422).html();
        for text in ["href=\"#status\"", "href=\"#from\"", "contact must be", "value=\"kept\""] {
            assert!(page.contains(text), "{text} in {page}");
        }
        assert!(!page.contains("No invoices match"), "nothing was looked for: {page}");
    })
    .await;
}

#[tokio::test]
async fn pages_are_walked_by_the_cursor_of_the_account() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        for n in 0..27 {
            owner.invoice(json!({"invoice_number": format!("W-{n:02}")})).await;
        }
        let first = owner.page("/dashboard/invoices?status=UNPAID").await;
        assert!(first.contains("W-26") && first.contains("W-02") && !first.contains("W-01"), "{first}");
        let next = first.split("rel=\"next\"").next().unwrap().rsplit("href=\"").next().unwrap();
        let next = next.split('"').next().unwrap().replace("&#38;", "&");
        let second = owner.page(&next).await;
        assert!(second.contains("W-01") && second.contains("W-00") && !second.contains("W-02"), "{second}");
        assert!(second.contains("First page") && !second.contains("Next page"), "{second}");
        let other = Owner::open(&server).await;
        other.browser.get(&next).await.expect(400);
    })
    .await;
}

#[tokio::test]
async fn cursor_that_is_not_of_the_list_leads_back_to_the_list() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        for list in
            ["invoices?q=kept", "contacts?q=kept", "inbox?", "escalations?", "webhooks/deliveries?event="]
        {
            let page = owner.browser.get(&format!("/dashboard/{list}&cursor=x")).await.expect(400);
            let page = page.html();
            let list = list.strip_suffix("event=").unwrap_or(list).trim_end_matches('?');
            let link = format!("/dashboard/{list}\">Open the list</a>");
            for text in ["This link to a page of the list is no longer valid.", &link] {
                assert!(page.contains(text), "{text} in {page}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn export_has_every_invoice_of_the_filter_and_no_formula() {
    on_both(async |server| {
        let owner = Owner::open(&server).await;
        for n in 0..120 {
            owner.invoice(json!({"invoice_number": format!("E-{n:03}")})).await;
        }
        let formula = json!({
            "invoice_number": "@SUM(A1)", "reference": "=HYPERLINK(\"x\")",
            "contact": {"name": "+1, \"Ltd\"", "email": "plus@example.com"},
        });
        owner.invoice(formula).await;
        owner.invoice(json!({"is_draft": true})).await;
        let export = owner.browser.get("/dashboard/invoices/export.csv?status=UNPAID").await.expect(200);
        assert_eq!(export.header("content-type"), "text/csv; charset=utf-8");
        assert!(export.header("content-disposition").starts_with("attachment"));
        assert_eq!(export.header("cache-control"), "no-store");
        let text = export.html();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 121);
        assert_eq!(
            lines[0],
            "id,number,status,contact,invoice_date,due_date,currency,sub_total,tax_total,total,amount_paid,\
             amount_due,reference"
        );
        assert!(lines[1].contains(",'@SUM(A1),UNPAID,\"'+1, \"\"Ltd\"\"\","), "{}", lines[1]);
        assert!(
            lines[1].ends_with(",AUD,100.00,10.00,110.00,0.00,110.00,\"'=HYPERLINK(\"\"x\"\")\""),
            "{}",
            lines[1]
        );
        assert!(lines[121].contains(",E-000,UNPAID,Ada Lovelace,"), "{}", lines[121]);
        owner.browser.get("/dashboard/invoices/export.csv?from=x").await.expect(400);
    })
    .await;
}

#[tokio::test]
async fn without_a_session_pages_lead_to_the_sign_in() {
    on_both(async |server| {
        let browser = Browser::new(&server);
        for path in [
            "/dashboard",
            "/dashboard/invoices",
            "/dashboard/invoices/export.csv",
            "/dashboard/invoices/new",
            "/dashboard/contacts",
        ] {
            let answer = browser.get(path).await.expect(303);
            assert!(answer.header("location").contains("/login?next="), "{}", answer.header("location"));
        }
        let home = browser.get("/").await.expect(303);
        assert!(home.header("location").ends_with("/dashboard"), "{}", home.header("location"));
    })
    .await;
}
