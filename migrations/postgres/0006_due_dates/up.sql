-- The day on which the calendar has something to do with an invoice: its date while it is SCHEDULED, the day after it is due while it
-- is UNPAID, none otherwise. The worker walks the index in its order; it works for every account, so the day comes first.
ALTER TABLE invoices ADD COLUMN moves_on date;
UPDATE invoices SET moves_on = CASE status WHEN 'SCHEDULED' THEN invoice_date WHEN 'UNPAID' THEN due_date + 1 END
    WHERE status IN ('SCHEDULED', 'UNPAID');
CREATE INDEX invoices_moved_by_the_calendar ON invoices (moves_on, account_id, id) WHERE moves_on IS NOT NULL;
