-- dp_trace: the chain of a row, which ends in the row that dp_sample draws; free, and for whoever may draw.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t90;
CREATE ROLE regress_dp_90_other;
GRANT USAGE ON SCHEMA t90 TO regress_dp_90_other;
SET search_path = t90, public;
SET client_min_messages = error;
CREATE TABLE t (a boolean NOT NULL, b text NOT NULL CHECK (b IN ('x', 'y', 'z')), c boolean NOT NULL);
INSERT INTO t SELECT i % 3 = 0, (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 12 = 0 FROM generate_series(1, 3600) i;
SELECT dp_protect('t', 1000000, 0.5);
SELECT dp_release('t', 'sbhg', 3000, 0, '{"sweeps": 2, "network": {"a": ["b"], "b": ["a"], "c": ["b", "a"]}}') AS r,
	   dp_release('t', 'sbhg', 3000, 0.01, '{"sweeps": 1, "missing_key": "reject", "dense_cells": 0, "network": {"a": [], "b": ["a", "c"], "c": ["b", "a"]}}', 2) AS s,
	   dp_release('t', 'mst', 1) AS m \gset
SELECT count(*) AS spent FROM dp_ledger \gset

-- steps in the order of columns; the start has neither parents nor a value before
SELECT row, sweep, "column", before IS NULL, (SELECT string_agg(k, ',') FROM jsonb_object_keys(given) k) FROM dp_trace(:r);
-- each step is given the row as it stands, and changes it in one column
SELECT count(*), bool_and(before = lag), bool_and(given <@ state) FROM (
	SELECT t.*, lag(after) OVER chain AS lag,
		   (SELECT jsonb_object_agg(key, value) FROM (SELECT DISTINCT ON (key) key, value FROM dp_trace(:r, 20, 7) o, jsonb_each(o.after)
			 WHERE o.row = t.row AND (o.sweep, o."column"::text) < (t.sweep, t."column"::text) ORDER BY key, o.sweep DESC) latest) AS state
	  FROM dp_trace(:r, 20, 7) t WINDOW chain AS (PARTITION BY row, "column" ORDER BY sweep)) steps WHERE sweep > 0;
-- with no noise left, what b was drawn given a is what the table says
SELECT DISTINCT given, after FROM dp_trace(:r, 200, 7) WHERE "column" = 'b' AND sweep = 2 ORDER BY 1, 2;
-- the last step is the row, of each set
CREATE FUNCTION ends(release bigint, seed bigint, set integer) RETURNS SETOF jsonb LANGUAGE sql AS $$
	SELECT jsonb_object_agg(key, value) FROM (SELECT row, key, value, sweep, max(sweep) OVER () AS last
		FROM dp_trace(release, 300, seed, set), jsonb_each(after)) s WHERE sweep = last GROUP BY row ORDER BY row $$;
SELECT array_agg(to_jsonb(d)) = (SELECT array_agg(e) FROM ends(:r, 5, 1) e) FROM dp_sample(NULL::t, :r, 300, 5) d;
SELECT array_agg(to_jsonb(d)) = (SELECT array_agg(e) FROM ends(:s, 5, 2) e) FROM dp_sample(NULL::t, :s, 300, 5, 2) d;
-- reject: a combination that was not released leaves the value
SELECT count(*) > 0, bool_and(before = after) FROM dp_trace(:s, 300, 5, 2) WHERE given IS NULL;
SELECT count(*) - :spent AS spent FROM dp_ledger;

\set VERBOSITY sqlstate
SELECT dp_trace(:m);
\set VERBOSITY default
SELECT dp_trace(:r, 0);
SELECT dp_trace(:r, 1025);
SELECT dp_trace(:s, set => 3);
SELECT dp_trace(:r, seed => NULL);
SET SESSION AUTHORIZATION regress_dp_90_other;
\set VERBOSITY sqlstate
SELECT dp_trace(:r);
RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t90 CASCADE;
DROP ROLE regress_dp_90_other;
