DROP INDEX accounts_switched_off;
