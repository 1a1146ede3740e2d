-- A settled charge: intent, invoice (held), owner, earlier charges, settings and contact (held) are read, then
-- payment, sums, event, receipt, charge and the owner's notice go in with the commit. The gateway is not asked.
\set n random(:first, :last)
SELECT account, id AS invoice FROM bench_invoices WHERE n = :n \gset
\startpipeline
BEGIN;
SELECT * FROM payment_intents WHERE account_id = :account::uuid AND id = :invoice::uuid;
SELECT * FROM invoices WHERE account_id = :account::uuid AND id = :invoice::uuid FOR NO KEY UPDATE;
SELECT * FROM line_items WHERE account_id = :account::uuid AND invoice_id = :invoice::uuid ORDER BY position;
SELECT * FROM payments WHERE account_id = :account::uuid AND invoice_id = :invoice::uuid ORDER BY id;
SELECT l.email, a.silenced_notices, a.company_name, a.disabled_by_partner, a.disabled_by_operator
    FROM accounts AS a JOIN logins AS l ON l.account_id = a.id AND l.id = a.id WHERE a.id = :account::uuid;
SELECT * FROM charges WHERE account_id = :account::uuid AND invoice_id = :invoice::uuid ORDER BY id;
SELECT minimum_percent, unapplied FROM payment_settings WHERE account_id = :account::uuid;
SELECT c.* FROM invoices AS i JOIN contacts AS c ON c.account_id = i.account_id AND c.id = i.contact_id
    WHERE i.account_id = :account::uuid AND i.id = :invoice::uuid FOR NO KEY UPDATE OF c;
\endpipeline
\startpipeline
WITH paid AS (
    INSERT INTO payments (account_id, invoice_id, id, amount, received_at, method, recorded_by)
    VALUES (:account::uuid, :invoice::uuid, bench_id(), 1, now(), 'card', 'payment_page') RETURNING account_id, id
)
INSERT INTO charges (account_id, id, gateway_account_id, gateway_id, intent_id, invoice_id, state, amount, currency, method,
        captured_at, applied, payment_id, keeps_unapplied)
    SELECT account_id, bench_id(), account_id, 'floor_' || id::text, :invoice::uuid, :invoice::uuid, 'succeeded', 1, 'AUD', 'card',
        now(), 1, id, false
    FROM paid;
UPDATE invoices SET amount_paid = amount_paid + 1, status = 'PARTIALLY_PAID', status_changes_on = NULL, updated_at = now()
    WHERE account_id = :account::uuid AND id = :invoice::uuid;
WITH event AS (
    INSERT INTO events (account_id, id, kind, resource_id, body, happened_at)
    VALUES (:account::uuid, bench_id(), 'invoice.payment_recorded', :invoice::uuid, repeat('x', 370), now()) RETURNING account_id, id
)
INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at)
    SELECT event.account_id, event.id, bench_id(), e.id, 'pending', 0, now(), now()
    FROM event JOIN webhook_endpoints AS e ON e.account_id = event.account_id AND e.enabled AND e.events % 2 = 1;
INSERT INTO jobs (account_id, id, kind, resource_id, payload, queued_at, due_at, to_customer, state, attempts, letterhead)
    VALUES (:account::uuid, bench_id(), 'mail', :invoice::uuid, repeat('x', 300), now(), now(), true, 'waiting', 0, repeat('x', 300)),
        (:account::uuid, bench_id(), 'mail', :invoice::uuid, repeat('x', 300), now(), now(), false, 'waiting', 0, NULL);
END;
\endpipeline
