-- columns that the custodian declares to be computed from others
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_computed;
SET search_path = t_computed, public;
SET client_min_messages = error;
CREATE TABLE trip (id serial PRIMARY KEY, started timestamp NOT NULL CHECK (started BETWEEN '2024-01-01' AND '2024-12-31'), hour int NOT NULL, year int,
	fare numeric(8,2) NOT NULL CHECK (fare BETWEEN 0 AND 500), tip numeric(8,2) CHECK (tip BETWEEN 0 AND 100), total numeric(8,2) NOT NULL, code text NOT NULL, "Per km" numeric,
	km int NOT NULL CHECK (km BETWEEN 0 AND 50), late boolean, gen int GENERATED ALWAYS AS (km * 2) STORED, CHECK (total <= 450));
INSERT INTO trip (started, hour, year, fare, tip, total, code, "Per km", km, late)
SELECT s, extract(hour FROM s), 2024, f, t, f + coalesce(t, 0), 'T-' || i, f / nullif(k, 0), k, extract(hour FROM s) >= 22
  FROM (SELECT i, timestamp '2024-01-01' + i * interval '97 min' s, (i % 100)::numeric f, CASE WHEN i % 3 = 0 THEN i % 10 END t, i % 20 k FROM generate_series(1, 3000) i) x;
SELECT dp_protect('trip', 10000, 1e-3);
SELECT dp_define_column('trip', 'hour', computed => 'extract(hour from started)::int'), dp_define_column('trip', 'year', computed => 'date_part(''year'', started)'),
	dp_define_column('trip', 'total', computed => 'fare + coalesce(tip, 0)'), dp_define_column('trip', 'code', computed => '''T-'' || id::text'),
	dp_define_column('trip', 'Per km', computed => 'fare / nullif(km, 0)'), dp_define_column('trip', 'late', computed => 'hour >= 22');
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 'trip'::regclass ORDER BY ordinal;
-- every row is right, by any method, also where one is computed from another that is; its own CHECK is a rule of the others
SELECT m, count(*), count(*) FILTER (WHERE hour <> extract(hour FROM started) OR year <> 2024 OR total <> fare + coalesce(tip, 0) OR total > 450 OR code <> 'T-' || id
	OR late <> (extract(hour FROM started) >= 22) OR "Per km" IS DISTINCT FROM fare / nullif(km, 0) OR gen <> km * 2), count(*) FILTER (WHERE "Per km" IS NULL) > 0
  FROM unnest('{mst,aim,sbhg,privbayes,marginal}'::text[]) m, LATERAL dp_release('trip', m, 5, CASE WHEN m IN ('mst', 'aim', 'sbhg') THEN 1e-9 ELSE 0 END) r,
	LATERAL dp_sample(NULL::trip, r, 2000, 1) GROUP BY m ORDER BY m;
CREATE SCHEMA t_computed_made;
SELECT rows > 2000 FROM dp_create_synthetic('trip', 't_computed_made', 5, 1e-9);
SELECT count(*) FILTER (WHERE hour <> extract(hour FROM started) OR total <> fare + coalesce(tip, 0) OR code <> 'T-' || id) FROM t_computed_made.trip;
-- the release keeps the expression; without its columns it is an error
SELECT dp_release('trip', 'mst', 5, 1e-9) AS r \gset
SELECT dp_define_column('trip', 'hour'), dp_define_column('trip', 'late');
SELECT count(*) FILTER (WHERE hour <> extract(hour FROM started)) FROM dp_sample(NULL::trip, :r, 100, 1);
SELECT * FROM dp_sample('trip', :r, 1, 1) AS s(hour int, km int);
-- with the option columns: where its columns are asked for
SELECT dp_release('trip', 'mst', 5, 1e-9, '{"columns": ["fare", "tip"]}') AS r \gset
SELECT count(*) FILTER (WHERE total IS DISTINCT FROM fare + coalesce(tip, 0)), count(year) FROM dp_sample(NULL::trip, :r, 100, 1);
-- a view
CREATE VIEW trips AS SELECT started, hour, fare, tip, total FROM trip;
SELECT dp_protect('trips', 100, 1e-5);
SELECT dp_define_column('trips', 'total', computed => 'fare + coalesce(tip, 0)'), dp_define_column('trips', 'fare', range => '{0,500}'), dp_define_column('trips', 'tip', range => '{0,100}');
SELECT dp_release('trips', 'mst', 5, 1e-9) AS r \gset
SELECT count(*) FILTER (WHERE total <> fare + coalesce(tip, 0)), count(total) FROM dp_sample(NULL::trips, :r, 100, 1);

-- what is no expression of the row
SELECT dp_define_column('trip', 'year', computed => 'now()');
SELECT dp_define_column('trip', 'year', computed => '(select 1)');
SELECT dp_define_column('trip', 'year', computed => 'nope + 1');
SELECT dp_define_column('trip', 'year', computed => 'year + 1');
SELECT dp_define_column('trip', 'year', computed => '5');
SELECT dp_define_column('trip', 'year', computed => 'started');
SELECT dp_define_column('trip', 'year', computed => 't_computed.f(km)');
SELECT dp_define_column('trip', 'year', computed => 'km::t_computed.trip');
SELECT dp_define_column('trip', 'year', computed => 'km OPERATOR(t_computed.+) 1');
SELECT dp_define_column('trip', 'year', computed => 'km, fare from trip');
SELECT dp_define_column('trip', 'year', computed => 'km where true');
SELECT dp_define_column('trip', 'year', computed => 'km; drop table trip');
SELECT dp_define_column('trip', 'year', computed => 'km', fill => '3');
SELECT dp_define_column('trip', 'year', computed => 'sum(km)');
SELECT dp_define_column('trip', 'year', computed => '$1');
SELECT dp_define_column('trip', 'year', computed => 'trip.km');
SELECT dp_define_column('trip', 'year', computed => 'length(repeat(code, 100000000)) + km');
-- in a circle
SELECT dp_define_column('trip', 'year', computed => 'hour'), dp_define_column('trip', 'hour', computed => 'year');
SELECT dp_release('trip', 'mst', 5, 1e-9);
-- an operator of the custodian's before those of PostgreSQL
CREATE FUNCTION minus(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT -1000';
CREATE OPERATOR t_computed.+ (LEFTARG = int4, RIGHTARG = int4, FUNCTION = minus);
SET search_path = t_computed, pg_catalog, public;
SELECT dp_define_column('trip', 'year', computed => 'km + 1'), dp_define_column('trip', 'hour', computed => 'km + 2');
SELECT dp_release('trip', 'mst', 5, 1e-9) AS r \gset
SELECT count(*) FILTER (WHERE year OPERATOR(pg_catalog.-) km <> 1) FROM dp_sample(NULL::trip, :r, 100, 1);
-- a column that is gone, or of another type
ALTER TABLE trip DROP gen;
ALTER TABLE trip DROP km CASCADE;
SELECT dp_release('trip', 'mst', 5, 1e-9);
DROP SCHEMA t_computed, t_computed_made CASCADE;
