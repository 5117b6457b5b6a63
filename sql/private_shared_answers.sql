-- dp_query and a SELECT that asks the same: each reads the answer of the other.
\set VERBOSITY terse
CREATE SCHEMA t_private_shared;
CREATE ROLE regress_dp_shared_analyst;
GRANT USAGE ON SCHEMA t_private_shared TO regress_dp_shared_analyst;
SET search_path = t_private_shared, public;
SET client_min_messages = error;
CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE size AS ENUM ('s', 'l');
CREATE TABLE visits (ward text NOT NULL, kind varchar(5), size size NOT NULL, urgent boolean NOT NULL, day date NOT NULL CHECK (day BETWEEN '2024-01-01' AND '2024-12-31'),
	price numeric(6,2) NOT NULL, age int CHECK (age BETWEEN 0 AND 100), score float8, beds int NOT NULL, "Big" int NOT NULL, town text COLLATE ci, seen date);
INSERT INTO visits SELECT (ARRAY['er', 'icu'])[1 + i % 2], CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' END, (ARRAY['s', 'l'])[1 + i % 2]::size, i % 5 = 0, date '2024-01-01' + i % 366, i % 90, NULLIF(i % 101, 100), i % 7, i % 4, i % 10, 'x', CASE i % 3 WHEN 0 THEN date 'infinity' WHEN 1 THEN '2024-05-01' END
  FROM generate_series(1, 900) i;
SELECT dp_protect('visits', 10000);
SELECT dp_define_column('visits', 'ward', '{er,icu}', complete => true), dp_define_column('visits', 'kind', '{a,b}'), dp_define_column('visits', 'price', range => '{0,100}'),
	dp_define_column('visits', 'score', range => '{0,10}'), dp_define_column('visits', 'beds', bins => '{0,2,4}'), dp_define_column('visits', 'Big', range => '{0,10}'),
	dp_define_column('visits', 'town', '{x,y}'), dp_define_column('visits', 'seen', range => '{2024-01-01,2024-12-31}');
SELECT dp_grant('visits', 'regress_dp_shared_analyst', 10000);
SET SESSION AUTHORIZATION regress_dp_shared_analyst;
SET datestyle = 'German';
SELECT dp_private_queries(2);
CREATE TEMP TABLE pair (n int GENERATED ALWAYS AS IDENTITY, by_select text, by_names text);
INSERT INTO pair (by_select, by_names) VALUES
($$SELECT count(*) FROM visits$$, $$'{count(*)}'$$),
($$SELECT ward, count(*) FROM visits GROUP BY 1$$, $$'{count(*)}', by => '{ward}'$$),
($$SELECT kind, size, avg(price), sum(price) FROM visits GROUP BY 1, 2$$, $$'{avg(price),sum(price)}', by => '{kind,size}'$$),
($$SELECT count(DISTINCT kind), stddev(age), percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM visits$$, $$'{count(distinct kind),stddev(age),median(age)}'$$),
($$SELECT count(*) FROM visits WHERE ward = 'icu'$$, $$'{count(*)}', filter => '{"ward": "icu"}'$$),
($$SELECT urgent, count(*) FROM visits WHERE kind IN ('b', 'a') GROUP BY 1$$, $$'{count(*)}', by => '{urgent}', filter => '{"kind": ["a", "b"]}'$$),
($$SELECT sum(price) FROM visits WHERE size = 'l' AND urgent AND ward = 'icu'$$, $$'{sum(price)}', filter => '{"size": "l", "urgent": true, "ward": "icu"}'$$),
($$SELECT count(*) FROM visits WHERE age >= 18 AND age < 65$$, $$'{count(*)}', filter => '{"age": [18, 65]}'$$),
($$SELECT count(*) FROM visits WHERE day >= '2024-02-03'$$, $$'{count(*)}', filter => '{"day": ["2024-02-03", "2024-12-31"]}'$$),
($$SELECT avg("Big") FROM visits$$, $$ARRAY['avg("Big")']$$),
-- these mean something else, or may
($$SELECT avg(score) FROM visits$$, $$'{avg(score)}'$$),
($$SELECT beds, count(*) FROM visits GROUP BY 1$$, $$'{count(*)}', by => '{beds}'$$),
($$SELECT count(age) FROM visits$$, $$'{count(age)}'$$),
($$SELECT count(*) FROM visits WHERE price >= 50$$, $$'{count(*)}', filter => '{"price": [50, 100]}'$$),
($$SELECT count(*) FROM visits WHERE kind IS NULL$$, $$'{count(*)}', filter => '{"kind": null}'$$),
($$SELECT count(*) FROM visits WHERE ward = 'er'$$, $$'{count(*)}', filter => '{"ward": "er"}'$$),
($$SELECT count(*) FROM visits WHERE seen >= '2024-02-03'$$, $$'{count(*)}', filter => '{"seen": ["2024-02-03", "2024-12-31"]}'$$);
CREATE FUNCTION pg_temp.debits(statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before bigint := (SELECT count(*) FROM dp_ledger);
BEGIN
	EXECUTE 'SELECT count(*) FROM (' || statement || ') x';
	RETURN (SELECT count(*) FROM dp_ledger) - before;
END $$;
-- by names first, and the other way round
SELECT n, pg_temp.debits(CASE WHEN n % 2 = 0 THEN by_select ELSE by_query END) AS first, pg_temp.debits(CASE WHEN n % 2 = 1 THEN by_select ELSE by_query END) AS second
  FROM pair, LATERAL (SELECT 'SELECT * FROM dp_query(''visits'', epsilon => 1, measures => ' || by_names || ')' AS by_query) q ORDER BY n;
-- the same numbers
SELECT count(*) AS groups, count(*) FILTER (WHERE n <> estimate) AS differ
  FROM (SELECT cell ->> 'ward' AS ward, estimate FROM dp_query('visits', '{count(*)}', 1, by => '{ward}')) q JOIN (SELECT ward, count(*) AS n FROM visits GROUP BY 1) s USING (ward);
-- a larger epsilon asks anew
SELECT pg_temp.debits($$SELECT * FROM dp_query('visits', '{count(*)}', 2.5)$$) AS larger, pg_temp.debits($$SELECT * FROM dp_query('visits', '{count(*)}', 2.5)$$) AS the_same,
	pg_temp.debits($$SELECT * FROM dp_query('visits', '{count(*)}', 1, max_rows_per_unit => 1)$$) AS bounded;
SET dpsyn.query_refresh = 0;
SELECT pg_temp.debits($$SELECT * FROM dp_query('visits', '{count(*)}', 0.5)$$) AS anew;
RESET dpsyn.query_refresh;
SELECT measure, cell FROM dp_query('visits', ARRAY['avg("Big")'], 1);
SELECT cell FROM dp_query('visits', '{count(*)}', 1, by => '{town}', filter => '{"town": ["x", "y"]}');
-- where values or a range are declared anew, older answers are to another question
CREATE FUNCTION pg_temp.asked(OUT kinds bigint, OUT kind bigint, OUT beds bigint, OUT big bigint) LANGUAGE sql AS $$
	SELECT pg_temp.debits('SELECT * FROM dp_query(''visits'', ''{count(distinct kind)}'', 1)'), pg_temp.debits('SELECT kind, count(*) FROM visits GROUP BY 1'),
		   pg_temp.debits('SELECT * FROM dp_query(''visits'', ''{count(*)}'', 1, by => ''{kind}'')'), pg_temp.debits('SELECT * FROM dp_query(''visits'', ARRAY[''avg("Big")''], 1)') $$;
SELECT * FROM pg_temp.asked();
SELECT * FROM pg_temp.asked();
RESET SESSION AUTHORIZATION;
SELECT dp_define_column('visits', 'kind', '{a,b,c}'), dp_define_column('visits', 'Big', range => '{0,20}');
SET SESSION AUTHORIZATION regress_dp_shared_analyst;
SELECT * FROM pg_temp.asked();
SELECT * FROM pg_temp.asked();
RESET SESSION AUTHORIZATION;
DROP TABLE pair;
DROP SCHEMA t_private_shared CASCADE;
DROP OWNED BY regress_dp_shared_analyst;
DROP ROLE regress_dp_shared_analyst;
