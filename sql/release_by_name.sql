-- What a release would do in words, memory as settings are written, and relations by their names.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t83;
CREATE ROLE regress_dp_83_owner;
GRANT USAGE, CREATE ON SCHEMA t83 TO regress_dp_83_owner;
SET search_path = t83, public;
SET SESSION AUTHORIZATION regress_dp_83_owner;
SET client_min_messages = error;
CREATE TABLE visits (ward text NOT NULL CHECK (ward IN ('icu', 'surgery')), n integer NOT NULL CHECK (n BETWEEN 0 AND 9),
					 town text NOT NULL, age integer NOT NULL CHECK (age BETWEEN 0 AND 99));
INSERT INTO visits SELECT (ARRAY['icu', 'surgery'])[1 + i % 2], i % 10, 'x', i % 100 FROM generate_series(1, 2000) i;
SELECT dp_protect('visits', 100000, 0.5);
SELECT dp_define_column('visits', 'town', open => true);

-- ---- a plan in words: a line a stage, of 100 columns at most
SELECT regexp_replace(line, ' [^ ]* (kB|MB|bytes)$', ' so much') FROM dp_explain('visits', 'sba', 1, 1e-9);
SELECT regexp_replace(line, ' [^ ]* (kB|MB|bytes)$', ' so much') FROM dp_explain('visits', 'histogram', 2, options => '{"columns": ["ward"], "mechanism": "laplace"}');
SELECT regexp_replace(line, ' [^ ]* (kB|MB|bytes)$', ' so much') FROM dp_explain('visits', 'pegs', 1, 1e-9, '{"rows": 10}');
-- what is paid in rho, and the method that is chosen where none is named
SELECT regexp_replace(line, ' [^ ]* (kB|MB|bytes)$', ' so much') FROM dp_explain('visits', 'aim', 1, 1e-9);
SELECT count(*) FROM dp_explain('visits', epsilon => 1, delta => 1e-9) WHERE line LIKE 'In all: epsilon 1 and delta 0.000000001; %';
SELECT max(length(l)) <= 100 FROM dp_methods m, dp_explain('visits', m.method, 1, 1e-9,
	CASE WHEN m.options ? 'rows' THEN '{"rows": 10, "columns": ["ward", "age"]}' ELSE '{"partial": true}' END::jsonb) e, regexp_split_to_table(e.line, E'\n') l
 WHERE m.method IN ('sba', 'sbhg', 'steps', 'privbayes', 'mst', 'pegs', 'pmi');
SELECT line FROM dp_explain('visits', 'sba', -1);
SELECT epsilon_spent FROM dp_datasets;

-- ---- memory
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"max_model_memory": "0.5GB"}') AS r \gset
SELECT options ->> 'max_model_memory' FROM dp_releases WHERE release = :r;
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"max_model_memory": "800 MB"}') AS r \gset
SELECT options ->> 'max_model_memory' FROM dp_releases WHERE release = :r;
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"max_model_memory": 800}') AS r \gset
SELECT options ->> 'max_model_memory' FROM dp_releases WHERE release = :r;
SELECT dp_explain('visits', 'mst', 1, 1e-9, '{"max_model_memory": "800 apples"}');
SELECT dp_explain('visits', 'mst', 1, 1e-9, '{"max_model_memory": "many"}');
SELECT dp_explain('visits', 'mst', 1, 1e-9, '{"max_model_memory": "-1MB"}');
SELECT dp_explain('visits', 'mst', 1, 1e-9, '{"max_model_memory": "1MB"}');
-- and in the arguments of the methods' functions
CREATE VIEW last_memory AS SELECT options -> 'max_model_memory' FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) > 0 FROM dp_synthesize_mst(NULL::visits, 1, 1e-9, max_model_memory => '0.5GB');
TABLE last_memory;
SELECT count(*) > 0 FROM dp_synthesize_mst(NULL::visits, 1, 1e-9, max_model_memory => '80');
TABLE last_memory;
SELECT count(*) > 0 FROM dp_synthesize_aim(NULL::visits, 1, 1e-9, max_model_memory => '80MB');
TABLE last_memory;
SELECT count(*) FROM dp_synthesize_aim(NULL::visits, 1, 1e-9, max_model_memory => '80 apples');
SELECT count(*) FROM dp_synthesize_mst(NULL::visits, 1, 1e-9, max_model_memory => '');
SELECT count(*) FROM dp_synthesize_mst(NULL::visits, 1, 1e-9, max_model_memory => '1TB');
DROP VIEW last_memory;

-- ---- synthetic rows, histograms and answers of a relation by its name
SELECT pg_typeof(v.ward), pg_typeof(v.age), count(*)
  FROM dp_synthesize('visits', 100, rows => 7, method => 'marginal', options => '{"columns": ["ward", "age"], "partial": true}')
	   AS v(ward text, age integer) GROUP BY 1, 2;
SELECT row_type, options ->> 'columns' FROM dp_ledger ORDER BY id DESC LIMIT 1;
SELECT cell, round(estimate) FROM dp_histogram('visits', '{ward}', 10000, mechanism => 'laplace') ORDER BY 1;
SELECT measure, round(estimate) FROM dp_query('t83.visits', '{count(*)}', 10000);
-- what is wrong with the name or the list costs nothing
SELECT epsilon_spent AS before FROM dp_datasets \gset
SELECT * FROM dp_synthesize('vists', 100, method => 'marginal') AS v(ward text);
SELECT * FROM dp_synthesize('visits', 100, method => 'marginal') AS v(wrad text);
SELECT * FROM dp_synthesize('visits', 100, method => 'marginal') AS v(ward integer);
SELECT * FROM dp_synthesize('visits', 100, method => 'marginal');
SELECT * FROM dp_synthesize(NULL::text, 100, method => 'marginal') AS v(ward text);
SELECT * FROM dp_query(NULL::text, '{count(*)}', 100);
SELECT * FROM dp_histogram('nowhere', '{ward}', 100);
SELECT epsilon_spent = :before FROM dp_datasets;
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t83 CASCADE;
DROP ROLE regress_dp_83_owner;
