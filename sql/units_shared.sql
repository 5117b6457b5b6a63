-- Relations that share a budget: one unit for all of them, and the number of rows of none is public.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t49;
CREATE ROLE regress_dp_49_owner;
GRANT USAGE, CREATE ON SCHEMA t49 TO regress_dp_49_owner;
SET search_path = t49, public;
SET SESSION AUTHORIZATION regress_dp_49_owner;
CREATE TABLE people (id integer PRIMARY KEY, name text, sex boolean NOT NULL);
INSERT INTO people SELECT i, 'p' || i, i % 2 = 0 FROM generate_series(1, 400) i;
CREATE TABLE wages (person bigint NOT NULL, name text, high boolean NOT NULL);
INSERT INTO wages SELECT i, 'p' || i, i % 3 = 0 FROM generate_series(1, 333) i;

-- ---- another unit: what was spent for one cannot be added to what is spent for another
SELECT dp_protect('people', 1000, 0.1, unit_column => 'id');
SELECT dp_protect('wages', budget_of => 'people');
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'name');
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'person', neighbours => 'replace_one');
-- the same persons, of whom each relation reads as many rows as it says
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'person', max_rows_per_unit => 3);
SELECT relation, budget_of, unit_column, max_rows_per_unit FROM dp_datasets ORDER BY relation::text;
-- nor later, for either
SELECT dp_unprotect('wages');
SELECT dp_protect('wages', budget_of => 'people', max_rows_per_unit => 3);
SELECT dp_unprotect('people');
SELECT dp_protect('people', 1000, 0.1);
SELECT dp_protect('people', 1000, 0.1, unit_column => 'id');
SELECT dp_protect('wages', budget_of => 'people', unit_column => 'person', max_rows_per_unit => 2);
-- rows as units: as many in each relation
CREATE TABLE rows_a (flag boolean NOT NULL);
CREATE TABLE rows_b (flag boolean NOT NULL);
SELECT dp_protect('rows_a', 10, max_rows_per_unit => 2);
SELECT dp_protect('rows_b', budget_of => 'rows_a');
SELECT dp_protect('rows_b', budget_of => 'rows_a', unit_column => 'flag', max_rows_per_unit => 2);
SELECT dp_protect('rows_b', budget_of => 'rows_a', max_rows_per_unit => 2);
-- a unit column that was renamed since
ALTER TABLE people RENAME id TO number;
CREATE TABLE taxes (person integer NOT NULL, paid boolean NOT NULL);
SELECT dp_protect('taxes', budget_of => 'people', unit_column => 'person');

-- ---- replace_one: whether a person of one relation is in the other is secret, so the number of
-- rows of both is
CREATE TABLE staff AS SELECT number AS id, sex, number % 5 = 0 AS high FROM people;
ALTER TABLE staff ALTER sex SET NOT NULL, ALTER high SET NOT NULL;
CREATE TABLE bonus AS SELECT person, high FROM wages;
ALTER TABLE bonus ALTER high SET NOT NULL;
CREATE FUNCTION rows_released(relation regclass, method text, epsilon numeric, options jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint := dp_release($1, $2, $3, 1e-9, $4);
BEGIN
	RETURN (SELECT r.rows FROM dp_releases r WHERE r.release = id);
END
$$;
CREATE VIEW paid AS
	SELECT m.method, string_agg(e.stage, ', ' ORDER BY e.step) FILTER (WHERE e.epsilon_total > 0) AS stages
	  FROM unnest('{sba,sbhg,histogram,steps,privbayes,cipher,mwem,mst,aim,marginal}'::text[]) m (method),
		   dp_explain('staff', m.method, 1, 1e-9, '{"columns": ["sex", "high"]}') e GROUP BY 1;
SET client_min_messages = warning;
SELECT dp_protect('staff', 900000, 0.5, 'replace_one', 'id');
SELECT * FROM paid ORDER BY 1;
SELECT dp_protect('bonus', budget_of => 'staff', unit_column => 'person', neighbours => 'replace_one');
-- what the number of rows costs is planned from now on, where a method needs it
SELECT * FROM paid ORDER BY 1;
SELECT relation, method, count(DISTINCT rows_released(relation, method, 0.5, '{}')) > 1 AS noisy,
	   min(abs(rows_released(relation, method, 900, '{}') - rows)) = 0 AS exact_at_900
  FROM (VALUES ('staff'::regclass, 400), ('bonus', 333)) r (relation, rows),
	   unnest('{sba,sbhg,histogram,steps,privbayes,cipher,mwem,mst,aim,marginal}'::text[]) m (method),
	   generate_series(1, 8)
 GROUP BY 1, 2 ORDER BY 1, 2;
-- both pay from one total
SELECT sum(epsilon) = (SELECT DISTINCT epsilon_spent FROM dp_datasets WHERE relation IN ('staff'::regclass, 'bonus'::regclass))
  FROM dp_ledger WHERE relation_name IN ('t49.staff', 't49.bonus');
-- a share that ends does not make public what a release could tell of the other relation
SELECT dp_unprotect('bonus');
SELECT count(DISTINCT rows_released('staff', 'sba', 0.5, '{}')) > 1 FROM generate_series(1, 8);

-- who released the exact number cannot share any more
CREATE TABLE counted AS SELECT * FROM staff;
ALTER TABLE counted ALTER sex SET NOT NULL;
SELECT dp_protect('counted', 10, neighbours => 'replace_one', unit_column => 'id');
SELECT rows_released('counted', 'marginal', 1, '{}');
CREATE TABLE late AS SELECT * FROM bonus;
SELECT dp_protect('late', budget_of => 'counted', unit_column => 'person', neighbours => 'replace_one');

RESET SESSION AUTHORIZATION;
DROP SCHEMA t49 CASCADE;
DROP ROLE regress_dp_49_owner;
