-- POST /contacts of a contact that is there: the key, the contact.
\set n random(:first, :last)
SELECT k.id AS key_id, a.id AS account, a.time_zone, a.currency, a.communications_enabled, a.disabled_by_partner, a.disabled_by_operator,
        b.email AS email, b.invoice AS invoice
    FROM bench_accounts AS b JOIN account_keys AS k ON k.hash = b.hash JOIN accounts AS a ON a.id = k.account_id
    WHERE b.n = :n AND k.revoked_at IS NULL \gset
SELECT * FROM contacts WHERE account_id = :account::uuid AND email_key = :email;
