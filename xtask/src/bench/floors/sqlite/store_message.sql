BEGIN IMMEDIATE;
INSERT INTO inbound_messages (id, key, channel, content, received_at, state, due_at, attempts)
    VALUES (:id, :text, 'email', randomblob(600), :now, 'dropped', :now, 0);
COMMIT;
