-- The accounts to whose customers nothing goes out. A lease of mail leaves out what these hold: among many
-- accounts it would otherwise read all of them.
CREATE INDEX accounts_switched_off ON accounts (id)
    WHERE disabled_by_partner OR disabled_by_operator OR NOT communications_enabled;
