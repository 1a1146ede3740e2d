//! The placement of each table. Every new table must be listed here: a test compares the list with the
//! store's `schema.rs`.

/// The placement of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// Divided into shards by `account_id`: all shards of one account are on one server.
    ByAccount,
    /// Complete on every server: a small table that is read before the account is known, or joined with the
    /// tables of any account.
    Everywhere,
}

impl Placement {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ByAccount => "by account",
            Self::Everywhere => "everywhere",
        }
    }
}

/// All tables. A test finds missing ones.
pub(crate) const TABLES: [(&str, Placement); 52] = {
    use Placement::{ByAccount, Everywhere};
    [
        ("__diesel_schema_migrations", Everywhere),
        ("account_keys", Everywhere),
        ("accounts", Everywhere),
        ("gateway_accounts", Everywhere),
        ("inbound_messages", Everywhere),
        ("invitations", Everywhere),
        ("logins", Everywhere),
        ("logo_removals", Everywhere),
        ("partner_keys", Everywhere),
        ("partners", Everywhere),
        ("reset_requests", Everywhere),
        ("service_metadata", Everywhere),
        ("webhook_endpoints", Everywhere),
        // The others are colocated with the first of these.
        ("invoices", ByAccount),
        ("address_holds", ByAccount),
        ("audit_entries", ByAccount),
        ("bank_details", ByAccount),
        ("bulk_replays", ByAccount),
        ("charge_reversals", ByAccount),
        ("charges", ByAccount),
        ("contact_consents", ByAccount),
        ("contact_preferences", ByAccount),
        ("contact_words", ByAccount),
        ("contacts", ByAccount),
        ("escalations", ByAccount),
        ("events", ByAccount),
        ("form_submissions", ByAccount),
        ("gateway_events", ByAccount),
        ("idempotency_keys", ByAccount),
        ("invoice_sequences", ByAccount),
        ("jobs", ByAccount),
        ("known_browsers", ByAccount),
        ("line_items", ByAccount),
        ("message_invoices", ByAccount),
        ("messages", ByAccount),
        ("page_views", ByAccount),
        ("password_resets", ByAccount),
        ("payment_intents", ByAccount),
        ("payment_settings", ByAccount),
        ("payments", ByAccount),
        ("promises", ByAccount),
        ("quarantine_candidates", ByAccount),
        ("recovery_codes", ByAccount),
        ("reminder_pauses", ByAccount),
        ("reminder_policies", ByAccount),
        ("reminder_steps", ByAccount),
        ("replaced_pay_tokens", ByAccount),
        ("sandbox_checkouts", ByAccount),
        ("sessions", ByAccount),
        ("unread_notices", ByAccount),
        ("webhook_attempts", ByAccount),
        ("webhook_deliveries", ByAccount),
    ]
};

/// The table with which the other distributed tables are colocated.
pub(crate) const FIRST: &str = "invoices";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TABLES;

    /// Every new table must declare its placement on a cluster.
    #[test]
    fn every_table_of_the_schema_has_its_place() {
        let schema = include_str!("../../store-schema/src/schema.rs");
        let is_opening = |line: &&str| line.ends_with(") {") && line.starts_with("    ");
        let mut tables: BTreeSet<&str> = schema
            .lines()
            .filter(is_opening)
            .filter_map(|line| Some(line.trim().split_once(" (")?.0))
            .collect();
        assert!(tables.remove("applied_migrations"), "diesel's own table has another name in SQL");
        tables.insert("__diesel_schema_migrations");
        let placed: BTreeSet<&str> = TABLES.iter().map(|(name, _)| *name).collect();
        assert_eq!(placed, tables, "TABLES says of each table of the store's schema.rs where it is");
        assert_eq!(placed.len(), TABLES.len());
    }
}
