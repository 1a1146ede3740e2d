//! Reading rows with values that the input rules would refuse, and rows that cannot be read.

use kernel::StoreError;
use store_diesel::DatabaseKind;

use crate::database::on_both;
use crate::escalations::raised;
use crate::fixtures::{
    OPERATOR, input, new_account, partner, stored, stored_contact, stored_invoice, tenant,
};
use crate::webhook_deliveries::register;

/// Longer than the input of any column may be.
const LONG: usize = 9_000;

#[test]
fn values_that_input_rules_refuse_are_read_as_stored() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        let id = account.id;
        let secret = stored(store, partner, &account).await;
        let contact = stored_contact(store, id).await;
        let endpoint = register(store, id).await;
        let escalation = raised(store, id).await;
        let long = "x".repeat(LONG);
        db.execute(&format!(
            "UPDATE partners SET name = '{long}'; \
                 UPDATE accounts SET currency = 'HRK', company_name = '{long}', time_zone = 'Mars/Olympus', \
                 brand_color = 'red', external_id = ' ', invoice_prefix = '{long}', logo_key = 'logo.gif'; \
                 UPDATE logins SET email = 'no address', email_key = 'no address'; \
                 UPDATE contacts SET name = ' ', phone = '{long}', address = '{{\"city\": \"{long}\"}}'; \
                 UPDATE webhook_endpoints SET url = 'http://plain.example/{long}'; \
                 UPDATE escalations SET customer_statement = ' '"
        ))
        .await;
        assert_eq!(store.operator.partners(OPERATOR).await.unwrap()[0].name.as_str(), long);
        let read = store.account_reads.get(partner, id).await.unwrap().unwrap();
        assert_eq!((read.currency.code(), read.currency.decimals()), ("HRK", 2));
        let profile = &read.profile;
        assert_eq!(profile.company_name.as_str(), long);
        assert_eq!(profile.time_zone.name(), "Mars/Olympus");
        assert_eq!(profile.brand_color.as_ref().unwrap().as_str(), "red");
        assert_eq!(read.email.as_str(), "no address");
        assert_eq!(read.logo.unwrap().as_str(), "logo.gif");
        let found = store.credentials.account_key(&secret.hash()).await.unwrap();
        assert_eq!(found.unwrap().scope.time_zone.name(), "Mars/Olympus");
        let read = store.contact_reads.get(id, contact.id).await.unwrap().unwrap();
        assert_eq!(read.name.as_str(), " ");
        assert_eq!(read.address.unwrap().city.unwrap().as_str(), long);
        let read = store.endpoints.list(id).await.unwrap().unwrap();
        assert_eq!(read[0].id, endpoint.id);
        assert!(read[0].url.as_str().starts_with("http://plain.example/"));
        let read = store.escalation_reads.get(id, escalation.id).await.unwrap();
        assert_eq!(read.unwrap().statement.as_str(), " ");
    });
}

#[test]
fn invoice_with_values_that_input_rules_refuse_is_read_as_stored() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let one = stored_invoice(store, &scope, "N", Some(contact), input(1)).await;
        let long = "x".repeat(LONG);
        let early = match store.upkeep.kind() {
            DatabaseKind::Postgres => "DATE '1066-10-14'",
            DatabaseKind::Sqlite => "'1066-10-14'",
        };
        db
            .execute(&format!(
                "UPDATE invoices SET currency = 'HRK', reference = '{long}', notes = ' ', staff = 'a\nb', number = '{long}', \
                 invoice_date = {early}, contact = '{{\"name\": \" \"}}'; \
                 UPDATE line_items SET tax_type = '', description = '{long}'"
            ))
            .await;
        let read = store.invoice_reads.get(scope.id, one.id).await.unwrap().unwrap();
        assert_eq!((read.currency.code(), read.currency.decimals()), ("HRK", 2));
        assert_eq!(read.texts.reference.as_ref().unwrap().as_str(), long);
        assert_eq!(read.texts.staff.as_ref().unwrap().as_str(), "a\nb");
        assert_eq!(read.invoice_date.year(), 1066);
        assert_eq!(read.contact.as_ref().unwrap().name.as_str(), " ");
        assert_eq!(read.lines[0].description.as_str(), long);
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        assert_eq!(tx.invoices().lock(one.id).await.unwrap(), Some(read));
    });
}

#[test]
fn unreadable_row_is_reported_by_table_and_id_without_its_content() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let one = stored_invoice(store, &scope, "N", Some(contact.clone()), input(1)).await;
        for update in
            ["currency = 'QQQ'", "currency = 'AUD', contact = '{\"name\": \"hidden\", \"phone\": 7}'"]
        {
            db.execute(&format!("UPDATE invoices SET {update}")).await;
            let error = store.invoice_reads.get(scope.id, one.id).await.unwrap_err();
            assert!(matches!(error, StoreError::Inconsistent { table: "invoices", .. }), "{error:?}");
            assert!(!error.to_string().contains("hidden"), "{error}");
        }
        db.execute("UPDATE contacts SET address = '[]'").await;
        let error = store.contact_reads.get(scope.id, contact.id).await.unwrap_err();
        let row = format!("row {} of table contacts", contact.id);
        assert!(error.to_string().starts_with(&row), "{error}");
    });
}
