-- POST /invoices with a new contact: it is looked for in vain and inserted.
\set n random(:first, :last)
\set key random(1, 9000000000000000000)
SELECT k.id AS key_id, a.id AS account, a.time_zone, a.currency, a.communications_enabled, a.disabled_by_partner, a.disabled_by_operator,
        b.email AS email, b.invoice AS invoice
    FROM bench_accounts AS b JOIN account_keys AS k ON k.hash = b.hash JOIN accounts AS a ON a.id = k.account_id
    WHERE b.n = :n AND k.revoked_at IS NULL \gset
\startpipeline
BEGIN;
SELECT pg_try_advisory_xact_lock(hashtextextended(:account || ' POST /invoices ' || :key, 0)) AS held, stored.fingerprint, stored.status, stored.body
    FROM (SELECT 1) AS one LEFT JOIN idempotency_keys AS stored
    ON stored.account_id = :account::uuid AND stored.operation = 'POST /invoices' AND stored.key = 'floor-' || :key::text;
\endpipeline
SELECT count(*) AS found FROM contacts WHERE account_id = :account::uuid AND email_key = 'floor-' || :key::text || '@example.com' \gset
INSERT INTO contacts (account_id, id, name, email, email_key, created_at, updated_at)
    VALUES (:account::uuid, bench_id(), 'Grace Hopper', 'floor-' || :key::text || '@example.com', 'floor-' || :key::text || '@example.com', now(), now())
    ON CONFLICT DO NOTHING
    RETURNING id AS contact, json_build_object('id', id, 'name', name, 'email', email)::text AS snapshot \gset
INSERT INTO invoice_sequences (account_id, next) VALUES (:account::uuid, 2)
    ON CONFLICT (account_id) DO UPDATE SET next = invoice_sequences.next + 1 RETURNING next AS next \gset
\startpipeline
WITH inserted AS (
    INSERT INTO invoices (account_id, id, number, status, contact_id, contact, invoice_date, due_date, currency, line_amount_types,
        sub_total, tax_total, total, amount_paid, send_count, pay_token, created_at, updated_at, status_changes_on)
    VALUES (:account::uuid, bench_id(), 'INV-' || :next::text, 'UNPAID', :contact::uuid, :snapshot, current_date, current_date + 14, 'AUD', 'EXCLUSIVE',
        7018, 1053, 8071, 0, 0, 'floor-' || :key::text || '-' || :next::text, now(), now(), current_date + 15)
    ON CONFLICT (account_id, number) DO NOTHING RETURNING account_id, id
)
INSERT INTO line_items (account_id, invoice_id, position, id, description, quantity, unit_amount, tax_rate, tax_amount, line_amount)
    SELECT account_id, id, position, bench_id(), 'Analytical engine, rent', 30000, 250600, 150000, 1128, 7518
    FROM inserted, generate_series(0, 2) AS position;
INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, status, body)
    VALUES (:account::uuid, 'POST /invoices', 'floor-' || :key::text, decode(repeat('ab', 32), 'hex'), 201, convert_to(repeat('x', :answer_bytes), 'UTF8'));
END;
\endpipeline
