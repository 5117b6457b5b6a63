-- Plain SELECTs over protected relations in all the ways in which clients send them. With an epsilon
-- of 3000 no noise is left in a count, so that answers are the exact ones.
\pset null NULL
\set SHOW_CONTEXT never
\set VERBOSITY terse
CREATE SCHEMA t_private;
CREATE ROLE regress_dp_private_owner;
CREATE ROLE regress_dp_private_analyst;
GRANT USAGE, CREATE ON SCHEMA t_private TO regress_dp_private_owner, regress_dp_private_analyst;
SET search_path = t_private, public;
SET client_min_messages = warning;
SET SESSION AUTHORIZATION regress_dp_private_owner;
CREATE TABLE wards (ward int PRIMARY KEY, name text);
CREATE TABLE visits (id int, ward int REFERENCES wards, kind text NOT NULL, price numeric(8,2) NOT NULL, at date NOT NULL);
INSERT INTO wards VALUES (1, 'er'), (2, 'icu');
INSERT INTO visits SELECT i, 1 + i % 2, CASE i % 3 WHEN 0 THEN 'a' ELSE 'b' END, i % 100, date '2024-01-01' + i % 366
  FROM generate_series(1, 600) i;
GRANT SELECT ON wards TO regress_dp_private_analyst;
SELECT dp_declare_public('wards');
SET client_min_messages = error;
SELECT dp_protect('visits', 1000000);
SET client_min_messages = warning;
SELECT dp_define_column('visits', 'kind', '{a,b}', complete => true), dp_define_column('visits', 'ward', '{1,2}', complete => true),
	   dp_define_column('visits', 'price', range => '{0,100}'), dp_define_column('visits', 'at', range => '{2024-01-01,2024-12-31}');
SELECT dp_grant('visits', 'regress_dp_private_analyst', 1000000);

SET SESSION AUTHORIZATION regress_dp_private_analyst;
CREATE VIEW spent AS SELECT count(*) AS debits FROM dp_ledger;
-- without the mode nothing is answered
SELECT count(*) FROM visits;
SELECT dp_private_queries(3000);
SELECT count(*) FROM visits;
-- the same question is the same answer
SELECT count(*) AS n FROM visits AS v;
SELECT * FROM spent;

-- what PostgreSQL does afterwards
SELECT kind, count(*) AS n, round(sum(price)) AS total, round(avg(price), -1) AS mean, dp_low(count(*)) <= count(*) AS low, dp_high(count(*)) >= count(*) AS high,
	   dp_std_error(count(*)) < 1 AS std_error, count(*) / 2 AS half, rank() OVER (ORDER BY count(*) DESC), sum(count(*)) OVER ()
  FROM visits WHERE price >= 50 GROUP BY kind HAVING count(*) > 10 ORDER BY n DESC LIMIT 5;
SELECT upper(kind) || '!' AS loud, count(*) FILTER (WHERE ward = 1) AS one, count(*) FILTER (WHERE ward = 2) AS two FROM visits GROUP BY kind ORDER BY kind;
SELECT kind, ward, count(*) FROM visits GROUP BY 1, 2 ORDER BY 1, 2 DESC;
SELECT bool_or(price > 90) AS yes, bool_or(price > 99) AS no, bool_and(price >= 0) AS all, every(price > 0) FILTER (WHERE ward = 1) AS not_all FROM visits;
SELECT DISTINCT kind FROM visits ORDER BY 1;
SELECT kind FROM visits GROUP BY kind ORDER BY kind;
SELECT count(*) FROM visits WHERE kind = 'zzz';
-- groups that WHERE rules out do not come, others do
SELECT kind, ward, count(*) FROM visits WHERE (kind = 'a' AND ward = 1) OR (kind = 'b' AND ward IN (2, 3)) GROUP BY 1, 2 ORDER BY 1;
SELECT w.name, count(*) FROM visits v JOIN wards w ON w.ward = v.ward AND w.name >= 'i' WHERE price < 0 GROUP BY 1;
SELECT kind, round(dp_low(100 * sum(price) / count(*))) <= 5000, dp_high(100 * sum(price) / count(*)) > dp_low(100 * sum(price) / count(*)) AS wide FROM visits GROUP BY kind ORDER BY kind;
SELECT dp_low(2 * count(*)) <= 1200 AND dp_high(2 * count(*)) >= 1200 AS holds, dp_low(count(*) / 0.0) AS none FROM visits HAVING count(*) < 0;

-- names and types
SELECT kind, count(*), sum(price), avg(price), stddev(price), count(*) + 1, percentile_disc(0.5) WITHIN GROUP (ORDER BY at) FROM visits GROUP BY kind \gdesc

-- joins, views, sub-queries and CTEs
SELECT w.name, count(*) FROM visits v JOIN wards w USING (ward) GROUP BY w.name ORDER BY 1;
SELECT w.name, count(*) FROM visits v, wards w WHERE v.ward = w.ward AND w.name <> 'er' GROUP BY w.name ORDER BY 1;
SELECT * FROM (SELECT kind AS k, count(*) AS "COUNT(*)" FROM (SELECT * FROM visits WHERE ward = 1) AS virtual_table GROUP BY kind ORDER BY "COUNT(*)" DESC) q LIMIT 1;
WITH v AS (SELECT kind, ward * 2 AS w FROM visits WHERE price >= 50), c AS (SELECT kind, count(*) AS n FROM v WHERE w = 2 GROUP BY kind) SELECT kind, n, n * 100 / sum(n) OVER () > 50 AS most FROM c ORDER BY kind;
CREATE VIEW by_kind AS SELECT kind, count(*) AS n FROM visits GROUP BY kind;
CREATE VIEW first_ward AS SELECT * FROM visits WHERE ward = 1;
SELECT * FROM by_kind ORDER BY kind;
SELECT max(n) FROM by_kind;
SELECT count(*) FROM first_ward WHERE kind = 'a';
SELECT (SELECT count(*) FROM visits) AS all_visits, (SELECT count(*) FROM wards) AS all_wards;
SELECT name, (SELECT count(*) FROM visits) > 100 AS many FROM wards ORDER BY name;
SELECT count(*) FROM visits WHERE price > (SELECT round(avg(price), -1) FROM visits);
SELECT v.kind, count(*) FROM visits v JOIN (SELECT kind AS k, count(*) AS n FROM visits GROUP BY kind ORDER BY n DESC LIMIT 1) AS most ON v.kind = k AND price >= 50 GROUP BY v.kind;
SELECT kind, count(*) FROM (SELECT kind FROM visits WHERE price > (SELECT round(avg(price), -1) FROM visits)) v GROUP BY kind ORDER BY kind;
SELECT count(*) FROM visits WHERE kind IN (SELECT kind FROM visits GROUP BY kind ORDER BY count(*) DESC LIMIT 1);
SELECT count(*) FROM visits v JOIN by_kind USING (kind);
WITH a AS (SELECT round(avg(price), -1) AS p FROM visits) SELECT count(*) FROM visits WHERE price > (SELECT p FROM a);
SELECT count(*) FROM visits WHERE kind NOT IN (SELECT kind FROM visits GROUP BY kind ORDER BY count(*) DESC LIMIT 1);
SELECT count(*) FROM visits UNION ALL SELECT count(*) FROM visits WHERE ward = 1 UNION ALL SELECT count(*) FROM wards;
SELECT kind, (SELECT count(*) FROM wards w WHERE w.name > v.kind) AS later FROM visits v GROUP BY kind ORDER BY kind;

SELECT name FROM wards ORDER BY name LIMIT (SELECT count(*) / 600 FROM visits);

-- how clients send it
PREPARE q(int) AS SELECT count(*) FROM visits WHERE ward = $1;
EXECUTE q(1);
SET plan_cache_mode = force_generic_plan;
EXECUTE q(2);
RESET plan_cache_mode;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT kind, count(*) FROM visits GROUP BY kind ORDER BY kind;
FETCH 1 FROM c;
FETCH 1 FROM c;
FETCH BACKWARD 1 FROM c;
ROLLBACK;
COPY (SELECT kind, count(*) FROM visits GROUP BY kind ORDER BY kind) TO STDOUT;
CREATE TEMP TABLE copied AS SELECT kind, count(*) AS n FROM visits GROUP BY kind;
INSERT INTO copied SELECT 'all', count(*) FROM visits;
SELECT * FROM copied ORDER BY kind;
DO $$
DECLARE r record; least int := 50;
BEGIN
	FOR r IN SELECT kind, count(*) AS n FROM visits WHERE price >= least GROUP BY kind ORDER BY kind LOOP
		RAISE WARNING '% %', r.kind, r.n;
	END LOOP;
END $$;
CREATE FUNCTION visits_of(int) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM visits WHERE ward = $1';
SELECT visits_of(1);
SELECT count(*) FROM visits \gset
SELECT :count AS n;

-- nothing is spent by an EXPLAIN, by LIMIT 0, by what is cut short, nor by what is refused
SELECT debits FROM spent \gset before_
EXPLAIN (COSTS OFF) SELECT kind, count(*) AS n FROM visits WHERE price > 90 GROUP BY kind ORDER BY n;
EXPLAIN (COSTS OFF) EXECUTE q(77);
CREATE FUNCTION plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		RETURN NEXT regexp_replace(line, 'InitPlan (expr_)?(\d+)( \(returns .*\))?', 'InitPlan \2'); -- PostgreSQL 19 has expr_, 16 returns
	END LOOP;
END
$$;
SELECT plan('SELECT count(*) FROM visits WHERE price > (SELECT avg(price) FROM visits WHERE ward = 2)');
SELECT count(*) FROM visits WHERE ward = 78 LIMIT 0;
CREATE TEMP TABLE none AS SELECT count(*) FROM visits WHERE ward = 79 WITH NO DATA;
SELECT count(*) / 0 FROM visits WHERE min(price) > 1;
SELECT count(*), min(price) FROM visits;
SELECT max(price) FROM visits;
SELECT string_agg(kind, ',') FROM visits;
SELECT array_agg(price) FROM visits;
SELECT sum(DISTINCT price) FROM visits;
SELECT percentile_cont('{0.1,2}'::float8[]) WITHIN GROUP (ORDER BY price) FROM visits;
SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY price) FROM visits;
SELECT * FROM visits;
SELECT price FROM visits LIMIT 1;
SELECT kind, row_number() OVER () FROM visits;
SELECT count(*) FROM (SELECT * FROM visits LIMIT 10) v;
SELECT count(*) FROM (SELECT price FROM visits UNION ALL SELECT 1) v;
SELECT count(*) FROM (SELECT DISTINCT ON (kind) * FROM visits) v;
SELECT count(*) FROM ONLY visits;
SELECT count(*) FROM visits TABLESAMPLE system (50);
SELECT count(*) FROM visits, generate_series(1, 3);
SELECT count(*) FROM visits, (VALUES (1), (2)) v;
SELECT count(*) FROM visits v JOIN by_kind b ON b.n > v.price;
SELECT w.name, (SELECT count(*) FROM visits v WHERE v.ward = w.ward) FROM wards w;
SELECT (SELECT count(*) FROM wards x WHERE x.ward > sum(w.ward) FILTER (WHERE w.ward > (SELECT sum(w.ward) FILTER (WHERE v.price > 3) FROM visits v))) FROM visits v JOIN wards w USING (ward);
SELECT count(*) FROM wards WHERE ward IN (SELECT ward FROM visits);
WITH RECURSIVE r AS (SELECT id FROM visits UNION ALL SELECT id + 1 FROM r WHERE id < 3) SELECT count(*) FROM r;
SELECT dp_low(kind) FROM visits GROUP BY kind;
SELECT dp_low(3);
SELECT dp_low((SELECT count(*) FROM visits));
UPDATE visits SET price = 0;
DELETE FROM visits;
INSERT INTO wards SELECT 3, kind FROM visits;
SELECT count(*) FROM visits WHERE kind = 'a' FOR UPDATE;
SELECT count(*) FROM visits WHERE kind = 'a' COLLATE "C";
SELECT count(*) FROM visits WHERE kind = ANY ('{a}'::text[] COLLATE "C");
SELECT count(*) FROM visits WHERE kind = to_char(now(), 'Mon') COLLATE "C";
SELECT kind || 'x' COLLATE "C", count(*) FROM visits GROUP BY 1;
SELECT dp_catalog.dp_question_rows(NULL::text);
SELECT dp_private_queries(0), dp_private_queries(-1);
SELECT dp_private_queries(1, 2);
SELECT dp_private_queries(1, confidence => 1);
SELECT dp_private_queries(1, refresh => '-1 day');
SELECT debits - :before_debits AS spent FROM spent;

-- dp_sql asks whatever the mode is, also of what the caller may read
SELECT dp_private_queries(NULL);
SELECT * FROM dp_sql('SELECT kind, count(*), round(dp_std_error(count(*))) FROM visits GROUP BY 1 ORDER BY 1', 3000) AS (kind text, n bigint, std_error float8);
SELECT (j->>'kind'), j->'n'->>'estimate', (j->'n'->>'low')::float8 <= (j->'n'->>'high')::float8, j->'half'->>'estimate', j->'half'->>'std_error' IS NOT NULL
  FROM dp_sql_json('SELECT kind, count(*) AS n, count(*) / 2 AS half FROM visits GROUP BY 1 ORDER BY n', 3000) j;
SELECT j->>'kind', j->'n'->>'estimate', jsonb_typeof(j->'n'->'low') FROM dp_sql_json('SELECT * FROM (SELECT kind, count(*) AS n FROM visits GROUP BY 1) q WHERE n > 200', 3000) j;
SELECT * FROM dp_sql('SELECT kind, count(*) FROM visits GROUP BY 1', 3000) AS (kind text, n int);
SELECT * FROM dp_sql('SELECT kind FROM visits GROUP BY 1', 3000) AS (kind text, n bigint);
SELECT * FROM dp_sql('SELECT 1', 1) AS (x int);
SELECT * FROM dp_sql('SELECT count(*) FROM visits; SELECT 1', 1) AS (x bigint);
SELECT * FROM dp_sql('DELETE FROM visits', 1) AS (x bigint);
SELECT * FROM dp_sql('SELECT count(*) FROM nowhere', 1) AS (x bigint);
SELECT * FROM dp_sql('SELECT count(*) FROM visits', NULL) AS (x bigint);
SELECT dp_sql('SELECT count(*) FROM visits', 1);
\set VERBOSITY default
SELECT count(*) FROM visits;
SELECT * FROM dp_sql('SELECT min(price) FROM visits', 1) AS (x numeric);

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP TABLE copied, none;
DROP SCHEMA t_private CASCADE;
DROP ROLE regress_dp_private_owner;
DROP ROLE regress_dp_private_analyst;
