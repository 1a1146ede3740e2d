-- Contacts, and the words by which they are found.

CREATE TABLE contacts (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    name text NOT NULL,
    email text,
    -- The address in lower case, computed by the service: lower() of the database depends on its locale.
    email_key text,
    phone text,
    external_id text,
    -- The postal address as a JSON object.
    address text,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, email_key),
    UNIQUE (account_id, external_id),
    CHECK ((email IS NULL) = (email_key IS NULL))
) STRICT;

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
