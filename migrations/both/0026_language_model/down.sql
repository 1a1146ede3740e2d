ALTER TABLE reminder_policies DROP COLUMN language_model_host;
ALTER TABLE messages DROP COLUMN classified_by;
