DROP TABLE invoice_sequences;
DROP TABLE payments;
DROP TABLE line_items;
DROP TABLE invoices;
