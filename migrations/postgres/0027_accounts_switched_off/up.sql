-- The accounts whose customers get no messages. A lease of mail leaves out their jobs by this index:
-- otherwise it would read all accounts.
CREATE INDEX accounts_switched_off ON accounts (id)
    WHERE disabled_by_partner OR disabled_by_operator OR NOT communications_enabled;
