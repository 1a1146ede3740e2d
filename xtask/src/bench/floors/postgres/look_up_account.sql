-- GET /partner/accounts?external_id=...: the partner's key, then the account with its owner's address and its
-- live key.
\set n random(:first, :last)
SELECT k.id AS key_id, p.id AS partner, p.disabled AS disabled, b.external_id AS external_id
    FROM bench_accounts AS b JOIN accounts AS owned ON owned.id = b.account
    JOIN partner_keys AS k ON k.partner_id = owned.partner_id AND k.revoked_at IS NULL JOIN partners AS p ON p.id = k.partner_id
    WHERE b.n = :n \gset
SELECT a.*, l.email, k.id, k.prefix, k.last_four, k.created_at
    FROM accounts AS a JOIN logins AS l ON l.account_id = a.id AND l.id = a.id
    LEFT JOIN account_keys AS k ON k.account_id = a.id AND k.revoked_at IS NULL
    WHERE a.partner_id = :partner::uuid AND a.external_id = :external_id;
