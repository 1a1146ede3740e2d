-- Cases of customers who need a person: created by the service, resolved by staff of the account.
CREATE TABLE escalations (
    account_id blob NOT NULL REFERENCES accounts (id),
    id blob NOT NULL,
    invoice_id blob,
    contact_id blob,
    escalation_type text NOT NULL
        CHECK (escalation_type IN ('hardship', 'dispute', 'human_request', 'refused')),
    priority text NOT NULL CHECK (priority IN ('high', 'medium', 'low')),
    trigger_channel text NOT NULL CHECK (trigger_channel IN ('email', 'sms', 'voice')),
    customer_statement text NOT NULL,
    resolution_outcome text CHECK (
        resolution_outcome IN (
            'payment_arranged', 'invoice_corrected', 'invoice_cancelled', 'paid', 'no_action', 'other'
        )
    ),
    resolution_notes text,
    -- NULL while the escalation is open.
    resolved_at integer,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, invoice_id) REFERENCES invoices (account_id, id),
    FOREIGN KEY (account_id, contact_id) REFERENCES contacts (account_id, id),
    CHECK ((resolved_at IS NULL) = (resolution_outcome IS NULL)),
    CHECK (resolved_at IS NOT NULL OR resolution_notes IS NULL)
) STRICT;

-- Open escalations come before resolved ones, each part newest first.
CREATE INDEX escalations_open ON escalations (account_id, id) WHERE resolved_at IS NULL;
CREATE INDEX escalations_resolved ON escalations (account_id, id) WHERE resolved_at IS NOT NULL;
CREATE INDEX escalations_by_invoice ON escalations (account_id, invoice_id, id) WHERE invoice_id IS NOT NULL;
CREATE INDEX escalations_by_contact ON escalations (account_id, contact_id) WHERE contact_id IS NOT NULL;
