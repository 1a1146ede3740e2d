BEGIN IMMEDIATE;
SELECT * FROM invoices WHERE account_id = :account AND id = :invoice;
SELECT * FROM line_items WHERE account_id = :account AND invoice_id = :invoice ORDER BY position;
SELECT * FROM payments WHERE account_id = :account AND invoice_id = :invoice ORDER BY id;
INSERT INTO payments (account_id, invoice_id, id, amount, received_at, method, recorded_by)
    VALUES (:account, :invoice, :id, 1, :now, 'bank_transfer', 'operator');
UPDATE invoices SET amount_paid = amount_paid + 1, status = 'PARTIALLY_PAID', status_changes_on = NULL, updated_at = :now
    WHERE account_id = :account AND id = :invoice;
INSERT INTO events (account_id, id, kind, resource_id, body, happened_at)
    VALUES (:account, :id, 'invoice.payment_recorded', :invoice, :answer, :now);
INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at)
    SELECT account_id, :id, :id, id, 'pending', 0, :now, :now
    FROM webhook_endpoints WHERE account_id = :account AND enabled AND events % 2 = 1;
COMMIT;
