\ir _visits_declared.sql
\ir _release_42.sql
SELECT dp_release('visits', 'cipher', 4, 0, '{"columns": ["sex", "age", "ward", "cost"]}');
CREATE TABLE partial AS SELECT * FROM visits LIMIT 5;
UPDATE partial SET age = NULL;
