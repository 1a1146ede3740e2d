DROP TABLE service_facts;
