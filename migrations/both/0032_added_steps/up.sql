-- The steps that the owner added while reminders ran, each with the instant in microseconds since 1970:
-- 14:sms:1770541200000000, separated by commas. NULL: none.
ALTER TABLE reminder_policies ADD COLUMN added_steps text;
