BEGIN IMMEDIATE;
SELECT * FROM payment_intents WHERE account_id = :account AND id = :invoice;
SELECT * FROM invoices WHERE account_id = :account AND id = :invoice;
SELECT * FROM line_items WHERE account_id = :account AND invoice_id = :invoice ORDER BY position;
SELECT * FROM payments WHERE account_id = :account AND invoice_id = :invoice ORDER BY id;
SELECT l.email, a.silenced_notices, a.company_name, a.disabled_by_partner, a.disabled_by_operator
    FROM accounts AS a JOIN logins AS l ON l.account_id = a.id AND l.id = a.id WHERE a.id = :account;
SELECT * FROM charges WHERE account_id = :account AND invoice_id = :invoice ORDER BY id;
SELECT minimum_percent, unapplied FROM payment_settings WHERE account_id = :account;
SELECT c.* FROM invoices AS i JOIN contacts AS c ON c.account_id = i.account_id AND c.id = i.contact_id
    WHERE i.account_id = :account AND i.id = :invoice;
INSERT INTO payments (account_id, invoice_id, id, amount, received_at, method, recorded_by)
    VALUES (:account, :invoice, :id, 1, :now, 'card', 'payment_page');
INSERT INTO charges (account_id, id, gateway_account_id, gateway_id, intent_id, invoice_id, state, amount, currency, method,
        captured_at, applied, payment_id, keeps_unapplied)
    VALUES (:account, :id, :account, :text, :invoice, :invoice, 'succeeded', 1, 'AUD', 'card', :now, 1, :id, 0);
UPDATE invoices SET amount_paid = amount_paid + 1, status = 'PARTIALLY_PAID', status_changes_on = NULL, updated_at = :now
    WHERE account_id = :account AND id = :invoice;
INSERT INTO events (account_id, id, kind, resource_id, body, happened_at)
    VALUES (:account, :id, 'invoice.payment_recorded', :invoice, substr(:answer, 1, 370), :now);
INSERT INTO webhook_deliveries (account_id, event_id, id, endpoint_id, state, attempts, due_at, created_at)
    SELECT account_id, :id, :id, id, 'pending', 0, :now, :now
    FROM webhook_endpoints WHERE account_id = :account AND enabled AND events % 2 = 1;
INSERT INTO jobs (account_id, id, kind, resource_id, payload, queued_at, due_at, to_customer, state, attempts, letterhead)
    VALUES (:account, :id, 'mail', :invoice, substr(:answer, 1, 300), :now, :now, 1, 'waiting', 0, substr(:answer, 1, 300)),
        (:account, randomblob(16), 'mail', :invoice, substr(:answer, 1, 300), :now, :now, 0, 'waiting', 0, NULL);
COMMIT;
