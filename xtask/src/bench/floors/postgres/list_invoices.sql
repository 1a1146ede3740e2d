-- GET /invoices: the key, then one moment's view of 25 invoices, newest first, with lines and payments; the
-- 26th tells that there are more.
\set n random(:first, :last)
SELECT k.id AS key_id, a.id AS account, a.time_zone, a.currency, a.communications_enabled, a.disabled_by_partner, a.disabled_by_operator,
        b.email AS email, b.invoice AS invoice
    FROM bench_accounts AS b JOIN account_keys AS k ON k.hash = b.hash JOIN accounts AS a ON a.id = k.account_id
    WHERE b.n = :n AND k.revoked_at IS NULL \gset
\startpipeline
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT * FROM invoices WHERE account_id = :account::uuid ORDER BY id DESC LIMIT 26;
SELECT * FROM line_items WHERE account_id = :account::uuid AND invoice_id = ANY (ARRAY(
    SELECT id FROM invoices WHERE account_id = :account::uuid ORDER BY id DESC LIMIT 25)) ORDER BY invoice_id, position;
SELECT * FROM payments WHERE account_id = :account::uuid AND invoice_id = ANY (ARRAY(
    SELECT id FROM invoices WHERE account_id = :account::uuid ORDER BY id DESC LIMIT 25)) ORDER BY invoice_id, id;
END;
\endpipeline
