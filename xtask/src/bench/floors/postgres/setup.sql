-- Whom the scripts act for, by number; the look-up of a key takes its hash from here within the same
-- statement.
CREATE TABLE bench_accounts (n integer PRIMARY KEY, account uuid NOT NULL, hash bytea NOT NULL, email text NOT NULL, external_id text NOT NULL, invoice uuid NOT NULL);
CREATE TABLE bench_invoices (n integer PRIMARY KEY, account uuid NOT NULL, id uuid NOT NULL);
-- An id that begins with the time, as the service's do: they go in at the end of an account's part of an
-- index.
CREATE FUNCTION bench_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || substr(gen_random_uuid()::text, 14))::uuid
$$;
