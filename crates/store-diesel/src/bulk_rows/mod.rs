//! Rows as JSON, for loading in bulk: an array of arrays, each with a table's columns in their order.

mod json;
mod tables;

use access::NewKey;
use contacts::Contact;
use invoices::Invoice;
use kernel::StoreError;
use partner_accounts::Account;

use crate::rows::{AccountKeyRow, AccountRow, ContactRow, InvoiceRow, LineItemRow, LoginRow, PaymentRow};
pub(crate) use json::JsonRows;

pub(crate) use tables::{ACCOUNTS, BulkTable, CONTACTS, INVOICES, KEYS, Kind, LINES, LOGINS, PAYMENTS};

pub(crate) fn contacts(contacts: &[Contact]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for row in contacts.iter().map(ContactRow::from) {
        rows.push(&[
            &row.account_id,
            &row.id,
            &row.name,
            &row.email,
            &row.email_key,
            &row.phone,
            &row.external_id,
            &row.address,
            &row.created_at,
            &row.updated_at,
        ])?;
    }
    Ok(rows.finish())
}

pub(crate) fn invoices(invoices: &[Invoice]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for row in invoices.iter().map(InvoiceRow::from) {
        let columns = &row.columns;
        rows.push(&[
            &columns.account_id,
            &columns.id,
            &row.number,
            &columns.status,
            &columns.contact_id,
            &columns.contact,
            &columns.invoice_date,
            &columns.due_date,
            &columns.currency,
            &columns.line_amount_types,
            &columns.sub_total,
            &columns.tax_total,
            &columns.total,
            &columns.amount_paid,
            &columns.reference,
            &columns.notes,
            &columns.staff,
            &columns.last_sent_at,
            &columns.send_count,
            &columns.pay_token,
            &columns.ledger_invoice_id,
            &columns.created_at,
            &columns.updated_at,
            &columns.status_changes_on,
        ])?;
    }
    Ok(rows.finish())
}

pub(crate) fn lines(invoices: &[Invoice]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for row in invoices.iter().flat_map(LineItemRow::of) {
        rows.push(&[
            &row.account_id,
            &row.invoice_id,
            &row.position,
            &row.id,
            &row.description,
            &row.quantity,
            &row.unit_amount,
            &row.tax_rate,
            &row.tax_type,
            &row.tax_amount,
            &row.line_amount,
        ])?;
    }
    Ok(rows.finish())
}

pub(crate) fn payments(invoices: &[Invoice]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for row in invoices.iter().flat_map(PaymentRow::of) {
        rows.push(&[
            &row.account_id,
            &row.invoice_id,
            &row.id,
            &row.amount,
            &row.received_at,
            &row.method,
            &row.reference,
            &row.recorded_by,
        ])?;
    }
    Ok(rows.finish())
}

pub(crate) fn accounts(accounts: &[(Account, NewKey)]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for row in accounts.iter().map(|(account, _)| AccountRow::from(account)) {
        rows.push(&[
            &row.id,
            &row.partner_id,
            &row.external_id,
            &row.company_name,
            &row.first_name,
            &row.last_name,
            &row.phone,
            &row.abn,
            &row.time_zone,
            &row.address_line1,
            &row.address_city,
            &row.address_state,
            &row.address_postal_code,
            &row.address_country,
            &row.invoice_prefix,
            &row.payment_slug,
            &row.brand_color,
            &row.communications_enabled,
            &row.currency,
            &row.monthly_invoice_limit,
            &row.disabled_by_partner,
            &row.disabled_by_operator,
            &row.logo_key,
            &row.created_at,
            &row.updated_at,
        ])?;
    }
    Ok(rows.finish())
}

pub(crate) fn logins(accounts: &[(Account, NewKey)]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for row in accounts.iter().map(|(account, _)| LoginRow::from(account)) {
        rows.push(&[&row.account_id, &row.id, &row.email, &row.email_key, &row.created_at])?;
    }
    Ok(rows.finish())
}

pub(crate) fn keys(accounts: &[(Account, NewKey)]) -> Result<String, StoreError> {
    let mut rows = JsonRows::default();
    for (account, key) in accounts {
        let row = AccountKeyRow::new(account.id.into(), key);
        rows.push(&[&row.account_id, &row.id, &row.hash, &row.prefix, &row.last_four, &row.created_at])?;
    }
    Ok(rows.finish())
}
