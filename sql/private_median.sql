-- PostgreSQL has no median, and many databases have one of their own: in a private query it is
-- percentile_cont(0.5), by its name. No code of it runs.
\set VERBOSITY terse
CREATE SCHEMA t_private_median;
CREATE ROLE regress_dp_median_analyst;
GRANT USAGE, CREATE ON SCHEMA t_private_median TO regress_dp_median_analyst;
SET search_path = t_private_median, public;
SET client_min_messages = error;
CREATE TABLE visits (id int NOT NULL, kind text NOT NULL, price numeric(8,2) NOT NULL, ward int NOT NULL);
INSERT INTO visits SELECT i, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, CASE i % 2 WHEN 0 THEN 20.3 ELSE 70.3 END, 7 FROM generate_series(1, 600) i;
SELECT dp_protect('visits', 1000000);
SELECT dp_define_column('visits', 'kind', '{a,b}', complete => true), dp_define_column('visits', 'price', range => '{0,100}'),
	   dp_define_column('visits', 'ward', range => '{0,9}');
SELECT dp_grant('visits', 'regress_dp_median_analyst', 1000000);

SET SESSION AUTHORIZATION regress_dp_median_analyst;
SET client_min_messages = warning;
SELECT dp_private_queries(3000);
-- where there is none, there is none in a private query either
SELECT median(price) FROM visits;

CREATE FUNCTION fails(anyarray, anyelement) RETURNS anyarray LANGUAGE plpgsql AS $$ BEGIN RAISE 'the code of median runs'; END $$;
CREATE FUNCTION first_of(anyarray) RETURNS anyelement LANGUAGE sql AS 'SELECT $1[1]';
CREATE AGGREGATE median(float8) (SFUNC = fails, STYPE = float8[], FINALFUNC = first_of);
SELECT median(v) FROM generate_series(1, 3) v;
SELECT kind, round(median(price)) AS median, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY price)) AS percentile,
	   dp_low(median(price)) <= median(price) AND median(price) <= dp_high(median(price)) AS within
  FROM visits GROUP BY kind ORDER BY kind;
SELECT round(median(price) FILTER (WHERE kind = 'b')) AS of_b, pg_typeof(median(price)) FROM visits;

-- it is the same question
SELECT count(*) AS before FROM dp_ledger \gset
SELECT round(median(price)) AS median FROM visits WHERE kind = 'a';
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY price)) AS percentile FROM visits WHERE kind = 'a';
SELECT count(*) - :before AS debits FROM dp_ledger;

-- of another type
CREATE AGGREGATE median(anyelement) (SFUNC = fails, STYPE = anyarray, FINALFUNC = first_of);
DROP AGGREGATE median(float8);
SELECT median(ward), pg_typeof(median(ward)), round(median(price)) AS price, pg_typeof(median(price)) AS of_price FROM visits WHERE kind = 'a';

-- what is no median of numbers
SELECT median(DISTINCT price) FROM visits;
SELECT median(kind) FROM visits;
CREATE FUNCTION first_number(float8, float8, float8) RETURNS float8 LANGUAGE sql AS 'SELECT $1';
CREATE AGGREGATE median(float8, float8) (SFUNC = first_number, STYPE = float8);
SELECT median(price, 1) FROM visits;
CREATE AGGREGATE middle(anyelement) (SFUNC = fails, STYPE = anyarray, FINALFUNC = first_of);
SELECT middle(price) FROM visits;

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t_private_median CASCADE;
DROP OWNED BY regress_dp_median_analyst;
DROP ROLE regress_dp_median_analyst;
