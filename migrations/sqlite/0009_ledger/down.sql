DROP TABLE ledger_tasks;
