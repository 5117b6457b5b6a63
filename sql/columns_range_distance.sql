-- Columns that are modelled as the distance from an end of a range, of their row or of one that this belongs to.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_range_distance;
CREATE SCHEMA t_range_distance_made;
SET search_path = t_range_distance, public;
SET client_min_messages = error;
SET TimeZone = 'UTC';
CREATE TABLE guests (id integer PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE stays (id integer PRIMARY KEY, guest integer NOT NULL REFERENCES guests, during tstzrange NOT NULL, "In Use" int4range,
	booked timestamptz, registered timestamptz NOT NULL, letter timestamptz, first integer, CHECK (registered <= lower(during)));
CREATE TABLE meals (stay integer NOT NULL REFERENCES stays, n integer NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (stay, n));
-- one in 20 has no end
INSERT INTO guests SELECT i, i % 2 = 0 FROM generate_series(1, 1000) i;
INSERT INTO stays SELECT i * 2 + k, i, tstzrange(d, CASE WHEN (i + k) % 20 > 0 THEN d + (1 + (i * 7 + k) % 9) * interval '1 day' END), int4range(i % 50, i % 50 + 3), CASE WHEN i % 3 > 0 THEN d - (i % 40) * interval '1 day' END,
	d - (i % 6) * interval '1 hour', CASE WHEN (i + k) % 20 > 0 THEN d + (1 + (i * 7 + k) % 9 + i % 5) * interval '1 day' END, i % 50 + i % 2
  FROM generate_series(1, 1000) i, generate_series(0, 1) k, LATERAL (SELECT timestamptz '2024-01-01' + ((i * 37 + k * 301) % 700) * interval '1 day' + (i % 24) * interval '1 hour' d) x;
INSERT INTO meals SELECT id, n, lower(during) + n * interval '7 hours' FROM stays, generate_series(1, 2) n;
SELECT dp_protect('guests', 1000000, 0.1), dp_protect('stays', parent => 'guests', max_rows_per_unit => 2), dp_protect('meals', parent => 'stays', max_rows_per_unit => 2);

-- ---- names
SELECT dp_define_column('stays', 'letter', offset_of => 'lower(during)', range => '{0 days,20 days}');
SELECT dp_define_column('stays', 'letter', offset_of => 'bounds(during)', range => '{0 days,4 days}');
SELECT dp_define_column('stays', 'letter', offset_of => 'lower(booked)', range => '{0 days,4 days}');
SELECT dp_define_column('stays', 'first', offset_of => 'lower(during)', range => '{0,4}');
SELECT dp_define_column('stays', 'lower(during)', offset_of => 'booked', range => '{0 days,4 days}');
SELECT dp_define_column('meals', 'at', offset_of => 'lower(during)', range => '{0 hours,15 hours}');

-- ---- what is found in the data
SELECT s FROM unnest('{stays,meals}'::regclass[]) r, dp_suggest_columns(r) s WHERE s ~ 'offset_of';
SELECT s FROM unnest('{stays,meals}'::regclass[]) r, dp_suggest_columns(r) s WHERE s ~ '^SELECT' \gexec
SELECT dp_define_column('stays', 'first', offset_of => '"lower(""In Use"")"', range => '{0,2}'), dp_define_column('stays', 'letter', offset_of => 't_range_distance.stays.UPPER(during)', range => '{0 days,4 days}');
SELECT relation, column_name, type, kind, labels, has_other, offset_of FROM dp_columns WHERE relation IN ('stays'::regclass, 'meals'::regclass) AND offset_of IS NOT NULL ORDER BY 1, ordinal;

-- ---- rows
SELECT relation, rows > 900 FROM dp_create_synthetic('{guests,stays,meals}', 't_range_distance_made', 1000, 1e-9, options => '{"method": "mst"}', seed => 1);
SELECT t, count(*) FILTER (WHERE booked > lower(during)), count(*) FILTER (WHERE registered NOT BETWEEN lower(during) - interval '10 hours' AND lower(during)), count(*) FILTER (WHERE letter < upper(during)),
	   round(avg((booked IS NULL)::integer), 1), round(avg((upper_inf(during) OR letter IS NULL)::integer) * 20), count(*) FILTER (WHERE upper_inf(during) AND letter IS NOT NULL), count(*) FILTER (WHERE NOT "In Use" @> first),
	   round(extract(epoch FROM avg(letter - upper(during))) / 86400), round(extract(epoch FROM avg(lower(during) - booked)) / 86400 / 5)
  FROM (SELECT 'data' AS t, * FROM stays UNION ALL SELECT 'made', * FROM t_range_distance_made.stays) b GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE at < lower(during)), extract(epoch FROM avg(at - lower(during))) / 3600 BETWEEN 9 AND 12 FROM t_range_distance_made.meals JOIN t_range_distance_made.stays ON id = stay;
-- of a table by itself, and without the range
SELECT count(*) > 1500, count(*) FILTER (WHERE booked > lower(during)) FROM dp_synthesize_mst(NULL::stays, 1000, 1e-9);
SELECT dp_release('stays', 'mst', 1, 1e-9, options => '{"columns": ["booked"]}');
-- a question is of the distance
SELECT measure, round(estimate::numeric / 3600, 1) AS hours FROM dp_query(NULL::stays, '{avg(booked),avg(letter)}', 10000);
SELECT round(estimate::numeric / 3600, 1) AS hours FROM dp_query(NULL::meals, '{avg(at)}', 10000);
-- a range with an upper end alone has that end
CREATE TABLE until (id integer PRIMARY KEY, valid int4range, paid integer, began integer);
INSERT INTO until SELECT i, v, upper(v) + i % 2, lower(v) + i % 2 FROM generate_series(1, 600) i, LATERAL (SELECT CASE i % 3 WHEN 0 THEN int4range(NULL, i % 10) WHEN 1 THEN int4range(i % 10, i % 10 + 5) ELSE int4range(i % 10, NULL) END AS v) x;
SELECT dp_protect('until', 1000000, 0.1), dp_define_column('until', 'paid', offset_of => 'upper(valid)', range => '{0,3}'), dp_define_column('until', 'began', offset_of => 'lower(valid)', range => '{0,3}'),
	   dp_define_column('until', 'lower(valid)', range => '{0,20}'), dp_define_column('until', 'upper(valid)', range => '{0,20}');
SELECT lower_inf(valid), upper_inf(valid), paid IS NULL, began IS NULL, round(count(*), -1) FROM dp_synthesize_mst(NULL::until, 10000, 1e-3, seed => 1) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2;
DROP SCHEMA t_range_distance, t_range_distance_made CASCADE;
