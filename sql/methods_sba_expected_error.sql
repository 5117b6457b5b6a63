-- dp_error: the corrected Proposition 1 against figures, against the
-- series it sums, and against releases.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t13;
SET search_path = t13, public;

-- 3,000 rows in 1,000 cells, delta 1e-4, one row replaced: 3002.35, 2922.93, 2292.55, 983.78
CREATE FUNCTION cells(VARIADIC n int[]) RETURNS bigint[] LANGUAGE sql
AS $$ SELECT array_agg(c::bigint) FROM unnest(n) WITH ORDINALITY u (times, c), generate_series(1, times) $$;
SELECT array_length(c, 1), (SELECT sum(x) FROM unnest(c) x) FROM cells(128, 298, 244, 186, 84, 46, 9, 4, 1) c;
SELECT epsilon, round(dp_error(cells(128, 298, 244, 186, 84, 46, 9, 4, 1), epsilon, 1e-4, 'replace_one', 'continuous')::numeric, 2)
  FROM unnest(ARRAY[1, 3, 5, 10]) epsilon;

-- the discrete form: E|released - c| = sum over z of P[Z = z] |z| where c + z >= T, else c;
-- T is the smallest with P[1 + Z >= T] = a^(T-1)/(1+a) <= delta
CREATE FUNCTION by_series(count bigint, e0 float8, delta float8) RETURNS float8 LANGUAGE sql AS $$
	WITH t AS (SELECT exp(-e0) AS a, greatest(2, 1 + ceil(ln(1 / (delta * (1 + exp(-e0)))) / e0)) AS threshold)
	SELECT sum((1 - a) / (1 + a) * exp(-e0 * abs(z)) * CASE WHEN count + z >= threshold THEN abs(z) ELSE count END)
	  FROM t, generate_series(-(600 / e0)::int, (600 / e0)::int) z $$;
SELECT neighbours, epsilon, delta, c, dp_error(ARRAY[c], epsilon, delta, neighbours)
  FROM (VALUES ('add_remove', 1.0), ('replace_one', 2.0)) n (neighbours, sensitivity),
	   unnest(ARRAY[0.1, 1, 3]) epsilon, unnest(ARRAY[1e-3, 1e-9]) delta, unnest(ARRAY[1, 2, 5, 20, 100, 1000]::bigint[]) c
 WHERE abs(dp_error(ARRAY[c], epsilon, delta, neighbours) - by_series(c, epsilon / sensitivity, delta))
	   > 1e-9 * by_series(c, epsilon / sensitivity, delta);
-- cells add up
SELECT abs(dp_error('{1,2,2,50}', 1, 1e-6) - (SELECT sum(dp_error(ARRAY[c], 1, 1e-6)) FROM unnest('{1,2,2,50}'::bigint[]) c)) < 1e-9;
SELECT dp_error('{}', 1, 1e-6);
SELECT dp_error(NULL, 1, 1e-6);
-- the error is never much more than that of releasing nothing, and little for large counts
SELECT dp_error('{1000000}', 1, 1e-6) < 1, dp_error('{1}', 1, 1e-6) BETWEEN 0.99 AND 1.01;

-- a release agrees with the formula: of 2,000 cells of 12 rows those with 12 + Z >= 10 show, which
-- is all but a share of a^3/(1+a); 150 are 18 standard deviations
CREATE TABLE t (n int NOT NULL);
INSERT INTO t SELECT i % 2000 FROM generate_series(0, 23999) i;
SELECT dp_protect('t', 1000, 0.1);
SELECT dp_define_column('t', 'n', (SELECT array_agg(i::text) FROM generate_series(0, 1999) i), complete => true);
SELECT dp_release('t', 'sba', 1, 1e-4, '{"count_share": 0.0001}') AS r \gset
SELECT count(DISTINCT n) BETWEEN 1500 AND 2000, abs(count(DISTINCT n) - 2000 * (1 - shown)) < 150
  FROM dp_sample(NULL::t, :r, 200000, 1),
	   (SELECT exp(-(12 - 9)) / (1 + exp(-1)) AS shown) p GROUP BY shown;
SELECT threshold FROM dp_explain('t', 'sba', 1, 1e-4, '{"count_share": 0.0001}') WHERE stage = 'histogram';

-- errors
SELECT dp_error('{0}', 1, 1e-6);
SELECT dp_error('{-1}', 1, 1e-6);
SELECT dp_error('{1,NULL}', 1, 1e-6);
SELECT dp_error('{1}', 0, 1e-6);
SELECT dp_error('{1}', -1, 1e-6);
SELECT dp_error('{1}', 'NaN', 1e-6);
SELECT dp_error('{1}', 1, 0);
SELECT dp_error('{1}', 1, 1);
SELECT dp_error('{1}', 1, 2);
SELECT dp_error('{1}', 1, 1e-6, 'bounded');
SELECT dp_error('{1}', 1, 1e-6, 'add_remove', 'gaussian');
SELECT dp_error('{{1,2},{3,4}}', 1, 1e-6) > 9;

SET client_min_messages = warning;
DROP SCHEMA t13 CASCADE;
