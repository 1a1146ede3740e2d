-- What decided the class of a message: rules or language_model; NULL: rules.
ALTER TABLE messages ADD COLUMN classified_by text;

-- The host whose language model may read messages of which the rules are unsure; NULL: none.
ALTER TABLE reminder_policies ADD COLUMN language_model_host text;
