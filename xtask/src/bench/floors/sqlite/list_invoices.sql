SELECT k.id, a.id, a.time_zone, a.currency, a.invoice_prefix, a.communications_enabled, a.monthly_invoice_limit, a.disabled_by_partner, a.disabled_by_operator
    FROM account_keys AS k JOIN accounts AS a ON a.id = k.account_id WHERE k.hash = :hash AND k.revoked_at IS NULL;
BEGIN;
SELECT * FROM invoices WHERE account_id = :account ORDER BY id DESC LIMIT 26;
SELECT * FROM line_items WHERE account_id = :account AND invoice_id IN (
    SELECT id FROM invoices WHERE account_id = :account ORDER BY id DESC LIMIT 25) ORDER BY invoice_id, position;
SELECT * FROM payments WHERE account_id = :account AND invoice_id IN (
    SELECT id FROM invoices WHERE account_id = :account ORDER BY id DESC LIMIT 25) ORDER BY invoice_id, id;
COMMIT;
