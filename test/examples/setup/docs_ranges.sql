CREATE EXTENSION dpsyn;
CREATE TABLE icd10 AS SELECT * FROM (VALUES ('I21.4', 'I21', 'I'), ('I21.9', 'I21', 'I'), ('J45.0', 'J45', 'J')) v (code, block, chapter);
CREATE TABLE visits (diagnosis text, zip text, county text, state text);
SELECT dp_protect('visits', 10), dp_define_column('visits', 'diagnosis', (SELECT array_agg(code) FROM icd10)),
	dp_define_column('visits', 'zip', '{10115,20095}'),
	dp_define_column('visits', 'county', derived_from => 'zip', domain => '{"10115": "Mitte", "20095": "Altstadt"}'),
	dp_define_column('visits', 'state', derived_from => 'zip', domain => '{"10115": "Berlin", "20095": "Hamburg"}');
CREATE TABLE booking (guest integer, during daterange NOT NULL, PRIMARY KEY (guest, during));
SELECT dp_protect('booking', 10);
