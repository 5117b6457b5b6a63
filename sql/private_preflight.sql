-- What fails whatever the answers are fails before anything is spent: the statement is run with substitutes of its
-- answers first. What fails for a substitute alone is answered. Statements of programs that give no rows read nothing.
\pset null NULL
\set VERBOSITY terse
CREATE SCHEMA t_preflight;
CREATE ROLE regress_dp_pf_ana;
GRANT USAGE ON SCHEMA t_preflight TO regress_dp_pf_ana;
SET search_path = t_preflight, public;
SET client_min_messages = error;
CREATE TABLE wards (ward int PRIMARY KEY, name text NOT NULL, beds int NOT NULL);
CREATE TABLE secret (ward int);
CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward int NOT NULL REFERENCES wards, price int NOT NULL, at date NOT NULL);
INSERT INTO wards VALUES (1, 'er', 10), (2, 'icu', 4);
INSERT INTO patients SELECT i, CASE WHEN i % 4 = 0 THEN 'm' ELSE 'f' END FROM generate_series(1, 100) i;
INSERT INTO visits SELECT i, 1 + i % 80, 1 + i % 2, i % 10, date '2024-01-01' + i % 10 FROM generate_series(1, 240) i;
GRANT SELECT ON wards TO regress_dp_pf_ana;
SELECT dp_declare_public('wards');
SELECT dp_protect('patients', 1000000), dp_protect('visits', parent => 'patients', max_rows_per_unit => 3);
SELECT dp_define_column('patients', 'sex', '{f,m}', complete => true), dp_define_column('visits', 'price', range => '{0,10}'),
	dp_define_column('visits', 'at', range => '{2024-01-01,2024-02-01}');
SELECT dp_grant(r, 'regress_dp_pf_ana', 500000) FROM unnest('{patients,visits}'::regclass[]) r;
CREATE VIEW debits AS SELECT count(*) AS debits FROM dp_ledger;
GRANT SELECT ON debits TO regress_dp_pf_ana;
SET ROLE regress_dp_pf_ana;
SELECT dp_private_queries(3000);

SELECT debits AS before FROM debits \gset
-- public tables and constants
SELECT count(*), (SELECT max(1 / (ward - 1)) FROM wards) FROM visits;
SELECT count(*), (SELECT sum(beds * 1000000000) FROM wards) FROM visits;
SELECT count(*), (SELECT name::int FROM wards WHERE ward = 1) FROM visits;
SELECT count(*), (SELECT name FROM wards) FROM visits;
SELECT count(*) FROM visits UNION ALL SELECT 1 / (ward - 1) FROM wards;
SELECT * FROM (SELECT count(*) FROM visits) q, (VALUES (1 / (SELECT min(ward) - 1 FROM wards))) v;
SELECT count(*) FROM visits OFFSET (SELECT 1 / (min(ward) - 1) FROM wards);
-- beside groups that HAVING, or WHERE around it, leaves out for their numbers, and beside intervals
SELECT ward, (SELECT max(1 / (ward - 1)) FROM wards) FROM visits GROUP BY ward HAVING count(*) > 20;
SELECT ward, n, (SELECT max(1 / (ward - 1)) FROM wards) FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q WHERE n > 5 AND ward > 1;
SELECT dp_low(count(*)), dp_high(100 * sum(price) / count(*)), (SELECT max(1 / (ward - 1)) FROM wards) FROM visits;
-- functions that return rows, aggregates, arrays, XML
SELECT n, generate_series(1, 10, 0) FROM (SELECT count(*) AS n FROM visits) q;
SELECT generate_series(1, n, 0) FROM (SELECT count(*) AS n FROM visits) q;
SELECT generate_series(timestamp '2024-01-01', timestamp '2024-01-01' + n * interval '1 day', '0 days') FROM (SELECT count(*) AS n FROM visits) q;
SELECT generate_series(timestamptz '2024-01-01', timestamptz '2024-01-01' + n * interval '1 day', interval '1 month -30 days') FROM (SELECT count(*) AS n FROM visits) q;
SELECT n, regexp_split_to_table('a', '(') FROM (SELECT count(*) AS n FROM visits) q;
SELECT array_agg(CASE WHEN ward = 1 THEN ARRAY[n] ELSE ARRAY[n, n] END) FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q;
SELECT jsonb_object_agg(ARRAY[n], n) FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q;
SELECT ARRAY[ARRAY[n], ARRAY[n, n]] FROM (SELECT count(*) AS n FROM visits) q;
SELECT sum(i) FROM (SELECT ward, count(*), interval '170000000 years' AS i FROM visits GROUP BY ward) q;
-- several questions, one of which another waits for; a function, a cursor, dp_sql
SELECT count(*) FROM visits WHERE price > (SELECT avg(price) + (SELECT 1 / (min(ward) - 1) FROM wards) FROM visits);
SELECT count(*) + (SELECT count(*) FROM patients), generate_series(1, 2, 0) FROM visits;
BEGIN;
DECLARE c CURSOR FOR SELECT n, generate_series(1, 10, 0) FROM (SELECT count(*) AS n FROM visits) q;
FETCH c;
ROLLBACK;
-- a preflight that fails leaves no substitutes behind: the cursor and the plan of its query outlive the error
BEGIN;
DECLARE c CURSOR FOR SELECT n, generate_series(1, 10, 0) FROM (SELECT count(*) AS n FROM visits) q;
SAVEPOINT a;
FETCH c;
ROLLBACK TO a;
SELECT count(*) FROM visits WHERE price < 5;
ROLLBACK;
CREATE FUNCTION pg_temp.fetching() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE c refcursor; r record;
BEGIN
	FOR step IN 0..1 LOOP
		c := NULL;
		OPEN c FOR SELECT n, generate_series(1, 2, step) AS g FROM (SELECT count(*) AS n FROM t_preflight.visits WHERE price < 5) q;
		BEGIN FETCH c INTO r; RETURN NEXT r::text; EXCEPTION WHEN invalid_parameter_value THEN RETURN NEXT 'failed'; END;
	END LOOP;
END $$;
SET plan_cache_mode = force_generic_plan;
SELECT * FROM pg_temp.fetching();
RESET plan_cache_mode;
-- a cursor that is held fails when it is committed, and a preflight that is cancelled is one that fails
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT n, generate_series(1, 10, 0) FROM (SELECT count(*) AS n FROM visits) q;
COMMIT;
CREATE FUNCTION pg_temp.slow(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_sleep(30); RETURN $1; END $$;
SET statement_timeout = '500 ms';
SELECT count(*), (SELECT max(pg_temp.slow(beds)) FROM wards) FROM visits;
RESET statement_timeout;
SELECT debits - :before AS debits FROM debits;
SELECT debits AS before FROM debits \gset
CREATE TEMP TABLE made AS SELECT n, generate_series(1, 10, 0) FROM (SELECT count(*) AS n FROM visits) q;
SELECT * FROM dp_sql('SELECT n, generate_series(1, 10, 0) FROM (SELECT count(*) AS n FROM visits) q', 3000) AS (n bigint, g int);
PREPARE p (int) AS SELECT n, generate_series(1, 2, $1) FROM (SELECT count(*) AS n FROM visits) q;
EXECUTE p (0);
SELECT debits - :before AS debits FROM debits;
-- what works for the answer
EXECUTE p (1);
CREATE FUNCTION pg_temp.known(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF $1 IS NULL THEN RAISE 'unknown'; END IF; RETURN $1; END $$;
SELECT pg_temp.known(n) AS n FROM (SELECT count(*) AS n FROM visits) q;
SELECT ward, 1 / (ward - 2) AS q, count(*) > 100 AS many FROM visits GROUP BY ward HAVING ward <> 2 AND count(*) > 20;
SELECT ward, generate_series(1, ward) AS g, n FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q ORDER BY 1, 2;
SELECT ward, generate_series(0, n, 100) AS g FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q ORDER BY 1, 2;
SELECT dp_low(count(*)) > 200 AS low, dp_high(sum(price) / count(*)) < 9 AS high, avg(price) > (SELECT avg(beds) FROM wards) AS more FROM visits;
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT ward, n > 100 AS many FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) q ORDER BY 1;
COMMIT;
FETCH ALL h;
CLOSE h;
-- a function that asks is asked once
CREATE FUNCTION pg_temp.asking(int) RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM t_preflight.visits WHERE price > $1); END $$;
SELECT dp_private_queries(3000, refresh => '0 s');
SELECT debits AS before FROM debits \gset
SELECT n > 0 AS some, pg_temp.asking(5) > 0 AS others FROM (SELECT count(*) AS n FROM visits) q;
SELECT debits - :before AS debits FROM debits;
SELECT dp_private_queries(3000);
-- what has an effect beside its rows is run once
CREATE TEMP SEQUENCE s;
SELECT n, nextval('s') FROM (SELECT ward, count(*) AS n FROM visits WHERE price > 2 GROUP BY ward) q;
CREATE TEMP TABLE kept (ward int, n bigint);
INSERT INTO kept SELECT ward, count(*) FROM visits WHERE price > 3 GROUP BY ward;
SELECT ward, n > 0 AS known FROM kept ORDER BY 1;
WITH w AS (INSERT INTO kept SELECT ward, count(*) FROM visits WHERE price > 4 GROUP BY ward RETURNING *) SELECT count(*) FROM w;

-- names and types, and no rows
SELECT debits AS before FROM debits \gset
SELECT * FROM visits LIMIT 0;
SELECT v.*, p.sex, count(*) OVER () AS c FROM visits v JOIN patients p ON p.id = v.patient WHERE 1 = 0 ORDER BY v.at;
SELECT DISTINCT id FROM visits LIMIT 0;
SELECT price, at + 1 AS next FROM (SELECT * FROM visits) x LIMIT 0;
SELECT q.at FROM (SELECT * FROM visits WHERE false) q;
WITH q AS (SELECT * FROM visits) SELECT ward, name FROM q LEFT JOIN wards USING (ward) WHERE NULL;
SELECT * FROM (SELECT ward, count(*) FROM visits GROUP BY ward) q WHERE 1 = 0;
SELECT * FROM dp_sql('SELECT at, price FROM visits LIMIT 0', 3000) AS (at date, price int);
SELECT * FROM dp_sql_json('SELECT at, price FROM visits LIMIT 0', 3000);
SELECT ward, price FROM visits LIMIT 0 \gdesc
CREATE TEMP TABLE typed AS SELECT * FROM visits LIMIT 0;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attnum > 0 ORDER BY attnum;
SELECT debits - :before AS debits FROM debits;
-- rights hold
SELECT v.*, s.* FROM visits v, secret s LIMIT 0;
SELECT id, (SELECT ward FROM secret) FROM visits LIMIT 0;
SELECT id FROM visits WHERE EXISTS (SELECT FROM secret) LIMIT 0;
SELECT id FROM visits OFFSET (SELECT count(*) FROM secret) LIMIT 0;
SELECT id FROM (SELECT id FROM visits ORDER BY (SELECT max(ward) FROM secret)) q LIMIT 0;
WITH x AS (SELECT * FROM secret) SELECT id FROM visits, x LIMIT 0;
SELECT ward FROM visits UNION ALL SELECT ward FROM secret LIMIT 0;
-- what a function does in a preflight is undone
CREATE TEMP TABLE effect (n bigint);
CREATE FUNCTION pg_temp.note(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN INSERT INTO effect VALUES (n); RETURN n; END $$;
CREATE FUNCTION pg_temp.noted(n bigint) RETURNS bigint STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN pg_temp.note(n); END $$;
SELECT pg_temp.noted(count(*)) > 0 FROM visits WHERE price < 7;
SELECT n > 100 FROM effect;
SELECT * FROM visits LIMIT 1;
SELECT * FROM visits WHERE price = 0;

-- one row of each person
\set VERBOSITY default
SELECT avg(price) FROM (SELECT DISTINCT ON (patient) * FROM visits ORDER BY patient, at) q;
\set VERBOSITY terse
SELECT round(2 * avg(price)) AS first FROM visits v WHERE at = (SELECT min(x.at) FROM visits x WHERE x.patient = v.patient);
-- ranges
SELECT count(*) FROM visits WHERE at <@ daterange('2024-01-02', '2024-01-04');
SELECT count(*) FROM visits WHERE NOT int4range(3, 5, '[]') @> price;
SELECT count(*) FROM visits WHERE price <@ int4range(NULL, 2, '()');
SELECT price <@ int4range(8, NULL) AS dear, count(*) FROM visits GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE price <@ 'empty'::int4range) AS none, count(*) FILTER (WHERE price <@ '(,)'::int4range) AS all FROM visits;
SELECT count(*) FROM visits WHERE price <@ int4range(ward, 5);

DISCARD TEMP;
RESET ROLE;
DROP SCHEMA t_preflight CASCADE;
DROP ROLE regress_dp_pf_ana;
