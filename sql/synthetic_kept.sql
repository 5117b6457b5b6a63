-- constraints and columns that a whole database keeps: EXCLUDE, UNIQUE times, addresses, counts of what is NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = error;
CREATE SCHEMA kept;
CREATE SCHEMA kept_copy;
CREATE TABLE kept.employee (
	id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, badge timestamptz UNIQUE, host inet, card macaddr UNIQUE,
	trip integer, receipt integer, paid integer CHECK (paid BETWEEN 0 AND 300), km integer CHECK (km BETWEEN 0 AND 400),
	UNIQUE (trip, receipt), CHECK (num_nonnulls(paid, km) = 1));
INSERT INTO kept.employee (first_name, last_name, badge, host, card, trip, receipt, paid, km)
	SELECT 'f' || i % 7, 'l' || i % 13, CASE WHEN i % 5 > 0 THEN timestamptz '2015-01-01' + i * interval '7 hours 13 minutes' END,
		   CASE WHEN i % 2 = 0 THEN ('10.0.' || i / 200 || '.' || i % 200)::inet END, CASE WHEN i % 4 > 0 THEN lpad(to_hex(i), 12, '0')::macaddr END,
		   CASE WHEN i % 5 > 1 THEN i / 4 END, i % 4, CASE WHEN i % 3 > 0 THEN i * 7 % 300 END, CASE WHEN i % 3 = 0 THEN i * 11 % 400 END
	  FROM generate_series(1, 1500) i;
CREATE TABLE kept.salary (
	employee integer NOT NULL REFERENCES kept.employee, valid_from date NOT NULL, valid_to date NOT NULL, amount integer NOT NULL,
	PRIMARY KEY (employee, valid_from), EXCLUDE USING gist (int4range(employee, employee, '[]') WITH =, daterange(valid_from, valid_to) WITH &&));
INSERT INTO kept.salary SELECT e, d, d + 300, 2000 + e % 12 * 50
	  FROM generate_series(1, 1500) e, generate_series(0, e % 3) k, LATERAL (SELECT date '2010-01-01' + e % 700 + k * 400 AS d) x;
CREATE TABLE kept.duty (id serial PRIMARY KEY, employee integer NOT NULL REFERENCES kept.employee, during daterange NOT NULL, EXCLUDE USING gist (during WITH &&));
INSERT INTO kept.duty (employee, during) SELECT 1 + i * 7 % 1500, daterange(d, d + 5) FROM generate_series(1, 600) i, LATERAL (SELECT date '2000-01-01' + i * 9 AS d) x;
CREATE TABLE kept.leave (
	id serial PRIMARY KEY, employee integer NOT NULL REFERENCES kept.employee, starts date NOT NULL, ends date NOT NULL,
	EXCLUDE USING gist (daterange(starts, coalesce(ends, 'infinity'), '[]') WITH &&));
INSERT INTO kept.leave (employee, starts, ends) SELECT 1 + i * 7 % 1500, d, d + 4 FROM generate_series(1, 600) i, LATERAL (SELECT date '2000-01-01' + i * 9 AS d) x;
-- no nr is a multiple of 7, and some that are drawn are: the constraint has no value for them, which is seen after the debit alone
CREATE TABLE kept.shift (
	id serial PRIMARY KEY, employee integer NOT NULL REFERENCES kept.employee, nr integer NOT NULL CHECK (nr BETWEEN 0 AND 99999),
	begins date NOT NULL, ends date NOT NULL, EXCLUDE USING gist (daterange(begins, ends) WITH &&) WHERE (1 / (nr % 7) >= 0));
INSERT INTO kept.shift (employee, nr, begins, ends) SELECT 1 + i * 7 % 1500, i * 23 * 7 + 1 + i % 6, date '2000-01-01' + i * 9, date '2000-01-02' + i * 9 + i % 5
	  FROM generate_series(1, 600) i;
SELECT regexp_replace(line, ' --.*', '') FROM dp_suggest_protection('kept') line WHERE line ~ '^SELECT.*''(badge|host|card|trip)''';
SELECT replace(line, 'epsilon => 10,', 'epsilon => 1000000,') FROM dp_suggest_protection('kept') line
\set ECHO none
\o /dev/null
\gexec
\o
\set ECHO all
\o /dev/null
SELECT dp_define_column('kept.leave', 'ends', range => '{2000-01-01,2015-12-31}'); -- not the days from starts, as proposed
SELECT * FROM dp_create_synthetic('kept', 'kept_copy', 3000, 1e-9, '{"method": "mst"}', 1);
\o
-- all constraints but one that compares expressions for equality, one that cannot be computed, and one that few rows would keep
SELECT c.conrelid::regclass, c.conname FROM pg_constraint c WHERE c.connamespace = 'kept'::regnamespace
 EXCEPT SELECT replace(c.conrelid::regclass::text, 'kept_copy', 'kept')::regclass, c.conname FROM pg_constraint c WHERE c.connamespace = 'kept_copy'::regnamespace
 ORDER BY 1, 2;
SELECT abs(count(*) - 1500) < 20, abs(count(badge) - 1200) < 40, count(DISTINCT badge) > 1100, abs(count(host) - 750) < 100, abs(count(card) - 1125) < 100,
	   abs(count(trip) - 900) < 120, abs(count(km) - 500) < 40, bool_and(num_nonnulls(paid, km) = 1) FROM kept_copy.employee;
SELECT count(*) BETWEEN 540 AND 620, avg(upper(during) - lower(during)) > 2 FROM kept_copy.duty;
-- ends comes before starts in many drawn rows, which have no range
SELECT abs(count(*) - 600) < 20, count(*) FILTER (WHERE ends < starts) > 60 FROM kept_copy.leave;
SELECT abs(count(*) - 600) < 20, count(*) FILTER (WHERE nr % 7 = 0) > 10 FROM kept_copy.shift;
DROP SCHEMA kept, kept_copy CASCADE;
