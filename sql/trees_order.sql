-- Rows that belong to one row of a parent, in order of a column: those that are read and those that are drawn.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t93o;
SET search_path = t93o, public;
SET client_min_messages = error;
CREATE TABLE patients (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE visits (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patients, ward text NOT NULL CHECK (ward IN ('a', 'b', 'c')),
	began date NOT NULL CHECK (began BETWEEN '2024-01-01' AND '2024-12-31'), ended date NOT NULL CHECK (ended >= began),
	told integer CHECK (told BETWEEN 0 AND 99), label text GENERATED ALWAYS AS (ward || id::text) STORED);
CREATE TABLE payments (id integer PRIMARY KEY, visit integer NOT NULL REFERENCES visits, kind text NOT NULL CHECK (kind IN ('a', 'b', 'c')));
-- wards come in turn by date, of which keys are the reverse; every visit is paid for by its ward
INSERT INTO patients SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 1500) i;
INSERT INTO visits SELECT 10 * i - j, i, substr('abc', 1 + j % 3, 1), d, d + 3, CASE WHEN j < 3 THEN 20 * j END
  FROM generate_series(1, 1500) i, generate_series(0, 3 + i % 2) j, LATERAL (SELECT date '2024-01-01' + i % 90 + 30 * j AS d) x;
INSERT INTO payments SELECT id, id, ward FROM visits;

-- ---- what is refused
SELECT dp_protect('patients', 1000000, 0.1, order_column => 'sex');
SELECT dp_protect('patients', 1000000, 0.1);
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 5, order_column => 'no_such');
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 5, order_column => 'label');
SELECT dp_release('{patients,visits}', 'aim', 1, 1e-9);
SELECT dp_unprotect('visits'), dp_protect('visits', parent => 'patients', max_rows_per_unit => 5, order_column => 'ended');
SELECT dp_define_column('visits', 'ended', offset_of => 'began', range => '{0,9}');
SELECT dp_release('{patients,visits}', 'aim', 1, 1e-9);
SELECT relation, order_column FROM dp_datasets WHERE parent = 'patients'::regclass;

-- ---- in order of a list
SELECT dp_unprotect('visits'), dp_protect('visits', parent => 'patients', max_rows_per_unit => 5, order_column => 'ward');
SELECT dp_release('{patients,visits}', 'mst', 10000, 1e-9) AS listed \gset
SELECT count(*) > 5000, count(DISTINCT ward), count(*) FILTER (WHERE ward < last_ward)
  FROM (SELECT ward, lag(ward) OVER (PARTITION BY patient ORDER BY id) AS last_ward FROM dp_sample(NULL::visits, :listed)) s;
-- ---- in order of the date
SELECT dp_unprotect('visits'), dp_protect('visits', parent => 'patients', max_rows_per_unit => 5, order_column => 'began');
SELECT dp_protect('payments', parent => 'visits', max_rows_per_unit => 1);
SELECT dp_release('{patients,visits,payments}', 'aim', 10000, 1e-9) AS release \gset
CREATE TABLE made_visits AS SELECT * FROM dp_sample(NULL::visits, :release, seed => 5);
CREATE TABLE made_payments AS SELECT * FROM dp_sample(NULL::payments, :release, seed => 5);
CREATE VIEW steps AS SELECT *, lag(began) OVER w AS last_began, lag(ward) OVER w AS last_ward FROM made_visits WINDOW w AS (PARTITION BY patient ORDER BY id);
SELECT count(*) FILTER (WHERE began < last_began), count(last_began) > 3000, count(*) FILTER (WHERE label <> ward || id), count(*) FILTER (WHERE ended < began) FROM steps;
-- what follows on what, and when
SELECT avg((ward = CASE last_ward WHEN 'a' THEN 'b' WHEN 'b' THEN 'c' ELSE 'a' END)::integer) > 0.9,
	   percentile_cont(0.5) WITHIN GROUP (ORDER BY began - last_began) BETWEEN 24 AND 36 FROM steps WHERE last_ward IS NOT NULL;
-- keys are as many as rows, in their order; and what belongs to a visit is its own
SELECT count(*) = max(id), min(id), count(DISTINCT id) = count(*) FROM made_visits;
SELECT avg((y.kind = v.ward)::integer) > 0.9, count(*) > 3300 FROM made_payments y JOIN made_visits v ON v.id = y.visit;
SELECT bool_and(abs(estimate - n) < 80) FROM dp_answer(:release, '{ward}', relation => 'visits') JOIN (SELECT ward, count(*) AS n FROM visits GROUP BY 1) t ON t.ward = cell->>'ward';
-- a seed means the same rows
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::visits, :release, seed => 5) EXCEPT SELECT * FROM made_visits) d;
-- a row type without the column; and one whose rule changes dates inside of bins, after which rows are in order still
CREATE SCHEMA t93other;
CREATE TABLE t93other.visits (id integer, patient integer, ward text);
SELECT count(*) = (SELECT count(*) FROM made_visits) FROM dp_sample(NULL::t93other.visits, :release, seed => 5);
DROP TABLE t93other.visits;
CREATE TABLE t93other.visits (id integer, patient integer, ward text, began date CHECK ((began - date '2024-01-01') % 3 > 0), label text GENERATED ALWAYS AS (ward || id::text) STORED);
SELECT count(*) FILTER (WHERE began < last_began), count(*) FILTER (WHERE label <> ward || id), count(*) FILTER (WHERE (began - date '2024-01-01') % 3 = 0), count(*) = max(id)
  FROM (SELECT *, lag(began) OVER (PARTITION BY patient ORDER BY id) AS last_began FROM dp_sample(NULL::t93other.visits, :release, seed => 5)) s;

-- ---- a column that can be NULL: these rows come last
SELECT dp_unprotect('visits'), dp_protect('visits', parent => 'patients', max_rows_per_unit => 5, order_column => 'told');
SELECT dp_define_column('visits', 'told', bins => '{0,10,30,50,100}');
SELECT dp_release('{patients,visits}', 'mst', 10000, 1e-9) AS release \gset
SELECT count(*) FILTER (WHERE told < last_told OR last_null AND told IS NOT NULL), count(*) FILTER (WHERE told IS NULL) BETWEEN 1750 AND 2750, count(*) > 3300
  FROM (SELECT *, lag(told) OVER w AS last_told, lag(told IS NULL) OVER w AS last_null FROM dp_sample(NULL::visits, :release, seed => 5) WINDOW w AS (PARTITION BY patient ORDER BY id)) s;
-- ---- rows that differ in the column whose order they are in: the first ones leave levels for those that follow, and none is looked for that cannot be
CREATE TABLE crew (id integer PRIMARY KEY, team text NOT NULL CHECK (team IN ('a', 'b')));
CREATE TABLE shifts (crew integer REFERENCES crew, day integer CHECK (day BETWEEN 1 AND 20), kind text NOT NULL CHECK (kind IN ('e', 'l', 'n')), PRIMARY KEY (crew, day));
INSERT INTO crew SELECT i, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 1500) i;
INSERT INTO shifts SELECT i, 1 + 2 * j + i % 2, substr('eln', 1 + (i + j) % 3, 1) FROM generate_series(1, 1500) i, generate_series(0, 9) j;
SELECT dp_protect('crew', 1000000, 0.1), dp_protect('shifts', parent => 'crew', max_rows_per_unit => 10, order_column => 'day');
SELECT dp_release('{crew,shifts}', 'mst', 0.2, 1e-9) AS release \gset
SET statement_timeout = '60s';
SELECT count(*) = count(DISTINCT (crew, day)), count(*) > 1000, count(*) FILTER (WHERE day NOT BETWEEN 1 AND 20) FROM dp_sample(NULL::shifts, :release, seed => 5);
RESET statement_timeout;
RESET client_min_messages;
SET client_min_messages = warning;
DROP SCHEMA t93o, t93other CASCADE;
