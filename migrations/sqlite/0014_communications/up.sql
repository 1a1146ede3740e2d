-- Communications with customers: preferences, reminders, messages.

-- Decisions about reminders of a contact lock this row first. The row is created when it is first needed.
CREATE TABLE contact_preferences (
    account_id blob NOT NULL,
    contact_id blob NOT NULL,
    -- When the contact was erased: no message is matched to it any more.
    erased_at integer,
    PRIMARY KEY (account_id, contact_id),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id)
) STRICT;

-- Consents to text messages and calls, and their withdrawals. The latest of a channel counts.
CREATE TABLE contact_consents (
    account_id blob NOT NULL,
    id blob NOT NULL,
    contact_id blob NOT NULL,
    channel text NOT NULL CHECK (channel IN ('sms', 'voice')),
    is_given integer NOT NULL,
    recorded_at integer NOT NULL,
    how text NOT NULL,
    recorded_by text NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id)
) STRICT;

CREATE INDEX contact_consents_of_contact ON contact_consents (account_id, contact_id, id);

-- Addresses and numbers that get no reminders.
CREATE TABLE address_holds (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    channel text NOT NULL CHECK (channel IN ('email', 'sms', 'voice')),
    address text NOT NULL,
    reason text NOT NULL CHECK (reason IN ('opted_out', 'bounced')),
    closed_at integer NOT NULL,
    evidence text NOT NULL,
    reopened_at integer,
    reopened_because text,
    PRIMARY KEY (account_id, id),
    CHECK ((reopened_at IS NULL) = (reopened_because IS NULL))
) STRICT;

CREATE UNIQUE INDEX address_holds_standing ON address_holds (account_id, address, channel, reason)
    WHERE reopened_at IS NULL;
CREATE INDEX address_holds_of_address ON address_holds (account_id, address, id);

-- Without a row: the initial policy, stopped.
CREATE TABLE reminder_policies (
    account_id blob NOT NULL PRIMARY KEY REFERENCES accounts (id),
    started_at integer,
    -- The day of the start, in the time zone that the account had then.
    started_on text,
    -- In the notation of the command: -3:email:friendly,7:sms:firm.
    steps text NOT NULL,
    backlog integer NOT NULL,
    -- Days, separated by commas.
    holidays text NOT NULL,
    -- The host whose language model may read messages of which the rules are unsure; NULL: none.
    language_model_host text,
    -- The steps that the owner added while reminders ran, each with the instant in microseconds since 1970:
    -- 14:sms:1770541200000000, separated by commas. NULL: none.
    added_steps text,
    CHECK ((started_at IS NULL) = (started_on IS NULL))
) STRICT;

CREATE INDEX reminder_policies_started ON reminder_policies (account_id) WHERE started_at IS NOT NULL;

CREATE TABLE reminder_pauses (
    account_id blob NOT NULL,
    invoice_id blob NOT NULL,
    -- The day on which reminders continue, in the account's time zone; NULL: never.
    until text,
    PRIMARY KEY (account_id, invoice_id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
) STRICT;

CREATE TABLE messages (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    contact_id blob,
    invoice_id blob,
    channel text NOT NULL CHECK (channel IN ('email', 'sms', 'voice')),
    direction text NOT NULL CHECK (direction IN ('in', 'out')),
    purpose text CHECK (purpose IN ('reminder', 'answer', 'service', 'receipt')),
    state text NOT NULL,
    address text NOT NULL,
    subject text,
    text text NOT NULL,
    written_at integer NOT NULL,
    began_at integer,
    state_at integer NOT NULL,
    provider_id text,
    internet_id text,
    in_reply_to text,
    reply_token text,
    detail text,
    attachments integer NOT NULL,
    -- The classification by the rules, and the owner's correction, as a JSON object.
    understood text,
    -- Whether reminders wait until the owner marks the message as read.
    is_unread integer NOT NULL,
    -- SHA-256 of sender, subject and text of an incoming message.
    content_digest blob CHECK (length(content_digest) = 32),
    -- When the subject and the text were removed because of their age; NULL: they exist.
    text_removed_at integer,
    -- What decided the class of a message: rules or language_model; NULL: rules.
    classified_by text,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
) STRICT;

CREATE INDEX messages_of_contact ON messages (account_id, contact_id, id);
CREATE INDEX messages_unread ON messages (account_id, contact_id) WHERE is_unread;
CREATE INDEX messages_by_reply_token ON messages (account_id, reply_token) WHERE reply_token IS NOT NULL;
CREATE INDEX messages_by_internet_id ON messages (internet_id) WHERE internet_id IS NOT NULL;
-- Which accounts wrote to an address.
CREATE INDEX messages_out_by_address ON messages (address, channel, written_at) WHERE direction = 'out';
CREATE INDEX messages_by_id ON messages (id);

-- The texts that still exist, the oldest first.
CREATE INDEX messages_with_text ON messages (written_at) WHERE text_removed_at IS NULL;

-- Which invoices a reminder lists.
CREATE TABLE message_invoices (
    account_id blob NOT NULL,
    message_id blob NOT NULL,
    invoice_id blob NOT NULL,
    PRIMARY KEY (account_id, message_id, invoice_id),
    FOREIGN KEY (account_id, message_id) REFERENCES messages (account_id, id)
) STRICT;

CREATE INDEX message_invoices_by_invoice ON message_invoices (account_id, invoice_id, message_id);

-- Decisions about the steps of invoices. The latest row of a step counts.
CREATE TABLE reminder_steps (
    account_id blob NOT NULL,
    id blob NOT NULL,
    invoice_id blob NOT NULL,
    contact_id blob NOT NULL,
    days integer NOT NULL,
    channel text NOT NULL CHECK (channel IN ('email', 'sms', 'voice')),
    due_at integer NOT NULL,
    decided_at integer NOT NULL,
    decision text NOT NULL CHECK (decision IN ('send', 'hold', 'skip', 'sent')),
    reason text,
    message_id blob,
    is_latest integer NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id)
) STRICT;

CREATE UNIQUE INDEX reminder_steps_latest
    ON reminder_steps (account_id, invoice_id, contact_id, days, channel, due_at) WHERE is_latest;
CREATE INDEX reminder_steps_of_contact ON reminder_steps (account_id, contact_id) WHERE is_latest;
CREATE INDEX reminder_steps_of_message ON reminder_steps (account_id, message_id)
    WHERE message_id IS NOT NULL;
CREATE INDEX reminder_steps_of_invoice ON reminder_steps (account_id, invoice_id, id);

-- Incoming messages before they are matched. On every server, since they are looked up without an account.
CREATE TABLE inbound_messages (
    id blob NOT NULL PRIMARY KEY,
    -- The provider's id, or the digest of the raw message.
    key text NOT NULL UNIQUE,
    channel text NOT NULL CHECK (channel IN ('email', 'sms')),
    -- The sender's number of a text message.
    sender text,
    -- The raw message; NULL when it is no longer kept.
    content blob,
    received_at integer NOT NULL,
    state text NOT NULL CHECK (state IN ('stored', 'handled', 'quarantined', 'automatic', 'dropped')),
    due_at integer NOT NULL,
    attempts integer NOT NULL,
    -- The matched account, and the message that was filed there.
    account_id blob,
    message_id blob,
    detail text,
    -- How many pictures or other files came with a text message; NULL: none. They are not fetched.
    attachments integer,
    -- The keyword that the SMS provider recognised in a text message; NULL: none. Only stop is stored.
    keyword text
) STRICT;

CREATE INDEX inbound_messages_due ON inbound_messages (due_at) WHERE state = 'stored';
CREATE INDEX inbound_messages_kept ON inbound_messages (received_at) WHERE content IS NOT NULL;
CREATE INDEX inbound_messages_quarantined ON inbound_messages (id) WHERE state = 'quarantined';
CREATE INDEX inbound_messages_of_message ON inbound_messages (account_id, message_id)
    WHERE message_id IS NOT NULL;

-- The accounts that a message in quarantine may belong to: reminders to its sender wait there.
CREATE TABLE quarantine_candidates (
    account_id blob NOT NULL REFERENCES accounts (id),
    inbound_id blob NOT NULL,
    contact_id blob,
    PRIMARY KEY (account_id, inbound_id)
) STRICT;

CREATE INDEX quarantine_candidates_by_inbound ON quarantine_candidates (inbound_id);
CREATE INDEX quarantine_candidates_of_contact ON quarantine_candidates (account_id, contact_id);

-- The owner was mailed about unread messages that came in up to this time. NULL, or no row: about none yet.
CREATE TABLE unread_notices (
    account_id blob NOT NULL PRIMARY KEY REFERENCES accounts (id),
    notified_until integer
) STRICT;
