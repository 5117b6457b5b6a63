-- Rows of every method keep the rules of their table, at every seed.
SET client_min_messages = error;
CREATE ROLE pgtap_rules_owner;
GRANT ALL ON SCHEMA public TO pgtap_rules_owner;
SET SESSION AUTHORIZATION pgtap_rules_owner;
CREATE TABLE t (a date NOT NULL, b date, k text NOT NULL CHECK (k IN ('x', 'y')), d integer GENERATED ALWAYS AS (b - a) STORED,
	CHECK (b >= a), CHECK (k <> 'y' OR b IS NOT NULL));
INSERT INTO t (a, b, k) SELECT date '2020-01-01' + i % 100, CASE WHEN i % 4 > 0 THEN date '2020-01-01' + i % 100 + i % 7 END,
	CASE WHEN i % 4 > 0 AND i % 3 = 0 THEN 'y' ELSE 'x' END FROM generate_series(1, 1000) i;
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'a', bins => '{2020-01-01,2020-02-01,2020-03-01,2020-05-01}'),
	   dp_define_column('t', 'b', bins => '{2020-01-01,2020-02-01,2020-03-01,2020-05-01}');
CREATE TABLE copy (LIKE t INCLUDING ALL);

-- each method, with what it cannot do without
CREATE TEMP TABLE method (name text, options jsonb) ON COMMIT PRESERVE ROWS;
INSERT INTO method SELECT m.method, CASE WHEN m.method IN ('pegs', 'pmi') THEN '{"rows": 200}'
										 WHEN m.method = 'pegs_ldiversity' THEN '{"rows": 200, "l": 1, "sensitive": "k"}' ELSE '{}' END::jsonb
  FROM dp_methods m WHERE m.method NOT IN ('auto', 'histogram', 'pegs_ldiversity', 'query') GROUP BY 1;
SELECT plan(2 * count(*)::integer + 2) FROM method;

CREATE FUNCTION keeps(name text, options jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	release bigint := dp_release('t', name, 20, 0.01, options);
	rows bigint := 200;
BEGIN
	RETURN NEXT lives_ok(format('INSERT INTO copy (a, b, k) SELECT a, b, k FROM dp_sample(NULL::t, %s, %s, 1)', release, rows),
						 format('%s: every row keeps every rule', name));
	RETURN NEXT is((SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::t, release, rows, 7)
										  EXCEPT ALL SELECT * FROM dp_sample(NULL::t, release, rows, 7)) d),
				   0::bigint, format('%s: a seed is the same rows', name));
END
$$;
SELECT keeps(name, options) FROM method ORDER BY name;

-- Inside a pair of bins that a rule cuts, values are uniform over the part that keeps it: of a <= b
-- in one bin of 10 values there are 55 pairs.
CREATE TABLE u (a integer NOT NULL, b integer NOT NULL, CHECK (a <= b));
INSERT INTO u SELECT 0, 0 FROM generate_series(1, 100);
SELECT dp_protect('u', 1000000, 0.5);
SELECT dp_define_column('u', 'a', bins => '{0,9}'), dp_define_column('u', 'b', bins => '{0,9}');
SELECT dp_release('u', 'sba', 1000, 0.1) AS r \gset
CREATE TABLE pairs AS SELECT a, b, count(*) AS n FROM dp_sample(NULL::u, :r, 55000, 1) GROUP BY 1, 2;
SELECT is(count(*), 55::bigint, 'every pair that keeps the rule occurs, and no other') FROM pairs;
-- 54 degrees of freedom: 150 is passed by chance with less than 1e-10
SELECT cmp_ok(sum((n - 1000)::numeric ^ 2 / 1000), '<', 150::numeric, 'and all are equally frequent') FROM pairs;
SELECT * FROM finish();
RESET SESSION AUTHORIZATION;
DROP OWNED BY pgtap_rules_owner CASCADE;
DROP ROLE pgtap_rules_owner;
