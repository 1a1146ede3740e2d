-- Values of the service itself, such as the check value of the master key.
CREATE TABLE service_metadata (
    name text PRIMARY KEY NOT NULL,
    value blob NOT NULL
) STRICT, WITHOUT ROWID;
