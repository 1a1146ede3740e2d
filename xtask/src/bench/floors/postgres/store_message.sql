-- A message that came in. It counts as dropped, so that no worker takes it.
INSERT INTO inbound_messages (id, key, channel, content, received_at, state, due_at, attempts)
    VALUES (bench_id(), 'floor:' || gen_random_uuid()::text, 'email', convert_to(repeat('x', 600), 'UTF8'), now(), 'dropped', now(), 0);
