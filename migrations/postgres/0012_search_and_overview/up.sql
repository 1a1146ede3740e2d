-- Data for the search for contacts and for the dashboard's figures.

-- The words by which a contact is found, in lower case, as the service splits them.
CREATE TABLE contact_words (
    account_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    -- In byte order, so that words with the same beginning are next to each other.
    word text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, contact_id, word),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id)
);

CREATE INDEX contact_words_by_word ON contact_words (account_id, word, contact_id);

-- The words of existing contacts are split in a simpler way, until the contact is amended.
INSERT INTO contact_words (account_id, contact_id, word)
SELECT DISTINCT contacts.account_id, contacts.id, left(one.word, 64)
FROM contacts,
    regexp_split_to_table(lower(concat_ws(' ', name, email, phone, external_id)), '\s+') AS one (word)
WHERE one.word <> '';

CREATE INDEX invoices_by_reference ON invoices (account_id, reference, id) WHERE reference IS NOT NULL;

-- The figures of open invoices are read only from this index.
CREATE INDEX invoices_open ON invoices (account_id, currency, due_date, total, amount_paid, status)
    WHERE status IN ('SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID');

CREATE INDEX payments_by_time ON payments (account_id, received_at, id);

CREATE INDEX jobs_by_resource ON jobs (account_id, resource_id, id) WHERE resource_id IS NOT NULL;

CREATE INDEX escalations_by_invoice ON escalations (account_id, invoice_id, id) WHERE invoice_id IS NOT NULL;
