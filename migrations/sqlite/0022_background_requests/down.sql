DROP TABLE bulk_replays;
DROP TABLE reset_requests;
