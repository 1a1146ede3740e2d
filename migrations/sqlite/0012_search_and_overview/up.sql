-- Data for the search for contacts and for the dashboard's figures.

-- The words by which a contact is found, in lower case, as the service splits them.
CREATE TABLE contact_words (
    account_id blob NOT NULL,
    contact_id blob NOT NULL,
    -- In byte order, so that words with the same beginning are next to each other.
    word text NOT NULL,
    PRIMARY KEY (account_id, contact_id, word),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX contact_words_by_word ON contact_words (account_id, word, contact_id);

-- The words of existing contacts are split in a simpler way, until the contact is amended.
INSERT INTO contact_words (account_id, contact_id, word)
WITH RECURSIVE split (account_id, contact_id, word, rest) AS (
    SELECT account_id, id, '', lower(concat_ws(' ', name, email, phone, external_id)) || ' ' FROM contacts
    UNION ALL
    SELECT account_id, contact_id, substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1)
    FROM split
    WHERE rest <> ''
)
SELECT DISTINCT account_id, contact_id, substr(word, 1, 64) FROM split WHERE word <> '';

CREATE INDEX invoices_by_reference ON invoices (account_id, reference, id) WHERE reference IS NOT NULL;

-- The figures of open invoices are read only from this index.
CREATE INDEX invoices_open ON invoices (account_id, currency, due_date, total, amount_paid, status)
    WHERE status IN ('SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID');

CREATE INDEX payments_by_time ON payments (account_id, received_at, id);

CREATE INDEX jobs_by_resource ON jobs (account_id, resource_id, id) WHERE resource_id IS NOT NULL;

CREATE INDEX escalations_by_invoice ON escalations (account_id, invoice_id, id) WHERE invoice_id IS NOT NULL;
