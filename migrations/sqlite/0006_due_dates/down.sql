DROP INDEX invoices_moved_by_the_calendar;
ALTER TABLE invoices DROP COLUMN moves_on;
