DROP TABLE bank_details;
DROP TABLE page_views;
DROP TABLE replaced_pay_tokens;
DROP TABLE promises;
