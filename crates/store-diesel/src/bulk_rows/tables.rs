//! The tables that are loaded in bulk, and what the database is to make of each value.

/// How a value stands in the JSON, and what the database is to make of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// 32 hexadecimal digits.
    Uid,
    /// Whole microseconds since 1970.
    Instant,
    /// `YYYY-MM-DD`.
    Day,
    /// Text.
    Text,
    /// A whole number.
    Int,
    /// 0 or 1.
    Bool,
    /// Hexadecimal digits.
    Bytes,
}

/// A table that is loaded in bulk.
pub(crate) struct BulkTable {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
}

use Kind::{Bool, Bytes, Day, Instant, Int, Text, Uid};

pub(crate) const CONTACTS: BulkTable = BulkTable {
    name: "contacts",
    columns: &[
        ("account_id", Uid),
        ("id", Uid),
        ("name", Text),
        ("email", Text),
        ("email_key", Text),
        ("phone", Text),
        ("external_id", Text),
        ("address", Text),
        ("created_at", Instant),
        ("updated_at", Instant),
    ],
};

pub(crate) const INVOICES: BulkTable = BulkTable {
    name: "invoices",
    columns: &[
        ("account_id", Uid),
        ("id", Uid),
        ("number", Text),
        ("status", Text),
        ("contact_id", Uid),
        ("contact", Text),
        ("invoice_date", Day),
        ("due_date", Day),
        ("currency", Text),
        ("line_amount_types", Text),
        ("sub_total", Int),
        ("tax_total", Int),
        ("total", Int),
        ("amount_paid", Int),
        ("reference", Text),
        ("notes", Text),
        ("staff", Text),
        ("last_sent_at", Instant),
        ("send_count", Int),
        ("pay_token", Text),
        ("ledger_invoice_id", Text),
        ("created_at", Instant),
        ("updated_at", Instant),
        ("status_changes_on", Day),
    ],
};

pub(crate) const LINES: BulkTable = BulkTable {
    name: "line_items",
    columns: &[
        ("account_id", Uid),
        ("invoice_id", Uid),
        ("position", Int),
        ("id", Uid),
        ("description", Text),
        ("quantity", Int),
        ("unit_amount", Int),
        ("tax_rate", Int),
        ("tax_type", Text),
        ("tax_amount", Int),
        ("line_amount", Int),
    ],
};

pub(crate) const PAYMENTS: BulkTable = BulkTable {
    name: "payments",
    columns: &[
        ("account_id", Uid),
        ("invoice_id", Uid),
        ("id", Uid),
        ("amount", Int),
        ("received_at", Instant),
        ("method", Text),
        ("reference", Text),
        ("recorded_by", Text),
    ],
};

pub(crate) const ACCOUNTS: BulkTable = BulkTable {
    name: "accounts",
    columns: &[
        ("id", Uid),
        ("partner_id", Uid),
        ("external_id", Text),
        ("company_name", Text),
        ("first_name", Text),
        ("last_name", Text),
        ("phone", Text),
        ("abn", Text),
        ("time_zone", Text),
        ("address_line1", Text),
        ("address_city", Text),
        ("address_state", Text),
        ("address_postal_code", Text),
        ("address_country", Text),
        ("invoice_prefix", Text),
        ("payment_slug", Text),
        ("brand_color", Text),
        ("communications_enabled", Bool),
        ("currency", Text),
        ("monthly_invoice_limit", Int),
        ("disabled_by_partner", Bool),
        ("disabled_by_operator", Bool),
        ("logo_key", Text),
        ("created_at", Instant),
        ("updated_at", Instant),
    ],
};

pub(crate) const LOGINS: BulkTable = BulkTable {
    name: "logins",
    columns: &[
        ("account_id", Uid),
        ("id", Uid),
        ("email", Text),
        ("email_key", Text),
        ("created_at", Instant),
    ],
};

pub(crate) const KEYS: BulkTable = BulkTable {
    name: "account_keys",
    columns: &[
        ("account_id", Uid),
        ("id", Uid),
        ("hash", Bytes),
        ("prefix", Text),
        ("last_four", Text),
        ("created_at", Instant),
    ],
};
