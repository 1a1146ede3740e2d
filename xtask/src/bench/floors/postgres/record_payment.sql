-- A payment: the invoice is held and read whole, then payment, sums and event go in with the commit. No HTTP,
-- and so no key.
\set n random(:first, :last)
SELECT account, id AS invoice FROM bench_invoices WHERE n = :n \gset
\startpipeline
BEGIN;
SELECT * FROM invoices WHERE account_id = :account::uuid AND id = :invoice::uuid FOR NO KEY UPDATE;
SELECT * FROM line_items WHERE account_id = :account::uuid AND invoice_id = :invoice::uuid ORDER BY position;
SELECT * FROM payments WHERE account_id = :account::uuid AND invoice_id = :invoice::uuid ORDER BY id;
\endpipeline
\startpipeline
INSERT INTO payments (account_id, invoice_id, id, amount, received_at, method, recorded_by)
    VALUES (:account::uuid, :invoice::uuid, bench_id(), 1, now(), 'bank_transfer', 'operator');
UPDATE invoices SET amount_paid = amount_paid + 1, status = 'PARTIALLY_PAID', status_changes_on = NULL, updated_at = now()
    WHERE account_id = :account::uuid AND id = :invoice::uuid;
WITH event AS (
    INSERT INTO events (account_id, id, kind, resource_id, body, happened_at)
    VALUES (:account::uuid, bench_id(), 'invoice.payment_recorded', :invoice::uuid, repeat('x', 370), now()) RETURNING account_id, id
)
INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at)
    SELECT event.account_id, event.id, bench_id(), e.id, 'pending', 0, now(), now()
    FROM event JOIN webhook_endpoints AS e ON e.account_id = event.account_id AND e.enabled AND e.events % 2 = 1;
END;
\endpipeline
