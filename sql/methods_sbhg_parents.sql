-- sbhg: how many parents, and what they are selected by
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = error;
CREATE SCHEMA t34p;
SET search_path = t34p, public;
-- c is the sum of a and b, which no pair of columns shows; d is a with some noise
CREATE TABLE parity (a boolean NOT NULL, b boolean NOT NULL, c boolean NOT NULL, d boolean NOT NULL);
INSERT INTO parity SELECT i % 2 = 0, i / 2 % 2 = 0, i % 2 = i / 2 % 2, CASE WHEN i % 16 < 12 THEN i % 2 = 0 ELSE i / 16 % 2 = 0 END
  FROM generate_series(1, 4096) i;
SELECT dp_protect('parity', 1000000);

-- half of the share for selecting goes to the number; where tables with two parents could be sparse nothing is chosen
SELECT step, stage, mechanism, tables, epsilon_total, cells, scans FROM dp_explain('parity', 'sbhg', 1, 0, '{"parents": "auto"}');
SELECT step, stage, tables, epsilon_total, scans FROM dp_explain('parity', 'sbhg', 1, 0, '{"parents": "auto", "column_order": ["a", "b", "c", "d"]}');
SELECT step, stage, tables FROM dp_explain('parity', 'sbhg', 1, 0, '{"parents": "auto", "dense_cells": 7}');
SELECT step, stage, tables FROM dp_explain('parity', 'sbhg', 1, 0, '{"parents": "auto", "network": {"a": ["b"], "b": [], "c": ["a", "b"], "d": ["a"]}}');

-- with an epsilon that hides nothing two parents pay off, and keep the sum
CREATE FUNCTION pg_temp.kept(r bigint) RETURNS boolean LANGUAGE sql AS
	'SELECT avg((c = (a = b))::int) > 0.99 FROM dp_sample(NULL::t34p.parity, r, 2000, 1)';
CREATE FUNCTION pg_temp.parents(r bigint) RETURNS bigint LANGUAGE sql AS
	'SELECT max(cardinality(columns)) - 1 FROM dp_release_tables(r)';
SELECT dp_release('parity', 'sbhg', 2000, 0, '{"parents": "auto", "column_order": ["d", "c", "b", "a"]}') AS ring,
	   dp_release('parity', 'sbhg', 2000, 0, '{"parents": "auto"}') AS auto,
	   dp_release('parity', 'sbhg', 2000, 0, '{"parents": 3}') AS three,
	   dp_release('parity', 'sbhg', 2000, 0) AS one \gset
-- no pair tells which parents go together, so of two that are drawn the second may tell nothing
SELECT pg_temp.parents(:ring), pg_temp.kept(:ring), pg_temp.parents(:auto) IN (1, 2), pg_temp.parents(:three), pg_temp.kept(:three), pg_temp.parents(:one), pg_temp.kept(:one);

-- mutual information finds the same parents where both are sure
SELECT array_agg(columns::text ORDER BY number) FROM dp_release_tables(dp_release('parity', 'sbhg', 100000, 0, '{"score": "information", "columns": ["a", "d"]}'));
SELECT columns FROM dp_release_tables(dp_release('parity', 'sbhg', 100000, 0, '{"score": "information"}')) WHERE columns[2] = 'd';
SELECT count(*) FROM dp_synthesize_sbhg(NULL::parity, 10, 0, 20, parents => 'auto', score => 'information', selection_share => 0.5, seed => 1);
SELECT options FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_sbhg(NULL::parity, 10, 0, 20, parents => 2);
SELECT options FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_sbhg(NULL::parity, 10, 0, 20, parents => '3');

-- as many parents as there are other columns: rows of two kinds stay of two kinds
SELECT format('CREATE TABLE many (%s)', string_agg(format('c%s boolean NOT NULL', i), ', ')) FROM generate_series(1, 40) i \gexec
SELECT format('INSERT INTO many SELECT %s FROM generate_series(1, 2000) i', string_agg('i % 2 = 0', ', ')) FROM generate_series(1, 40) \gexec
SELECT dp_protect('many', 1000000, 1e-3);
SELECT dp_release('many', 'sbhg', 4000, 1e-4, '{"parents": 39}') AS r \gset
SELECT pg_temp.parents(:r);
SELECT count(*), count(DISTINCT m) FROM dp_sample(NULL::many, :r, 500, 3) m;

SELECT dp_explain('parity', 'sbhg', 1, 0, '{"parents": "many"}');
SELECT dp_explain('parity', 'sbhg', 1, 0, '{"parents": 1600}');
SELECT dp_explain('parity', 'sbhg', 1, 0, '{"parents": "2000"}');
SELECT dp_explain('parity', 'sbhg', 1, 0, '{"parents": 1.5}');
SELECT dp_explain('parity', 'sbhg', 1, 0, '{"parents": true}');
SELECT dp_explain('parity', 'sbhg', 1, 0, '{"score": "aic"}');
SELECT dp_explain('parity', 'pegs', 1, 0, '{"parents": "auto", "rows": 10}');
SELECT options->'parents' FROM dp_methods WHERE method = 'sbhg';
