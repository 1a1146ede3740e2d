BEGIN IMMEDIATE;
SELECT * FROM invoices WHERE account_id = :account AND id = :invoice;
SELECT * FROM line_items WHERE account_id = :account AND invoice_id = :invoice ORDER BY position;
SELECT * FROM payments WHERE account_id = :account AND invoice_id = :invoice ORDER BY id;
INSERT INTO payments (account_id, invoice_id, id, amount, received_at, method, recorded_by)
    VALUES (:account, :invoice, :id, 1, :now, 'bank_transfer', 'operator');
UPDATE invoices SET amount_paid = amount_paid + 1, status = 'PARTIALLY_PAID', moves_on = NULL, updated_at = :now
    WHERE account_id = :account AND id = :invoice;
INSERT INTO events (account_id, id, kind, resource_id, happened_at)
    VALUES (:account, :id, 'invoice.payment_recorded', :invoice, :now);
COMMIT;
