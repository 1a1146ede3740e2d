ALTER TABLE reminder_policies DROP COLUMN added_steps;
