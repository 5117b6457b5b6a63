-- Drawn rows follow the released model: frequencies by chi-square, places inside
-- bins by Kolmogorov-Smirnov. Seeds are fixed, so a verdict stays as it is; a
-- limit is passed by chance with less than 1e-9.
SET client_min_messages = warning;
SELECT plan(12);

CREATE ROLE pgtap_sampling_owner;
GRANT ALL ON SCHEMA public TO pgtap_sampling_owner;
SET SESSION AUTHORIZATION pgtap_sampling_owner;
CREATE TABLE t (a int NOT NULL, b int);
-- 20 cells of 50, 100, ... 1000 rows; the last five have b NULL
INSERT INTO t SELECT cell % 5, CASE WHEN cell < 15 THEN cell / 5 END FROM generate_series(0, 19) cell, generate_series(1, 50 * (cell + 1));
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_define_column('t', 'a', '{0,1,2,3,4}'), dp_define_column('t', 'b', '{0,1,2}');

CREATE FUNCTION chi_square(drawn regclass) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	result numeric;
BEGIN
	EXECUTE format('SELECT sum((coalesce(d.n, 0) - e.n) ^ 2 / e.n)
					  FROM (SELECT a, coalesce(b, -1) AS b, count(*) * (SELECT count(*) FROM %1$s)::numeric / (SELECT count(*) FROM t) AS n FROM t GROUP BY 1, 2) e
					  LEFT JOIN (SELECT a, coalesce(b, -1) AS b, count(*) AS n FROM %1$s GROUP BY 1, 2) d USING (a, b)', drawn) INTO result;
	RETURN result;
END
$$;
-- noise is 0 but with a probability of exp(-5000)
SELECT dp_release('t', 'sba', 100000, 1e-6, sets => 2) AS sparse \gset
SELECT dp_release('t', 'sba', 100000, 0, '{"dense_cells": 100}') AS dense \gset
SELECT dp_release('t', 'sbhg', 100000) AS gibbs \gset
SELECT dp_release('t', 'sbhg', 100000, 1e-6, '{"dense_cells": 0, "missing_key": "reject"}') AS gibbs_sparse \gset
CREATE TABLE sparse AS SELECT * FROM dp_sample(NULL::t, :sparse, 200000, 1);
CREATE TABLE sparse_2 AS SELECT * FROM dp_sample(NULL::t, :sparse, 200000, 1, 2);
CREATE TABLE sparse_block AS SELECT s.* FROM generate_series(1, 2000) seed, LATERAL (SELECT * FROM dp_sample(NULL::t, :sparse, 100, seed)) s;
CREATE TABLE dense AS SELECT * FROM dp_sample(NULL::t, :dense, 200000, 1);
CREATE TABLE gibbs AS SELECT * FROM dp_sample(NULL::t, :gibbs, 200000, 1);
CREATE TABLE gibbs_sparse AS SELECT * FROM dp_sample(NULL::t, :gibbs_sparse, 200000, 1);
-- 19 degrees of freedom: 85 is passed with 2e-10, and less than 2 undercut with 2e-8
SELECT cmp_ok(chi_square(drawn), '<', 85::numeric, format('%s: frequencies of 20 cells', drawn))
  FROM unnest('{sparse,sparse_2,sparse_block,dense,gibbs,gibbs_sparse}'::regclass[]) drawn;
SELECT cmp_ok(chi_square('sparse'), '>', 2::numeric, 'sparse: nor too good to be drawn');

-- inside a bin: uniform, whatever the type
CREATE TABLE u (x float8 NOT NULL, n numeric(12,6) NOT NULL, i bigint NOT NULL, ts timestamp NOT NULL);
INSERT INTO u SELECT 0.5, 0.5, 1, '2020-01-01' FROM generate_series(1, 100);
SELECT dp_protect('u', 1000000, 0.5);
SELECT dp_define_column('u', 'x', bins => '{0,1}'), dp_define_column('u', 'n', bins => '{0,1}'),
	   dp_define_column('u', 'i', bins => '{0,1000000000000}'), dp_define_column('u', 'ts', bins => '{2020-01-01,2020-12-31}');
SELECT dp_release('u', 'sba', 1000, 0.1) AS r \gset
CREATE TABLE drawn AS SELECT x, n, i / 1e12 AS i, extract(epoch FROM ts - '2020-01-01') / (365 * 86400) AS ts FROM dp_sample(NULL::u, :r, 100000, 1);
CREATE FUNCTION kolmogorov_smirnov(name name) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	EXECUTE format('SELECT sqrt(count(*)) * max(greatest(abs(v - (r - 1) / 1e5), abs(v - r / 1e5)))
					  FROM (SELECT %I::float8 AS v, row_number() OVER (ORDER BY %I) AS r FROM drawn) d', name, name) INTO result;
	RETURN result;
END
$$;
-- 2 exp(-2 x^2) is 1e-9 at 3.27
SELECT cmp_ok(kolmogorov_smirnov(name), '<', 3.27::float8, format('%s: uniform inside its bin', name)) FROM unnest('{x,n,i,ts}'::name[]) name;
SELECT cmp_ok((SELECT abs(corr(x, n)) + abs(corr(x, i)) + abs(corr(n, ts)) FROM drawn), '<', 0.06::float8, 'and independent of each other');

SELECT * FROM finish();
RESET SESSION AUTHORIZATION;
DROP OWNED BY pgtap_sampling_owner CASCADE;
DROP ROLE pgtap_sampling_owner;
