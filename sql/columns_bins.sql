-- Numeric and temporal columns in bins, drawn by the trees and by networks.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET TimeZone = 'UTC';
CREATE SCHEMA t34;
SET search_path = t34, public;
SET client_min_messages = warning;
CREATE TABLE t (i int NOT NULL, n numeric(8,2) NOT NULL, f float8 NOT NULL, d date NOT NULL, ts timestamp(0) NOT NULL, tz timestamptz);
INSERT INTO t SELECT v, v, v, DATE '2020-01-01' + v, TIMESTAMP '2020-01-01' + v * interval '1 day',
					 CASE WHEN v < 10 THEN TIMESTAMPTZ '2020-01-01 00:00+00' + v * interval '1 day' END
  FROM (SELECT i % 20 AS v FROM generate_series(1, 8000) i) x;
SELECT dp_protect('t', 1000000);
SELECT dp_define_column('t', c, bins => '{0,5,10,20}') FROM unnest('{i,n,f}'::name[]) c;
SELECT dp_define_column('t', c, bins => '{2020-01-01 00:00+00,2020-01-06 00:00+00,2020-01-11 00:00+00,2020-01-21 00:00+00}')
  FROM unnest('{d,ts,tz}'::name[]) c;
CREATE FUNCTION look(id bigint) RETURNS TABLE (inside boolean, spread boolean, types boolean, together boolean, nulls boolean) LANGUAGE sql AS $$
	SELECT bool_and(i BETWEEN 0 AND 20 AND n BETWEEN 0 AND 20 AND f BETWEEN 0 AND 20 AND d BETWEEN '2020-01-01' AND '2020-01-21'
					AND ts BETWEEN '2020-01-01' AND '2020-01-21' AND (tz IS NULL OR tz BETWEEN '2020-01-01' AND '2020-01-21')),
		   -- uniform inside a bin, which hold a quarter, a quarter and a half; with all whole numbers
		   -- and many fractions
		   count(*) FILTER (WHERE i < 5) BETWEEN 4500 AND 5500 AND count(*) FILTER (WHERE i >= 10) BETWEEN 9300 AND 10700
		   AND count(DISTINCT i) = 21 AND count(DISTINCT n) > 1500 AND count(DISTINCT f) > 19000 AND count(DISTINCT d) = 21,
		   bool_and(scale(n) = 2 AND date_trunc('second', ts) = ts) AND bool_or(f <> trunc(f)) AND bool_or(date_trunc('second', tz) <> tz),
		   count(*) FILTER (WHERE width_bucket(i, ARRAY[0, 5, 10]) = width_bucket(f, ARRAY[0, 5, 10.0::float8])
							  AND width_bucket(i, ARRAY[0, 5, 10]) = width_bucket(d, ARRAY['2020-01-01', '2020-01-06', '2020-01-11']::date[])) > 19000,
		   count(*) FILTER (WHERE tz IS NULL AND i >= 10) > 9000 AND count(*) FILTER (WHERE tz IS NULL AND i < 10) < 500
	  FROM dp_sample(NULL::t34.t, id, 20000, 1) $$;
SELECT method, options, l.* FROM (VALUES ('flat', '{}'), ('flat', '{"dense_cells": 0}'), ('uh', '{}'), ('steps', '{}'), ('steps', '{"branches": "own"}'),
										 ('privbayes', '{"parents": 2}'), ('privbayes', '{}')) m (method, options),
	   LATERAL look(dp_release('t', method, 1000, 0, options::jsonb)) l;
DROP SCHEMA t34 CASCADE;
