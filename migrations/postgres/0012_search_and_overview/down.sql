DROP INDEX escalations_by_invoice;
DROP INDEX jobs_by_resource;
DROP INDEX payments_by_time;
DROP INDEX invoices_open;
DROP INDEX invoices_by_reference;
DROP TABLE contact_words;
