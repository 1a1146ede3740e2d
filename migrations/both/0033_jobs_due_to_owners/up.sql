-- Mail to owners is leased before mail to customers, of which many may wait.
CREATE INDEX jobs_due_to_owners ON jobs (kind, due_at) WHERE state = 'waiting' AND NOT to_customer;
