-- Columns of range types: modelled by their bounds, their lower end and the distance to the upper one.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t12r;
SET search_path = t12r, public;
SET client_min_messages = error;
SET TimeZone = 'UTC';
CREATE DOMAIN stay AS daterange;
CREATE TABLE rates (id integer PRIMARY KEY, r int4range, b int8range NOT NULL CHECK (NOT isempty(b) AND lower(b) >= 0), n numrange, d stay, s tsrange NOT NULL, z tstzrange, kind text NOT NULL CHECK (kind IN ('x', 'y')));
-- one in ten is empty, NULL, or lacks the lower end, the upper one or both; x is short and y is long
INSERT INTO rates SELECT i, CASE i % 10 WHEN 0 THEN 'empty' WHEN 1 THEN NULL WHEN 2 THEN int4range(i % 50, NULL) WHEN 3 THEN int4range(NULL, i % 50) WHEN 4 THEN '(,)' ELSE int4range(i % 50, i % 50 + 1 + i % 7) END,
	int8range(i, i + 1 + i % 7), numrange(i % 30 / 10.0, i % 30 / 10.0 + 0.5, '[]'),
	CASE WHEN i % 4 > 0 THEN daterange(date '2024-01-01' + i % 300, date '2024-01-01' + i % 300 + CASE i % 2 WHEN 0 THEN 3 ELSE 20 END, '[)') END,
	tsrange(timestamp '2024-01-01' + i * interval '1 hour', timestamp '2024-01-01' + i * interval '1 hour' + i % 5 * interval '10 minutes', '[]'),
	CASE WHEN i % 5 = 0 THEN tstzrange('-infinity', 'infinity') ELSE tstzrange(timestamptz '2024-01-01' + i * interval '1 hour', timestamptz '2024-01-02' + i * interval '1 hour') END,
	CASE i % 2 WHEN 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 1200) i;
SELECT dp_protect('rates', 1000000, 0.1);
SELECT column_name, type, kind, source, labels, has_other FROM dp_columns WHERE relation = 'rates'::regclass AND column_name ~ 'r|b|z' ORDER BY ordinal, column_name;

-- ---- what is refused
SELECT dp_define_column('rates', 'lower(kind)', range => '{0,9}');
SELECT dp_define_column('rates', 'lower(nothing)', range => '{0,9}');
SELECT dp_define_column('rates', 'lower(r)', categories => '{1,2}');
SELECT dp_define_column('rates', 'bounds(r)', range => '{1,2}');
SELECT dp_define_column('rates', 'upper(s)', categories => '{00:00:01}');
SELECT dp_define_column('rates', 'lower(r)', range => '{0,9}', offset_of => 'upper(r)');
SELECT dp_define_column('rates', 'middle(r)', range => '{0,9}');
SELECT dp_define_column('rates', 'r', range => '{0,9}');

-- ---- rows
SELECT dp_release('rates', 'mst', 1000, 1e-9, options => '{"trees": 1}') AS release \gset
CREATE TABLE made AS SELECT * FROM dp_sample(NULL::rates, :release, seed => 5);
CREATE VIEW both_of AS SELECT 'data' AS t, * FROM rates UNION ALL SELECT 'made', * FROM made;
SELECT round(avg((r IS NULL)::integer), 1), round(avg(isempty(r)::integer), 1), round(avg((lower_inf(r) AND NOT upper_inf(r))::integer), 1), round(avg((upper_inf(r) AND NOT lower_inf(r))::integer), 1),
	   round(avg((lower_inf(r) AND upper_inf(r))::integer), 1), round(avg(upper(r) - lower(r))), min(lower(r)) >= -50, max(upper(r)) <= 120 FROM both_of GROUP BY t ORDER BY t;
-- a release of some of the parts
SELECT dp_release('rates', 'mst', 10000, 1e-9, options => '{"columns": ["lower(r)", "kind"]}') AS part \gset
SELECT count(*) > 600, count(*) FILTER (WHERE NOT upper_inf(r)) FROM dp_sample(NULL::rates, :part, seed => 1) WHERE r IS NOT NULL;
-- questions
SELECT cell, round(estimate / 60) FROM dp_answer(:release, '{bounds(r)}') ORDER BY cell;
SELECT round(estimate / 60) FROM dp_query(NULL::rates, '{count(*)}', 1000, '{bounds(r)}') ORDER BY cell;
SELECT measure, columns FROM dp_evaluate('rates', 'made') WHERE measure = 'null_share' AND columns IN ('{r}', '{d}');

-- ---- what might be declared
SET client_min_messages = warning;
SELECT s FROM dp_suggest_columns('rates') s WHERE s ~ '\(' AND s ~ 'lower|upper|bounds';
SET client_min_messages = error;
SELECT s FROM dp_suggest_columns('rates') s WHERE s ~ '^SELECT' \gexec
SELECT column_name, kind, labels FROM dp_columns WHERE relation = 'rates'::regclass AND column_name ~ '\(' ORDER BY ordinal, column_name;
SELECT count(*) FROM dp_suggest_columns('rates') s WHERE s ~ '^SELECT';
SELECT s FROM dp_suggest_columns('rates', false) s WHERE s ~ 'bounds|modelled by';
SELECT count(*) > 1100, count(*) FILTER (WHERE isempty(b) OR NOT isempty(r) AND lower(r) < 0), count(*) = count(b), count(*) = count(s) FROM dp_synthesize_mst(NULL::rates, 100, 1e-9);
SELECT round(estimate) FROM dp_query(NULL::rates, '{"avg(\"upper(b)\")"}', 1000);
DROP VIEW both_of;
SELECT dp_release('rates', 'mst', 1000, 1e-9, options => '{"trees": 1}') AS release \gset
DROP TABLE made;
CREATE TABLE made AS SELECT * FROM dp_sample(NULL::rates, :release, seed => 5);
CREATE VIEW both_of AS SELECT 'data' AS t, * FROM rates UNION ALL SELECT 'made', * FROM made;
SELECT count(*) FILTER (WHERE isempty(b) OR lower(b) < 0), round(avg(upper(b) - lower(b))), round(avg(upper(n) - lower(n)), 1), avg((d IS NULL)::integer) BETWEEN 0.22 AND 0.28, count(*) FILTER (WHERE isempty(d)),
	   round(avg(upper(d) - lower(d)) FILTER (WHERE kind = 'x')), round(avg(upper(d) - lower(d)) FILTER (WHERE kind = 'y')) FROM both_of GROUP BY t ORDER BY t;
SELECT count(*) FILTER (WHERE isempty(s)), round(extract(epoch FROM avg(upper(s) - lower(s))) / 300), round(avg((lower_inf(z) OR NOT isfinite(lower(z)))::integer), 1),
	   round(extract(epoch FROM avg(upper(z) - lower(z)) FILTER (WHERE isfinite(lower(z)))) / 3600) FROM both_of GROUP BY t ORDER BY t;
SELECT count(*) FROM made WHERE NOT isempty(r) AND lower_inc(r) = lower_inf(r) OR upper_inc(n);
-- made up as a whole
SELECT dp_define_column('rates', 'r', fill => '[1,2)');
SELECT dp_define_column('rates', 'lower(r)', range => '{0,9}');

-- ---- a part of a key
CREATE TABLE guests (id integer PRIMARY KEY, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TABLE booking (guest integer NOT NULL REFERENCES guests, during daterange, room integer NOT NULL CHECK (room BETWEEN 1 AND 9), PRIMARY KEY (guest, during),
	EXCLUDE USING gist (during WITH =, int4range(room, room, '[]') WITH =));
INSERT INTO guests SELECT i, substr('ab', 1 + i % 2, 1) FROM generate_series(1, 1500) i;
INSERT INTO booking SELECT i, daterange(d, d + 1 + (i * k) % 5), 1 + i % 9 FROM generate_series(1, 1500) i, generate_series(1, 2 + i % 2) k, LATERAL (SELECT date '2024-01-01' + (i + k * 500) AS d) x;
SELECT dp_protect('guests', 1000000, 0.1), dp_protect('booking', parent => 'guests', max_rows_per_unit => 3);
SELECT s FROM dp_suggest_columns('booking') s;
SELECT s FROM dp_suggest_columns('booking') s WHERE s ~ '^SELECT' \gexec
CREATE SCHEMA t12made;
SELECT dp_release('{guests,booking}', 'mst', 100, 1e-9) AS release \gset
SET client_min_messages = notice;
SELECT synthetic, rows > 0 FROM dp_create_synthetic('{guests,booking}', 't12made', release => :release, seed => 5);
SET client_min_messages = error;
SELECT abs(count(*) - (SELECT count(*) FROM booking)) < 50, count(*) = count(DISTINCT (guest, during)), count(*) FILTER (WHERE isempty(during) OR during IS NULL), round(avg(upper(during) - lower(during))),
	   min(lower(during)) >= '2023-12-01', max(upper(during)) < '2035-01-01' FROM t12made.booking;
-- one night is what can differ, and the rows that repeat it are drawn again
SELECT dp_define_column('booking', 'lower(during)', range => '{2024-01-01,2024-01-02}'), dp_define_column('booking', 'upper(during)', range => '{1,3}');
SELECT dp_release('{guests,booking}', 'mst', 100, 1e-9) AS release \gset
SELECT count(*) > 1000, count(*) = count(DISTINCT (guest, during)), count(DISTINCT during) <= 6 FROM dp_sample(NULL::booking, :release, seed => 1);

-- ---- of a table without rows nothing is declared that would fail
CREATE TABLE no_hours (during daterange NOT NULL, amount numrange);
SELECT dp_protect('no_hours', 10);
SELECT s FROM dp_suggest_columns('no_hours') s;

-- ---- multiranges, from the first end to the last
CREATE TABLE hours (id integer PRIMARY KEY, h int4multirange NOT NULL, d datemultirange);
INSERT INTO hours SELECT i, CASE WHEN i % 10 = 0 THEN '{}' ELSE int4multirange(int4range(i % 7, i % 7 + 3), int4range(i % 7 + 5, i % 7 + 9)) END,
	CASE WHEN i % 4 > 0 THEN datemultirange(daterange('2024-01-01', date '2024-01-02' + i % 30)) END FROM generate_series(1, 1000) i;
SELECT dp_protect('hours', 1000000, 0.1);
SELECT s FROM dp_suggest_columns('hours') s WHERE s ~ 'h\)|d\)';
SELECT s FROM dp_suggest_columns('hours') s WHERE s ~ '^SELECT' \gexec
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 'hours'::regclass ORDER BY ordinal, column_name;
SELECT dp_release('hours', 'mst', 10000, 1e-9) AS release \gset
SELECT round(avg(isempty(h)::integer), 1), round(avg((d IS NULL)::integer), 2), min(lower(h)) >= 0, max(upper(h)) <= 30, round(avg(upper(h) - lower(h))), count(*) FILTER (WHERE h <> h::text::int4multirange)
  FROM dp_sample(NULL::hours, :release, seed => 5);
DROP SCHEMA t12r, t12made CASCADE;
