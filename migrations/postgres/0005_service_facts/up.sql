-- What the service knows of itself, such as how to tell whether a master key fits this database.
CREATE TABLE service_facts (
    name text PRIMARY KEY,
    value bytea NOT NULL
);
