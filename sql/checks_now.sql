-- CHECKs that know the time: the time of the release bounds a column, and no row is lost. Years are 1 to 9999 else.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA now;
CREATE SCHEMA made_now;
SET search_path = now, public;
SET client_min_messages = warning;
CREATE DOMAIN past AS date CHECK (VALUE <= CURRENT_DATE);
CREATE TABLE deeds (
	id serial PRIMARY KEY,
	hired date NOT NULL CHECK (hired >= '1996-07-01' AND hired <= now() + interval '1 day'),
	signed timestamp NOT NULL CHECK (signed < LOCALTIMESTAMP - interval '1 month'),
	logged timestamptz NOT NULL CHECK (logged BETWEEN now() - interval '10 years' AND CURRENT_TIMESTAMP),
	due date NOT NULL CHECK (CURRENT_DATE < due AND due < CURRENT_DATE + 30),
	born past NOT NULL CHECK (born <= (now() - '18 years'::interval)::date AND born >= '1900-01-01'),
	left_on date CHECK (left_on >= hired AND left_on <= statement_timestamp() OR left_on = '9999-01-01'),
	said text NOT NULL DEFAULT 'x',
	any_day date, any_time timestamp, any_moment timestamptz,
	old date CHECK (old <= '0044-03-15 BC'), far date CHECK (far > '12000-01-01'), far_back timestamp CHECK (far_back > '0100-01-01 BC'));
INSERT INTO deeds (hired, signed, logged, due, born, left_on, any_day, any_time, any_moment, old, far, far_back)
SELECT CURRENT_DATE - i * 3, LOCALTIMESTAMP - interval '40 days' - i * interval '1 day', now() - i * interval '3 days', CURRENT_DATE + 1 + i % 29,
	   CURRENT_DATE - 7000 - i, CURRENT_DATE - i * 2, '2020-01-01'::date + i, '2020-01-01'::timestamp + i * interval '1 hour', '2020-01-01Z'::timestamptz + i * interval '1 hour',
	   '0100-01-01 BC'::date + i, '13000-01-01'::date + i, '0050-01-01'::timestamp + i * interval '1 day'
  FROM generate_series(1, 1000) i;
SET client_min_messages = error;
SELECT dp_protect('deeds', 1000000, 0.1);
SET client_min_messages = warning;
-- ends that are of the time are seen by their distance from it, in days; those of other columns as they are
SELECT column_name, source, labels[1], labels[2]::timestamptz - now() BETWEEN interval '-3 days' AND interval '3 days' AS until_now
  FROM dp_columns WHERE relation = 'deeds'::regclass AND column_name IN ('hired', 'born') ORDER BY ordinal;
SELECT column_name, labels FROM dp_columns WHERE relation = 'deeds'::regclass AND column_name IN ('any_day', 'any_time', 'any_moment', 'old', 'far', 'far_back') ORDER BY ordinal;
SELECT column_name, labels[1]::date - CURRENT_DATE BETWEEN 1 AND 3, labels[2]::date - CURRENT_DATE BETWEEN 27 AND 29 FROM dp_columns WHERE relation = 'deeds'::regclass AND column_name = 'due';
-- all rows come out in every time zone
SET timezone = 'UTC';
SELECT dp_release('deeds', 'mst', 100, 1e-9) AS release \gset
SELECT count(*) = 1000, count(*) FILTER (WHERE hired > now() + interval '1 day' OR signed >= LOCALTIMESTAMP - interval '1 month' OR logged > now() OR logged < now() - interval '10 years'
		OR due <= CURRENT_DATE OR due >= CURRENT_DATE + 30 OR born > (now() - interval '18 years')::date OR left_on < hired OR left_on > now() AND left_on <> '9999-01-01') AS broken
  FROM dp_sample(NULL::deeds, :release, rows => 1000, seed => 1);
SET timezone = 'Pacific/Auckland';
SELECT relation, rows BETWEEN 990 AND 1010 FROM dp_create_synthetic('deeds', 'made_now', 100, 1e-9, '{"method": "mst", "rows": 1000}', seed => 1);
DROP TABLE made_now.deeds;
SET timezone = 'America/Los_Angeles';
SELECT relation, rows FROM dp_create_synthetic('deeds', 'made_now', 100, 1e-9, '{"method": "mst", "rows": 1000}', seed => 1);
SET timezone = 'UTC';
-- a seed means the same rows later: a release keeps its time
SELECT jsonb_object_keys(r.derived -> '') FROM dp_catalog.dp_release_store r WHERE r.id = :release ORDER BY 1;
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::deeds, :release, rows => 1000, seed => 1) EXCEPT SELECT * FROM dp_sample(NULL::deeds, :release, rows => 1000, seed => 1)) x;
-- the release and its worker plan with one time, that of the transaction
BEGIN;
SELECT labels[2] AS before FROM dp_columns WHERE relation = 'deeds'::regclass AND column_name = 'logged' \gset
SELECT pg_sleep(1.1);
SELECT dp_release('deeds', 'mst', 1000, 1e-9, '{"columns": ["logged"]}') AS release \gset
COMMIT;
SELECT max(logged) <= :'before'::timestamptz FROM dp_sample(NULL::deeds, :release, rows => 3000, seed => 2);
-- what is declared is narrowed too; a distance keeps the rule of its column
SELECT dp_define_column('deeds', 'hired', range => '{1990-01-01,2200-01-01}'), dp_define_column('deeds', 'left_on', offset_of => 'hired', range => '{0,5000}');
SELECT count(*), count(*) FILTER (WHERE hired > now() + interval '1 day' OR left_on > now() AND left_on <> '9999-01-01' OR left_on < hired) FROM dp_sample(NULL::deeds, dp_release('deeds', 'mst', 100, 1e-9), rows => 1000, seed => 3);
DROP SCHEMA now, made_now CASCADE;
