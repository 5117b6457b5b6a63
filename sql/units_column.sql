-- Privacy units: all rows of a person, of which a release uses a few, chosen by
-- a key that nobody has.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t17;
CREATE ROLE regress_dp_17_owner;
CREATE ROLE regress_dp_17_analyst;
GRANT USAGE, CREATE ON SCHEMA t17 TO regress_dp_17_owner;
GRANT USAGE ON SCHEMA t17 TO regress_dp_17_analyst;
SET search_path = t17, public;
SET SESSION AUTHORIZATION regress_dp_17_owner;

-- person i has i visits
CREATE TABLE visits (person int, ward text CHECK (ward IN ('a', 'b', 'c')), "Place" text, doc json);
INSERT INTO visits SELECT i, chr(97 + (i + j) % 3), 'here' FROM generate_series(1, 50) i, generate_series(1, i) j;

-- what cannot be a unit
SELECT dp_protect('visits', 10, unit_column => 'nobody');
SELECT dp_protect('visits', 10, unit_column => 'doc');
SELECT dp_protect('visits', 10, unit_column => 'ctid');
SELECT dp_protect('visits', 10, unit_column => 'person', max_rows_per_unit => 0);
SELECT dp_protect('visits', 10, unit_column => 'person', max_rows_per_unit => NULL);
SELECT count(*) FROM dp_datasets;

SELECT dp_protect('visits', 100000, 0.5, unit_column => 'person', max_rows_per_unit => 3);
SELECT relation, neighbours, unit_column, max_rows_per_unit FROM dp_datasets;
SELECT dp_grant('visits', 'regress_dp_17_analyst', 1000, 0.1);

-- noise for three rows of a unit
SELECT stage, epsilon_each, round(noise_stddev::numeric, 2) FROM dp_explain('visits', 'sba', 1, 0, '{"dense_cells": 10}');
SELECT stage, threshold FROM dp_explain('visits', 'sba', 1, 1e-6) WHERE threshold IS NOT NULL;

-- at an epsilon so large that counts are exact, rows of each person count up to the bound
CREATE FUNCTION rows_released(relation regclass, epsilon numeric, options jsonb DEFAULT '{"dense_cells": 100}', method text DEFAULT 'sba')
	RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint := dp_release($1, $4, $2, 1e-6, $3 || '{"partial": true}');
BEGIN
	RETURN (SELECT r.rows FROM dp_releases r WHERE r.release = id);
END
$$;
SET client_min_messages = warning;
SELECT rows_released('visits', 900) = sum(least(i, 3)) FROM generate_series(1, 50) i;
-- the same for the tables of sbhg, and with an open column, found in a scan of its own
SELECT dp_define_column('visits', 'Place', open => true);
SELECT rows_released('visits', 900, '{"parents": 1}', 'sbhg') = sum(least(i, 3)) FROM generate_series(1, 50) i;
SELECT "Place", count(*) > 140 FROM dp_synthesize_sba(NULL::visits, 900, 0.01, dense_cells => 100) GROUP BY 1;
SELECT dp_define_column('visits', 'Place');

-- with another bound the unit is the same: what was spent adds up
SELECT dp_unprotect('visits');
SELECT dp_protect('visits', 100000, 0.5, unit_column => 'person', max_rows_per_unit => 10);
SELECT rows_released('visits', 900) = sum(least(i, 10)) FROM generate_series(1, 50) i;
-- with another unit it does not
SELECT dp_unprotect('visits');
SELECT dp_protect('visits', 100000, 0.5);
SELECT dp_protect('visits', 100000, 0.5, unit_column => 'ward', max_rows_per_unit => 10);
SELECT dp_protect('visits', 100000, 0.5, unit_column => 'person');
-- one row of each person
SELECT rows_released('visits', 900);
-- rows without a person are not read
INSERT INTO visits SELECT NULL, 'a' FROM generate_series(1, 500);
SELECT rows_released('visits', 900);

-- a view, a partitioned table, an odd name
CREATE VIEW seen AS SELECT person, ward FROM visits WHERE person <= 20;
SELECT dp_protect('seen', 10000, unit_column => 'person', max_rows_per_unit => 2);
SELECT dp_define_column('seen', 'ward', categories => '{a,b,c}');
SELECT rows_released('seen', 900) = sum(least(i, 2)) FROM generate_series(1, 20) i;
CREATE TABLE parted ("Per""son" text, flag boolean NOT NULL) PARTITION BY LIST (flag);
CREATE TABLE parted_t PARTITION OF parted FOR VALUES IN (true);
CREATE TABLE parted_f PARTITION OF parted FOR VALUES IN (false);
INSERT INTO parted SELECT 'p' || i % 30, i % 2 = 0 FROM generate_series(1, 1000) i;
SELECT dp_protect('parted', 10000, unit_column => 'Per"son', max_rows_per_unit => 7);
SELECT rows_released('parted', 900);

-- equal values are one unit, however they are written
CREATE TABLE written (person numeric, flag boolean NOT NULL);
INSERT INTO written SELECT (i || '.' || repeat('0', j))::numeric, j % 2 = 0 FROM generate_series(1, 40) i, generate_series(0, 5) j;
SELECT dp_protect('written', 10000, unit_column => 'person', max_rows_per_unit => 2);
SELECT rows_released('written', 900);

-- a key decides which row counts: of two rows each is chosen now and then; of nine equal rows and
-- one other, the other is chosen in a tenth of the cases
CREATE TABLE pick (person int, x text CHECK (x IN ('often', 'once')));
INSERT INTO pick SELECT 1, CASE WHEN i = 5 THEN 'once' ELSE 'often' END FROM generate_series(1, 10) i;
SELECT dp_protect('pick', 1000000, unit_column => 'person');
CREATE FUNCTION picked() RETURNS text LANGUAGE sql VOLATILE AS
$$ SELECT x FROM dp_sample(NULL::pick, dp_release('pick', 'sba', 90, 0, '{"dense_cells": 10}'), 1, 1) $$;
CREATE TABLE picked AS SELECT picked() AS x FROM generate_series(1, 150);
SELECT count(*) FILTER (WHERE x = 'once') BETWEEN 1 AND 45, count(*) FILTER (WHERE x = 'often') BETWEEN 105 AND 149 FROM picked;

-- without a column: any so many rows together
CREATE TABLE rows_of_groups (flag boolean NOT NULL);
INSERT INTO rows_of_groups SELECT i % 2 = 0 FROM generate_series(1, 100) i;
SELECT dp_protect('rows_of_groups', 10000, max_rows_per_unit => 5);
SELECT round(noise_stddev::numeric, 1) FROM dp_explain('rows_of_groups', 'sba', 1, 0, '{"dense_cells": 10}') WHERE step = 1;
SELECT rows_released('rows_of_groups', 900);

-- one row of each unit under replace_one: the number of units is public
CREATE TABLE staff (LIKE visits);
INSERT INTO staff SELECT * FROM visits WHERE person IS NOT NULL;
SELECT dp_protect('staff', 100, 0.1, 'replace_one', 'person');
SELECT dp_define_column('staff', 'ward', categories => '{a,b,c}');
SELECT rows_released('staff', 0.01, '{}'), rows_released('staff', 0.01);
-- of several rows it is not
SELECT dp_unprotect('staff');
SELECT dp_protect('staff', 100, 0.1, 'replace_one', 'person', 4);
SELECT count(DISTINCT rows_released('staff', 0.05, '{}')) > 1 FROM generate_series(1, 20);

-- the column is gone, renamed or of another type: an error before the debit
RESET client_min_messages;
SELECT epsilon_spent AS before FROM dp_datasets WHERE relation = 'visits'::regclass \gset
ALTER TABLE visits RENAME person TO patient;
\set VERBOSITY default
SET SESSION AUTHORIZATION regress_dp_17_analyst;
SELECT dp_release('visits', 'sba', 1, 0, '{"dense_cells": 10}');
SET SESSION AUTHORIZATION regress_dp_17_owner;
ALTER TABLE visits RENAME doc TO person;
SELECT dp_release('visits', 'sba', 1, 0, '{"dense_cells": 10}');
SELECT epsilon_spent = :before FROM dp_datasets WHERE relation = 'visits'::regclass;
-- only where it was renamed another one may take its place
SELECT dp_unprotect('visits');
SELECT dp_protect('visits', 100000, 0.5, unit_column => 'patient');
ALTER TABLE visits RENAME person TO doc;
SELECT dp_protect('visits', 100000, 0.5, unit_column => 'patient');
SELECT epsilon_spent = :before, unit_column FROM dp_datasets WHERE relation = 'visits'::regclass;

-- the hash: keyed, of values and not of how they are stored
CREATE TABLE stored (plain text, packed text);
ALTER TABLE stored ALTER plain SET STORAGE EXTERNAL, ALTER packed SET STORAGE EXTENDED;
INSERT INTO stored SELECT repeat('x', n), repeat('x', n) FROM unnest('{1,100,3000,100000}'::int[]) n;
SELECT count(*) FROM stored WHERE dp_catalog.dp_row_order('0123456789abcdef', ROW(plain)) = dp_catalog.dp_row_order('0123456789abcdef', ROW(packed))
   AND dp_catalog.dp_row_order('0123456789abcdef', ROW(plain)) = dp_catalog.dp_row_order('0123456789abcdef', ROW(repeat('x', length(plain))));
SELECT count(DISTINCT dp_catalog.dp_row_order('0123456789abcdef', r)) FROM
	(VALUES (ROW('a', 'bc')), (ROW('ab', 'c')), (ROW('abc', NULL)), (ROW(NULL, 'abc')), (ROW(NULL, NULL)), (ROW(1, 2)), (ROW(2, 1))) v (r);
SELECT dp_catalog.dp_row_order('0123456789abcdef', ROW(1)) <> dp_catalog.dp_row_order('0123456789abcdeg', ROW(1));
SELECT dp_catalog.dp_row_order('short', ROW(1));
SELECT dp_catalog.dp_row_order('0123456789abcdef', NULL);
-- what siblings were: values are the same, or both unknown, whatever their type has for an equality, and however they are stored
SELECT p, n, v, dp_catalog.dp_sibling_count() OVER w AS count, dp_catalog.dp_sibling_place(-n * n + 5 * n) OVER w AS place,
	dp_catalog.dp_sibling_last(v) OVER w AS last, dp_catalog.dp_sibling_previous(v) OVER w AS previous, dp_catalog.dp_sibling_again(v) OVER w AS again
  FROM (VALUES (1, 1, '1'::json), (1, 2, '2'), (1, 3, '2'), (1, 4, NULL), (1, 5, '1'), (1, 6, NULL), (2, 7, '2'), (2, 8, '2'), (2, 9, '2')) r (p, n, v)
 WINDOW w AS (PARTITION BY p ORDER BY n);
SELECT count(*) FILTER (WHERE again), count(*) FILTER (WHERE previous = last) FROM (SELECT dp_catalog.dp_sibling_again(v) OVER w AS again,
	dp_catalog.dp_sibling_previous(v) OVER w AS previous, dp_catalog.dp_sibling_last(v) OVER w AS last
  FROM (SELECT length(plain) AS n, 1 AS i, plain AS v FROM stored UNION ALL SELECT length(plain), 2, packed FROM stored UNION ALL SELECT length(plain), 3, 'y' || plain FROM stored) r
 WINDOW w AS (PARTITION BY n ORDER BY i)) s;
SELECT count(DISTINCT place), max(place) FROM (SELECT dp_catalog.dp_sibling_place(0) OVER () AS place FROM generate_series(1, 1000)) s;
SELECT dp_catalog.dp_sibling_place(1);

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t17 CASCADE;
DROP ROLE regress_dp_17_analyst;
DROP ROLE regress_dp_17_owner;
