SELECT k.id, p.id, p.disabled FROM partner_keys AS k JOIN partners AS p ON p.id = k.partner_id WHERE k.hash = :hash AND k.revoked_at IS NULL;
SELECT a.*, l.email, k.id, k.prefix, k.last_four, k.created_at
    FROM accounts AS a JOIN logins AS l ON l.account_id = a.id AND l.id = a.id
    LEFT JOIN account_keys AS k ON k.account_id = a.id AND k.revoked_at IS NULL
    WHERE a.partner_id = (SELECT partner_id FROM accounts WHERE id = :account) AND a.external_id = :external_id;
