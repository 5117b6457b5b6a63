-- a date that a CHECK puts after another is modelled as the distance from it, with nothing declared
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t94;
SET search_path = t94, public;
SET client_min_messages = error;
SELECT setseed(0.4);
CREATE TABLE cases (
	id serial PRIMARY KEY,
	state text NOT NULL CHECK (state IN ('open', 'closed')),
	opened timestamptz NOT NULL,
	changed timestamptz NOT NULL CHECK (changed < '2030-01-01 00:00+00'),
	closed timestamptz,
	due date NOT NULL,
	paid date,
	valid_from date NOT NULL,
	valid_to date NOT NULL DEFAULT '9999-12-31',
	first_seen date,
	last_seen date,
	low integer NOT NULL CHECK (low BETWEEN 0 AND 100),
	high integer NOT NULL CHECK (high BETWEEN 0 AND 200),
	currency char(3) NOT NULL DEFAULT 'EUR',
	CHECK (changed >= opened),
	CHECK (closed IS NULL OR closed >= changed),
	CHECK (state <> 'closed' OR closed IS NOT NULL),
	CHECK (paid > due),
	CHECK (valid_to > valid_from),
	CHECK (last_seen >= first_seen),
	CHECK (high >= low));
INSERT INTO cases (state, opened, changed, closed, due, paid, valid_from, valid_to, first_seen, last_seen, low, high)
SELECT CASE WHEN i % 4 = 0 THEN 'open' ELSE 'closed' END, t, t + u * interval '2 days', CASE WHEN i % 4 > 0 THEN t + (u + v) * interval '2 days' END,
	   t::date, CASE WHEN i % 3 > 0 THEN t::date + 1 + i % 14 END, t::date, CASE WHEN i % 5 = 0 THEN t::date + 300 ELSE '9999-12-31' END, t::date, t::date + 1, i % 90, i % 90 + i % 7
  FROM (SELECT i, random() AS u, random() AS v, timestamptz '2020-01-01 00:00+00' + random() * interval '1000 days' AS t FROM generate_series(1, 12000) i) x;
SELECT dp_protect('cases', 1000000, 0.5);
-- the column has its own range, for whoever asks about it alone
SELECT column_name, kind, source FROM dp_columns WHERE relation = 'cases'::regclass AND column_name IN ('opened', 'changed', 'closed') ORDER BY 1;
SELECT dp_release('cases', 'mst', 1000, 1e-6) AS r \gset
-- a chain is of distances from its first; no number is one, nor what has a constant default, nor what follows a column that can be NULL
SELECT key, value FROM jsonb_each((SELECT derived FROM dp_catalog.dp_release_store WHERE id = :r)) ORDER BY key;
CREATE TABLE drawn AS SELECT * FROM dp_sample(NULL::cases, :r, 12000, 1);
SELECT bool_and(changed >= opened), bool_and(closed IS NULL OR closed >= changed), bool_and(state <> 'closed' OR closed IS NOT NULL), bool_and(coalesce(paid > due, true)),
	   bool_and(valid_to > valid_from), bool_and(coalesce(last_seen >= first_seen, true)), bool_and(high >= low), min(currency) FROM drawn;
SELECT abs(extract(epoch FROM avg(changed - opened)) / 86400 - 1) < 0.1, abs(extract(epoch FROM avg(closed - opened)) / 86400 - 2) < 0.2, abs(avg(paid - due) - 7.5) < 0.5,
	   max(changed - opened) < '3 days', max(paid - due) < 20, abs(avg((valid_to > '9990-01-01')::int) - 0.8) < 0.02, abs(avg((closed IS NULL)::int) - 0.25) < 0.02 FROM drawn;
CREATE TABLE copy (LIKE cases INCLUDING ALL);
INSERT INTO copy SELECT * FROM drawn;
SELECT count(*) FROM copy;
-- it is told before anything is spent
SET client_min_messages = notice;
SELECT count(*) > 0 FROM dp_explain('cases', 'mst', 1, 1e-6);
SET client_min_messages = error;
-- one without the other is itself, and so is one that is declared
SELECT dp_release('cases', 'mst', 1000, 1e-6, '{"attributes": ["changed"]}') AS alone \gset
SELECT (SELECT derived FROM dp_catalog.dp_release_store WHERE id = :alone), min(changed) > '2019-06-01', max(changed) < '2023-06-01' FROM dp_sample(NULL::cases, :alone, 1000, 1);
SELECT dp_define_column('cases', 'changed', range => '{2019-01-01 00:00+00,2024-01-01 00:00+00}');
SELECT dp_release('cases', 'mst', 1000, 1e-6) AS own \gset
SELECT key, value FROM jsonb_each((SELECT derived FROM dp_catalog.dp_release_store WHERE id = :own)) ORDER BY key;
SELECT bool_and(changed >= opened), bool_and(closed IS NULL OR closed >= changed) FROM dp_sample(NULL::cases, :own, 2000, 1);
DROP SCHEMA t94 CASCADE;
