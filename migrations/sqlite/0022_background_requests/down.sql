DROP TABLE webhook_replays;
DROP TABLE reset_requests;
