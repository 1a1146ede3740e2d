DROP TABLE contact_words;
DROP TABLE contacts;
