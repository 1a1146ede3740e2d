//! The schema of both databases, as `migrations/` creates it.

diesel::table! {
    use diesel::sql_types::{Bool, Text};
    use crate::types::{Instant, Uid};

    partners (id) {
        id -> Uid,
        name -> Text,
        disabled -> Bool,
        created_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::types::{Instant, Uid};

    partner_keys (partner_id, id) {
        partner_id -> Uid,
        id -> Uid,
        hash -> Binary,
        prefix -> Text,
        last_four -> Text,
        created_at -> Instant,
        revoked_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Integer, Nullable, SmallInt, Text};
    use crate::types::{Instant, Uid};

    accounts (id) {
        id -> Uid,
        partner_id -> Uid,
        external_id -> Nullable<Text>,
        company_name -> Text,
        first_name -> Nullable<Text>,
        last_name -> Nullable<Text>,
        phone -> Nullable<Text>,
        abn -> Nullable<Text>,
        time_zone -> Text,
        address_line1 -> Nullable<Text>,
        address_city -> Nullable<Text>,
        address_state -> Nullable<Text>,
        address_postal_code -> Nullable<Text>,
        address_country -> Nullable<Text>,
        invoice_prefix -> Nullable<Text>,
        payment_slug -> Text,
        brand_color -> Nullable<Text>,
        communications_enabled -> Bool,
        currency -> Text,
        monthly_invoice_limit -> Nullable<BigInt>,
        disabled_by_partner -> Bool,
        disabled_by_operator -> Bool,
        logo_key -> Nullable<Text>,
        created_at -> Instant,
        updated_at -> Instant,
        silenced_notices -> SmallInt,
        promise_days -> Integer,
        monthly_message_limit -> Nullable<BigInt>,
    }
}

diesel::table! {
    use diesel::sql_types::{Integer, Text};
    use crate::types::Instant;

    logo_removals (logo_key) {
        logo_key -> Text,
        due_at -> Instant,
        attempts -> Integer,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::types::{Instant, Uid};

    logins (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        email -> Text,
        email_key -> Text,
        password_hash -> Nullable<Text>,
        created_at -> Instant,
        totp_secret -> Nullable<Binary>,
        totp_since -> Nullable<Instant>,
        totp_last_step -> Nullable<BigInt>,
        totp_proposed -> Nullable<Binary>,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Bool, Text};
    use crate::types::{Instant, Uid};

    sessions (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        login_id -> Uid,
        token_hash -> Binary,
        created_at -> Instant,
        last_seen_at -> Instant,
        authenticated_at -> Instant,
        awaits_code -> Bool,
        address -> Text,
        browser -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable};
    use crate::types::{Instant, Uid};

    password_resets (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        login_id -> Uid,
        token_hash -> Binary,
        created_at -> Instant,
        expires_at -> Instant,
        used_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::Text;
    use crate::types::{Instant, Uid};

    reset_requests (id) {
        id -> Uid,
        email -> Text,
        requested_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable};
    use crate::types::{Instant, Uid};

    bulk_replays (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        abandoned_since -> Instant,
        requested_at -> Instant,
        total -> BigInt,
        made -> BigInt,
        finished_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::Binary;
    use crate::types::Uid;

    recovery_codes (account_id, login_id, code_hash) {
        account_id -> Uid,
        login_id -> Uid,
        code_hash -> Binary,
    }
}

diesel::table! {
    use diesel::sql_types::Text;
    use crate::types::{Instant, Uid};

    known_browsers (account_id, login_id, name) {
        account_id -> Uid,
        login_id -> Uid,
        name -> Text,
        first_seen_at -> Instant,
        last_seen_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{Nullable, Text};
    use crate::types::{Instant, Uid};

    audit_entries (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        at -> Instant,
        actor -> Text,
        address -> Nullable<Text>,
        action -> Text,
        state_before -> Nullable<Text>,
        state_after -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable};
    use crate::types::{Instant, Uid};

    invitations (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        login_id -> Uid,
        token_hash -> Binary,
        created_at -> Instant,
        expires_at -> Instant,
        used_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::types::{Instant, Uid};

    account_keys (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        hash -> Binary,
        prefix -> Text,
        last_four -> Text,
        created_at -> Instant,
        revoked_at -> Nullable<Instant>,
        last_used_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{Nullable, Text};
    use crate::types::{Instant, Uid};

    contacts (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        name -> Text,
        email -> Nullable<Text>,
        email_key -> Nullable<Text>,
        phone -> Nullable<Text>,
        external_id -> Nullable<Text>,
        address -> Nullable<Text>,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::Text;
    use crate::types::Uid;

    contact_words (account_id, contact_id, word) {
        account_id -> Uid,
        contact_id -> Uid,
        word -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::types::{Day, Instant, Uid};

    invoices (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        number -> Text,
        status -> Text,
        contact_id -> Nullable<Uid>,
        contact -> Nullable<Text>,
        invoice_date -> Day,
        due_date -> Day,
        currency -> Text,
        line_amount_types -> Text,
        sub_total -> BigInt,
        tax_total -> BigInt,
        total -> BigInt,
        amount_paid -> BigInt,
        reference -> Nullable<Text>,
        notes -> Nullable<Text>,
        staff -> Nullable<Text>,
        last_sent_at -> Nullable<Instant>,
        send_count -> BigInt,
        pay_token -> Text,
        ledger_invoice_id -> Nullable<Text>,
        status_changes_on -> Nullable<Day>,
        created_at -> Instant,
        updated_at -> Instant,
        cancelled_at -> Nullable<Instant>,
        issued_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::types::{Instant, Uid};

    jobs (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        kind -> Text,
        resource_id -> Nullable<Uid>,
        to_customer -> Bool,
        payload -> Nullable<Text>,
        letterhead -> Nullable<Text>,
        queued_at -> Instant,
        state -> Text,
        attempts -> BigInt,
        due_at -> Instant,
        finished_at -> Nullable<Instant>,
        last_error -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::Text;
    use crate::types::{Instant, Uid};

    events (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        kind -> Text,
        resource_id -> Uid,
        body -> Text,
        happened_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{Nullable, Text};
    use crate::types::{Instant, Uid};

    escalations (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        invoice_id -> Nullable<Uid>,
        contact_id -> Nullable<Uid>,
        escalation_type -> Text,
        priority -> Text,
        trigger_channel -> Text,
        customer_statement -> Text,
        resolution_outcome -> Nullable<Text>,
        resolution_notes -> Nullable<Text>,
        resolved_at -> Nullable<Instant>,
        created_at -> Instant,
        updated_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Bool, Nullable, SmallInt, Text};
    use crate::types::{Instant, Uid};

    webhook_endpoints (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        url -> Text,
        secret -> Nullable<Binary>,
        events -> SmallInt,
        enabled -> Bool,
        provisioned -> Bool,
        created_at -> Instant,
        updated_at -> Instant,
        deleted_at -> Nullable<Instant>,
        abandoned_mailed_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::types::{Instant, Uid};

    webhook_deliveries (account_id, event_id, id) {
        account_id -> Uid,
        event_id -> Uid,
        id -> Uid,
        endpoint_id -> Uid,
        state -> Text,
        attempts -> BigInt,
        due_at -> Instant,
        created_at -> Instant,
        finished_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::types::{Instant, Uid};

    webhook_attempts (account_id, delivery_id, number) {
        account_id -> Uid,
        delivery_id -> Uid,
        number -> BigInt,
        attempted_at -> Instant,
        response_status -> Nullable<Integer>,
        response_body -> Nullable<Text>,
        error -> Nullable<Text>,
        duration_ms -> Nullable<Integer>,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::types::Uid;

    line_items (account_id, invoice_id, position) {
        account_id -> Uid,
        invoice_id -> Uid,
        position -> Integer,
        id -> Uid,
        description -> Text,
        quantity -> BigInt,
        unit_amount -> BigInt,
        tax_rate -> BigInt,
        tax_type -> Nullable<Text>,
        tax_amount -> BigInt,
        line_amount -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::types::{Instant, Uid};

    payments (account_id, invoice_id, id) {
        account_id -> Uid,
        invoice_id -> Uid,
        id -> Uid,
        amount -> BigInt,
        received_at -> Instant,
        method -> Text,
        reference -> Nullable<Text>,
        recorded_by -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{Bool, Nullable, Text};
    use crate::types::{Day, Instant, Uid};

    promises (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        invoice_id -> Uid,
        promised_on -> Day,
        made_by -> Text,
        message_id -> Nullable<Uid>,
        is_replacement -> Bool,
        made_at -> Instant,
        superseded_at -> Nullable<Instant>,
        withdrawn_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::Text;
    use crate::types::{Instant, Uid};

    replaced_pay_tokens (account_id, pay_token) {
        account_id -> Uid,
        pay_token -> Text,
        invoice_id -> Uid,
        replaced_at -> Instant,
    }
}

diesel::table! {
    use crate::types::{Day, Instant, Uid};

    page_views (account_id, invoice_id, viewed_on) {
        account_id -> Uid,
        invoice_id -> Uid,
        viewed_on -> Day,
        first_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::types::{Instant, Uid};

    bank_details (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        currency -> Text,
        details -> Text,
        entered_at -> Instant,
        in_force_at -> Instant,
        undo_token_hash -> Binary,
        withdrawn_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::BigInt;
    use crate::types::Uid;

    invoice_sequences (account_id) {
        account_id -> Uid,
        next -> BigInt,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Integer, Text};
    use crate::types::{Instant, Uid};

    idempotency_keys (account_id, operation, key) {
        account_id -> Uid,
        operation -> Text,
        key -> Text,
        fingerprint -> Binary,
        status -> Integer,
        body -> Binary,
        stored_at -> Instant,
    }
}

diesel::table! {
    use crate::types::{Instant, Uid};
    use diesel::sql_types::{Binary, Nullable, Text};

    form_submissions (account_id, token) {
        account_id -> Uid,
        token -> Uid,
        fingerprint -> Binary,
        result -> Nullable<Text>,
        begun_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Text};

    service_metadata (name) {
        name -> Text,
        value -> Binary,
    }
}

diesel::table! {
    use diesel::sql_types::Text;

    /// The applied migrations, in diesel's own table.
    #[sql_name = "__diesel_schema_migrations"]
    applied_migrations (version) {
        version -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::types::{Instant, Uid};

    gateway_accounts (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        kind -> Text,
        secret_key -> Binary,
        next_key -> Nullable<Binary>,
        next_key_in_force_at -> Nullable<Instant>,
        undo_token_hash -> Nullable<Binary>,
        key_entered_at -> Nullable<Instant>,
        key_undone_at -> Nullable<Instant>,
        earlier_undo_token_hash -> Nullable<Binary>,
        earlier_key_entered_at -> Nullable<Instant>,
        webhook_secret -> Nullable<Binary>,
        connected_at -> Instant,
        disconnected_at -> Nullable<Instant>,
        listed_until -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{SmallInt, Text};
    use crate::types::Uid;

    payment_settings (account_id) {
        account_id -> Uid,
        minimum_percent -> SmallInt,
        unapplied -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Nullable, Text};
    use crate::types::{Instant, Uid};

    payment_intents (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        invoice_id -> Uid,
        gateway_account_id -> Uid,
        amount -> BigInt,
        currency -> Text,
        state -> Text,
        checkout_id -> Nullable<Text>,
        checkout_url -> Nullable<Text>,
        opened_with -> Nullable<Binary>,
        pay_token -> Text,
        created_at -> Instant,
        expires_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Bool, Nullable, Text};
    use crate::types::{Instant, Uid};

    charges (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        gateway_account_id -> Uid,
        gateway_id -> Text,
        intent_id -> Uid,
        invoice_id -> Uid,
        state -> Text,
        amount -> BigInt,
        currency -> Text,
        method -> Text,
        captured_at -> Instant,
        applied -> BigInt,
        payment_id -> Nullable<Uid>,
        keeps_unapplied -> Bool,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::types::{Instant, Uid};

    charge_reversals (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        charge_id -> Uid,
        reason -> Text,
        amount -> BigInt,
        currency -> Text,
        state -> Text,
        gateway_refund_key -> Uid,
        gateway_id -> Nullable<Text>,
        created_at -> Instant,
        succeeded_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::Text;
    use crate::types::{Instant, Uid};

    gateway_events (account_id, gateway_account_id, event_id) {
        account_id -> Uid,
        gateway_account_id -> Uid,
        event_id -> Text,
        received_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::Text;
    use crate::types::{Instant, Uid};

    sandbox_checkouts (account_id, id) {
        account_id -> Uid,
        id -> Text,
        content -> Text,
        written_at -> Instant,
    }
}

diesel::table! {
    use diesel::sql_types::Nullable;
    use crate::types::{Instant, Uid};

    contact_preferences (account_id, contact_id) {
        account_id -> Uid,
        contact_id -> Uid,
        erased_at -> Nullable<Instant>,
    }
}

diesel::table! {
    use diesel::sql_types::{Bool, Text};
    use crate::types::{Instant, Uid};

    contact_consents (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        contact_id -> Uid,
        channel -> Text,
        is_given -> Bool,
        recorded_at -> Instant,
        how -> Text,
        recorded_by -> Text,
    }
}

diesel::table! {
    use diesel::sql_types::{Nullable, Text};
    use crate::types::{Instant, Uid};

    address_holds (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        channel -> Text,
        address -> Text,
        reason -> Text,
        closed_at -> Instant,
        evidence -> Text,
        reopened_at -> Nullable<Instant>,
        reopened_because -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::{Bool, Nullable, Text};
    use crate::types::{Day, Instant, Uid};

    reminder_policies (account_id) {
        account_id -> Uid,
        started_at -> Nullable<Instant>,
        started_on -> Nullable<Day>,
        steps -> Text,
        backlog -> Bool,
        holidays -> Text,
        language_model_host -> Nullable<Text>,
        added_steps -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::Nullable;
    use crate::types::{Day, Uid};

    reminder_pauses (account_id, invoice_id) {
        account_id -> Uid,
        invoice_id -> Uid,
        until -> Nullable<Day>,
    }
}

diesel::table! {
    use diesel::sql_types::{Binary, Bool, Integer, Nullable, Text};
    use crate::types::{Instant, Uid};

    messages (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        contact_id -> Nullable<Uid>,
        invoice_id -> Nullable<Uid>,
        channel -> Text,
        direction -> Text,
        purpose -> Nullable<Text>,
        state -> Text,
        address -> Text,
        subject -> Nullable<Text>,
        text -> Text,
        written_at -> Instant,
        began_at -> Nullable<Instant>,
        state_at -> Instant,
        provider_id -> Nullable<Text>,
        internet_id -> Nullable<Text>,
        in_reply_to -> Nullable<Text>,
        reply_token -> Nullable<Text>,
        detail -> Nullable<Text>,
        attachments -> Integer,
        understood -> Nullable<Text>,
        is_unread -> Bool,
        content_digest -> Nullable<Binary>,
        text_removed_at -> Nullable<Instant>,
        classified_by -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::Nullable;
    use crate::types::{Instant, Uid};

    unread_notices (account_id) {
        account_id -> Uid,
        notified_until -> Nullable<Instant>,
    }
}

diesel::table! {
    use crate::types::Uid;

    message_invoices (account_id, message_id, invoice_id) {
        account_id -> Uid,
        message_id -> Uid,
        invoice_id -> Uid,
    }
}

diesel::table! {
    use diesel::sql_types::{Bool, Nullable, SmallInt, Text};
    use crate::types::{Instant, Uid};

    reminder_steps (account_id, id) {
        account_id -> Uid,
        id -> Uid,
        invoice_id -> Uid,
        contact_id -> Uid,
        days -> SmallInt,
        channel -> Text,
        due_at -> Instant,
        decided_at -> Instant,
        decision -> Text,
        reason -> Nullable<Text>,
        message_id -> Nullable<Uid>,
        is_latest -> Bool,
    }
}

diesel::table! {
    use diesel::sql_types::{BigInt, Binary, Integer, Nullable, Text};
    use crate::types::{Instant, Uid};

    inbound_messages (id) {
        id -> Uid,
        key -> Text,
        channel -> Text,
        sender -> Nullable<Text>,
        content -> Nullable<Binary>,
        received_at -> Instant,
        state -> Text,
        due_at -> Instant,
        attempts -> BigInt,
        account_id -> Nullable<Uid>,
        message_id -> Nullable<Uid>,
        detail -> Nullable<Text>,
        attachments -> Nullable<Integer>,
        keyword -> Nullable<Text>,
    }
}

diesel::table! {
    use diesel::sql_types::Nullable;
    use crate::types::Uid;

    quarantine_candidates (account_id, inbound_id) {
        account_id -> Uid,
        inbound_id -> Uid,
        contact_id -> Nullable<Uid>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(
    partners, partner_keys, accounts, logins, sessions, account_keys, contacts, contact_words, invoices,
    events, webhook_endpoints, webhook_deliveries, replaced_pay_tokens, payment_intents, charges,
    charge_reversals, contact_preferences, jobs, messages, message_invoices, inbound_messages,
    quarantine_candidates, reminder_steps,
);
