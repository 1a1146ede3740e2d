DROP TABLE sandbox_checkouts;
DROP TABLE gateway_events;
DROP TABLE charge_reversals;
DROP TABLE charges;
DROP TABLE payment_intents;
DROP TABLE payment_settings;
DROP TABLE gateway_accounts;
