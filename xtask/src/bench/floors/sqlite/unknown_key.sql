SELECT k.id, a.id, a.time_zone, a.currency FROM account_keys AS k JOIN accounts AS a ON a.id = k.account_id
    WHERE k.hash = :id AND k.revoked_at IS NULL;
