-- Rows of a privacy unit beyond its bound are left out without a preference: at an epsilon so large
-- that counts are exact, each count of a release is as far from its share as chance has it.
SET client_min_messages = warning;
SELECT plan(33);

CREATE ROLE pgtap_units_owner;
GRANT ALL ON SCHEMA public TO pgtap_units_owner;
SET SESSION AUTHORIZATION pgtap_units_owner;

-- Each of 5000 persons has nine rows, all of them different, in one, two or four columns. In the
-- last each two columns determine the row. One person is written in nine ways where a type has them.
CREATE TABLE one_column (person numeric, a int NOT NULL CHECK (a IN (0, 1, 2, 3, 4, 5, 6, 7, 8)));
CREATE TABLE two_columns (person text, a int NOT NULL CHECK (a IN (0, 1, 2)), b int NOT NULL CHECK (b IN (0, 1, 2)));
CREATE TABLE four_columns (LIKE two_columns INCLUDING CONSTRAINTS, c int NOT NULL CHECK (c IN (0, 1, 2)),
						   d int NOT NULL CHECK (d IN (0, 1, 2)));
INSERT INTO one_column SELECT (p || '.' || repeat('0', i))::numeric, i FROM generate_series(1, 5000) p, generate_series(0, 8) i;
INSERT INTO two_columns SELECT 'person ' || p, i / 3, i % 3 FROM generate_series(1, 5000) p, generate_series(0, 8) i;
INSERT INTO four_columns SELECT person, a, b, (a + b) % 3, (a + 2 * b) % 3 FROM two_columns;
-- of ten rows of each person only three are different: six, three and one of them
CREATE TABLE equal_rows (person int, a text NOT NULL CHECK (a IN ('six', 'three', 'one')));
INSERT INTO equal_rows SELECT p, CASE WHEN i < 6 THEN 'six' WHEN i < 9 THEN 'three' ELSE 'one' END
  FROM generate_series(1, 5000) p, generate_series(0, 9) i;

-- Of the margin of some columns: pays for it, and gives the total and the chi-square statistic of its
-- counts. Where k rows of n are drawn without putting them back, the statistic of independent draws
-- is (n - k) / (n - 1) of what it would be.
CREATE FUNCTION bounded_margin(relation regclass, columns name[], OUT total numeric, OUT cells bigint, OUT statistic double precision)
	LANGUAGE plpgsql AS $$
DECLARE
	k int;
	n numeric;
	persons bigint;
	released jsonb;
BEGIN
	SELECT max_rows_per_unit INTO k FROM dp_datasets d WHERE d.relation = $1;
	EXECUTE format('SELECT count(DISTINCT person), count(*)::numeric / count(DISTINCT person) FROM %s', relation) INTO persons, n;
	EXECUTE format('SELECT jsonb_agg(to_jsonb(h)) FROM dp_histogram(NULL::%s, %L, 900, mechanism => %L) h', relation, columns, 'laplace')
	   INTO released;
	EXECUTE format('
		WITH expected AS (SELECT ROW(%1$s)::text AS cell, count(*) * $1 / $2 AS share FROM %2$s GROUP BY 1),
		released AS (SELECT ROW(%1$s)::text AS cell, r.estimate AS count FROM jsonb_to_recordset($3) AS r (cell jsonb, estimate bigint),
					 jsonb_populate_record(NULL::%2$s, r.cell) AS c)
		SELECT sum(r.count), count(e.share), sum((r.count - e.share) ^ 2 / e.share) * ($2 - 1) / ($2 - $1)
		  FROM released r LEFT JOIN expected e USING (cell)',
		(SELECT string_agg(quote_ident(c), ', ') FROM unnest(columns) c), relation)
	   INTO total, cells, statistic USING k, n, released;
END
$$;
-- the probability of so large a statistic or a larger one, where the number of cells is odd
CREATE FUNCTION chi_square_p(statistic double precision, cells bigint) RETURNS double precision LANGUAGE sql AS $$
	SELECT exp(-half) * sum(half ^ i / factorial(i)::double precision)
	  FROM least(statistic / 2, 500) half, generate_series(0, (cells - 3) / 2) i GROUP BY half
$$;

-- Tests that fail by chance once in 1e8 times each. Counts that are too even are no independent choice
-- either; but those of three cells may well be even.
CREATE FUNCTION is_unbiased(relation regclass, columns name[], k int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	margin record;
	p double precision;
BEGIN
	SELECT * INTO margin FROM bounded_margin(relation, columns);
	p := chi_square_p(margin.statistic, margin.cells);
	RETURN NEXT is(margin.total, 5000.0 * k, format('%s %s: %s of each person', relation, columns, k));
	RETURN NEXT ok(p > 1e-8 AND (p < 1 - 1e-8 OR margin.cells < 9),
				   format('%s %s: at a bound of %s no value is preferred, p %s', relation, columns, k, p));
END
$$;
CREATE VIEW margins AS SELECT * FROM (VALUES ('one_column'::regclass, '{a}'::name[]), ('two_columns', '{a,b}'), ('two_columns', '{b}'),
	('four_columns', '{a,b,c,d}'), ('four_columns', '{c,d}'), ('four_columns', '{a}'), ('four_columns', '{d}'), ('equal_rows', '{a}')) m (relation, columns);

SELECT dp_protect(relation, 100000, unit_column => 'person') FROM (SELECT DISTINCT relation FROM margins) m;
SELECT is_unbiased(relation, columns, 1) FROM margins;
SELECT dp_unprotect(relation) FROM (SELECT DISTINCT relation FROM margins) m;
SELECT dp_protect(relation, 100000, unit_column => 'person', max_rows_per_unit => 5) FROM (SELECT DISTINCT relation FROM margins) m;
SELECT is_unbiased(relation, columns, 5) FROM margins;

-- Independent sets are counted in a scan each, and are still of the same row.
CREATE TABLE one_person AS SELECT * FROM four_columns WHERE person = 'person 1';
ALTER TABLE one_person ADD CHECK (a IN (0, 1, 2)), ADD CHECK (b IN (0, 1, 2)), ADD CHECK (c IN (0, 1, 2)), ADD CHECK (d IN (0, 1, 2));
SELECT dp_protect('one_person', 100000, unit_column => 'person');
CREATE FUNCTION same_row_in_all_scans() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	release bigint := dp_release('one_person', 'sba', 900, 0, '{"dense_cells": 1000, "independent_sets": true}', 3);
BEGIN
	RETURN count(DISTINCT drawn::text) = 1 FROM generate_series(1, 3) i, dp_sample(NULL::one_person, release, 1, 1, i) drawn;
END
$$;
SELECT ok((SELECT bool_and(same_row_in_all_scans()) FROM generate_series(1, 10)), 'three scans of a release read the same row, ten times');
SELECT * FROM finish();

RESET SESSION AUTHORIZATION;
DROP OWNED BY pgtap_units_owner CASCADE;
DROP ROLE pgtap_units_owner;
