-- Distances between times of different types: a date from a timestamp, a timestamp from a date, beside it and above it.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_times;
CREATE SCHEMA t_times_made;
SET search_path = t_times, public;
SET client_min_messages = error;
SET TimeZone = 'UTC';
CREATE TABLE patient (id integer PRIMARY KEY, born date NOT NULL CHECK (born BETWEEN '1950-01-01' AND '2009-12-31'), opened timestamptz NOT NULL, closed date, ends timestamp NOT NULL);
CREATE TABLE visit (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patient, came timestamp NOT NULL, day date NOT NULL, seen timestamptz, paid date NOT NULL);
INSERT INTO patient SELECT i, d, d + (i % 400) * interval '1 hour', CASE WHEN i % 4 > 0 THEN d + i % 400 / 24 + i % 9 END, d + (i % 7) * interval '1 day'
  FROM generate_series(1, 2000) i, LATERAL (SELECT date '1950-01-01' + i * 97 % 21000 AS d) x;
INSERT INTO visit SELECT i * 2 + k, i, c, c, CASE WHEN i % 5 > 0 THEN c + ((i + k) % 40) * interval '1 minute' END, (opened + (i % 30) * interval '1 day')::date
  FROM patient p, generate_series(0, 1) k, LATERAL (SELECT id AS i, born + ((id * 7 + k) % 60) * interval '1 day' + interval '30 hours' + (id % 12) * interval '1 hour' AS c) x;
SELECT dp_protect('patient', 1000000, 0.1), dp_protect('visit', parent => 'patient', max_rows_per_unit => 2);

-- ---- what is found in the data, with whole steps
SELECT s FROM unnest('{patient,visit}'::regclass[]) r, dp_suggest_columns(r) s WHERE s ~ '^SELECT';
SELECT s FROM unnest('{patient,visit}'::regclass[]) r, dp_suggest_columns(r) s WHERE s ~ '^SELECT' \gexec

-- ---- pairs of all kinds
SELECT dp_define_column('visit', 'day', offset_of => 'patient.id', range => '{0,9}');
SELECT dp_define_column('visit', 'day', offset_of => 'came', range => '{0,2}'), dp_define_column('visit', 'paid', offset_of => 'patient.opened', range => '{0,40}'),
	   dp_define_column('visit', 'came', offset_of => 'patient.born', range => '{0 hours,2000 hours}', resolution => '1 hour'), dp_define_column('visit', 'seen', offset_of => 'came', range => '{0 minutes,40 minutes}', resolution => '1 minute'),
	   dp_define_column('patient', 'closed', offset_of => 'opened', range => '{0,20}'), dp_define_column('patient', 'opened', offset_of => 'born', range => '{0 hours,400 hours}', resolution => '1 hour'),
	   dp_define_column('patient', 'ends', offset_of => 'born', range => '{0 days,7 days}', resolution => '1 day');
SELECT relation, column_name, type, kind, labels, offset_of FROM dp_columns WHERE relation IN ('patient'::regclass, 'visit'::regclass) AND offset_of IS NOT NULL ORDER BY 1, ordinal;
-- values that the other type does not have are none, and fail for nothing
ALTER TABLE patient DROP CONSTRAINT patient_born_check;
SELECT dp_define_column('patient', 'born', range => '{1950-01-01,2009-12-31}');
UPDATE patient SET opened = CASE id WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE '294276-12-31 23:00+00' END::timestamptz WHERE id < 4;
UPDATE patient SET born = CASE id WHEN 4 THEN 'infinity' WHEN 5 THEN '-infinity' WHEN 6 THEN '5874897-12-31' ELSE '4713-01-01 BC' END::date WHERE id BETWEEN 4 AND 7;
SELECT relation, rows > 1900 FROM dp_create_synthetic('{patient,visit}', 't_times_made', 1000, 1e-9, options => '{"method": "mst"}', seed => 1);
SELECT count(*) FILTER (WHERE opened < born), count(*) FILTER (WHERE closed NOT BETWEEN opened::date AND opened::date + 20), count(*) FILTER (WHERE ends - born NOT BETWEEN '0 days' AND '8 days' OR ends <> ends::date),
	   round(avg((closed IS NULL)::integer), 1) FROM t_times_made.patient;
SELECT count(*) FILTER (WHERE v.came < p.born), count(*) FILTER (WHERE v.day NOT BETWEEN came::date AND came::date + 2), count(*) FILTER (WHERE v.seen < v.came AT TIME ZONE 'UTC'), count(*) FILTER (WHERE v.paid < p.opened::date),
	   round(avg((v.seen IS NULL)::integer), 1) FROM t_times_made.visit v JOIN t_times_made.patient p ON p.id = v.patient;
-- rows of one table alone, and what is given
SELECT count(*) FILTER (WHERE day NOT BETWEEN came::date AND came::date + 2) FROM dp_sample(NULL::visit, (SELECT max(release) FROM dp_releases), seed => 1);
SELECT count(*) > 1000, count(*) FILTER (WHERE closed < opened::date) FROM dp_synthesize_mst(NULL::patient, 1000, 1e-9, seed => 1) WHERE closed IS NOT NULL;

DROP SCHEMA t_times, t_times_made CASCADE;
