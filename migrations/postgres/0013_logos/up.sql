-- Logos: the copy that an account has, and the copies that are to be removed.

-- The name of the stored copy; its ending says what it is.
ALTER TABLE accounts ADD COLUMN logo_key text;

-- These rows are the service's own and no account's: a copy is noted here before there is one, and before an account has its name.
CREATE TABLE logo_removals (
    logo_key text PRIMARY KEY,
    -- When it is removed. Whoever removes it moves this to the end of the attempt.
    due_at timestamptz NOT NULL,
    -- How often its removal has begun. While it has not, an account may still come to have the copy.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0)
);

CREATE INDEX logo_removals_due ON logo_removals (due_at);
