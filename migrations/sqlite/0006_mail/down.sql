DROP TABLE outgoing_mail;
