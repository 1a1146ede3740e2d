-- A well-formed key that nobody has: the look-up that finds nothing.
\set n random(1, 1000000000)
SELECT k.id, a.id, a.time_zone, a.currency FROM account_keys AS k JOIN accounts AS a ON a.id = k.account_id
    WHERE k.hash = decode(md5(:n::text) || md5(:n::text), 'hex') AND k.revoked_at IS NULL;
