-- Visits of patients, and a release of them with number 42.
CREATE EXTENSION IF NOT EXISTS dpsyn;
CREATE TABLE visits (patient integer NOT NULL, sex text, age integer, ward text, dose integer, cost integer,
	city text, diagnosis text);
INSERT INTO visits SELECT i % 700, (ARRAY['f', 'm'])[1 + i % 2], i * 7 % 91, (ARRAY['surgery', 'eye', 'heart'])[1 + i % 3],
	i % 50, i * 13 % 1000, 'city ' || i % 4, 'diagnosis ' || i % 5
  FROM generate_series(1, 2000) AS i;
