DROP TABLE escalations;
