-- Whose reading of a message counts: rules or language_model; NULL: rules.
ALTER TABLE messages ADD COLUMN read_by text;

-- The host whose language model the owner lets read messages that the rules are unsure of; NULL: none.
ALTER TABLE reminder_policies ADD COLUMN language_model_host text;
