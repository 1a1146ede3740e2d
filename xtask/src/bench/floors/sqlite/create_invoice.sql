SELECT k.id, a.id, a.time_zone, a.currency, a.invoice_prefix, a.communications_enabled, a.monthly_invoice_limit, a.disabled_by_partner, a.disabled_by_operator
    FROM account_keys AS k JOIN accounts AS a ON a.id = k.account_id WHERE k.hash = :hash AND k.revoked_at IS NULL;
BEGIN IMMEDIATE;
SELECT fingerprint, status, body FROM idempotency_keys WHERE account_id = :account AND operation = 'POST /invoices' AND key = :text;
SELECT * FROM contacts WHERE account_id = :account AND email_key = :wanted;
INSERT INTO invoice_sequences (account_id, next) VALUES (:account, 2)
    ON CONFLICT (account_id) DO UPDATE SET next = invoice_sequences.next + 1 RETURNING next;
INSERT INTO invoices (account_id, id, number, status, contact_id, contact, invoice_date, due_date, currency, line_amount_types,
    sub_total, tax_total, total, amount_paid, send_count, pay_token, created_at, updated_at, status_changes_on)
    SELECT account_id, :id, :text, 'UNPAID', id, json_object('id', hex(id), 'name', name, 'email', email), '2026-11-20', '2026-12-04', 'AUD', 'EXCLUSIVE',
        7018, 1053, 8071, 0, 0, :text, :now, :now, '2026-12-05'
    FROM contacts WHERE account_id = :account AND email_key = :wanted;
INSERT INTO line_items (account_id, invoice_id, position, id, description, quantity, unit_amount, tax_rate, tax_amount, line_amount)
    VALUES (:account, :id, 0, :id, 'Analytical engine, rent', 30000, 250600, 150000, 1128, 7518);
INSERT INTO line_items (account_id, invoice_id, position, id, description, quantity, unit_amount, tax_rate, tax_amount, line_amount)
    VALUES (:account, :id, 1, :id, 'Analytical engine, rent', 30000, 250600, 150000, 1128, 7518);
INSERT INTO line_items (account_id, invoice_id, position, id, description, quantity, unit_amount, tax_rate, tax_amount, line_amount)
    VALUES (:account, :id, 2, :id, 'Analytical engine, rent', 30000, 250600, 150000, 1128, 7518);
INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, status, body)
    VALUES (:account, 'POST /invoices', :text, zeroblob(32), 201, CAST(:answer AS blob));
COMMIT;
