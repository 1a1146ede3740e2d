DROP INDEX jobs_due_to_owners;
