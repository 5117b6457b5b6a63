-- A UNIQUE column that is NULL in some rows is as often NULL in synthetic ones, by the script as it is printed.
SET client_min_messages = error;
CREATE SCHEMA t_unique;
CREATE SCHEMA made_unique;
CREATE TABLE t_unique.person (id integer PRIMARY KEY, adult boolean NOT NULL, insurance integer UNIQUE, code text UNIQUE, token uuid UNIQUE,
	"all" integer UNIQUE, one_null integer UNIQUE NULLS NOT DISTINCT);
INSERT INTO t_unique.person SELECT i, i % 2 = 0, CASE WHEN i % 10 < 7 THEN 100000 + i * 7 END, CASE WHEN i % 10 < 3 THEN repeat(md5(i::text), 1 + i % 3) END,
	CASE WHEN i % 10 < 8 THEN md5(i::text)::uuid END, i, nullif(i, 7) FROM generate_series(1, 2000) i;
SELECT dp_protect('t_unique.person', 1000000, 0.1);
SELECT line FROM dp_suggest_columns('t_unique.person') line;
SELECT line FROM dp_suggest_columns('t_unique.person') line WHERE line LIKE 'SELECT%' \gexec
SELECT rows FROM dp_create_synthetic('t_unique.person', 'made_unique', 1000, 1e-9, seed => 1);
SELECT count(insurance) BETWEEN 1300 AND 1500 AS insurance, count(code) BETWEEN 500 AND 700 AS code, count(token) BETWEEN 1500 AND 1700 AS token,
	   count("all") = count(*) AS "all", count(one_null) >= count(*) - 1 AS one_null FROM made_unique.person;
SELECT conname FROM pg_constraint WHERE conrelid = 'made_unique.person'::regclass AND contype = 'u' ORDER BY 1;
DROP SCHEMA t_unique, made_unique CASCADE;
