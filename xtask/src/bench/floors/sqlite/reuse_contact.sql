SELECT k.id, a.id, a.time_zone, a.currency, a.invoice_prefix, a.communications_enabled, a.monthly_invoice_limit, a.disabled_by_partner, a.disabled_by_operator
    FROM account_keys AS k JOIN accounts AS a ON a.id = k.account_id WHERE k.hash = :hash AND k.revoked_at IS NULL;
SELECT * FROM contacts WHERE account_id = :account AND email_key = :wanted;
