-- values that many rows have though they lie far from all others come back in their share, declared or not
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_far;
SET search_path = t_far, public;
SET client_min_messages = error;
CREATE TABLE contract (id serial PRIMARY KEY, until date NOT NULL, at timestamp NOT NULL, zoned timestamptz, big bigint, small int, n numeric(18,2), free numeric, m money, f float8, r real);
INSERT INTO contract (until, at, zoned, big, small, n, free, m, f, r) SELECT
	CASE WHEN far THEN '9999-12-31' ELSE date '2015-01-01' + i % 3000 END, CASE WHEN far THEN '9999-12-31 23:59:59' ELSE timestamp '2015-01-01' + i % 3000 * interval '1 day' END,
	CASE WHEN far THEN '9999-12-31 00:00:00+00' ELSE timestamptz '2015-01-01' + i % 3000 * interval '5 hours' END,
	CASE WHEN far THEN 9999999999 ELSE i % 100 END, CASE WHEN far THEN 99999999 ELSE i % 100 END, CASE WHEN far THEN 999999999999.99 ELSE i % 100 END,
	CASE WHEN far THEN -9999 ELSE i % 100 END, CASE WHEN far THEN '99999999.99'::money ELSE (i % 100)::money END, CASE WHEN far THEN 99999999.99 ELSE (i % 1000) / 10.0 END,
	CASE WHEN far THEN 9999999 ELSE i % 100 END
  FROM (SELECT i, i % 8 = 0 AS far FROM generate_series(1, 4000) i) x;
SELECT dp_protect('contract', 100000, 1e-5);
CREATE FUNCTION far_shares(release bigint) RETURNS TABLE (far text) LANGUAGE sql AS $$
	SELECT u.name FROM (SELECT avg((until = '9999-12-31')::int) until, avg((at = '9999-12-31 23:59:59')::int) at, avg((zoned = '9999-12-31 00:00:00+00')::int) zoned, avg((big = 9999999999)::int) big,
		avg((small = 99999999)::int) small, avg((n = 999999999999.99)::int) n, avg((free = -9999)::int) free, avg((m = '99999999.99'::money)::int) m, avg((f = 99999999.99)::int) f, avg((r = 9999999)::int) r
		FROM dp_sample(NULL::contract, release, 8000, 1)) s, LATERAL (VALUES ('until', until), ('at', at), ('zoned', zoned), ('big', big), ('small', small), ('n', n), ('free', free), ('m', m), ('f', f), ('r', r)) u(name, share)
	 WHERE abs(share - 0.125) > 0.03 $$;
-- by each way of paying for bins; the others are what they were
SELECT m, far FROM unnest('{mst,sbhg,privbayes}'::text[]) m, LATERAL dp_release('contract', m, 20, CASE m WHEN 'privbayes' THEN 0 ELSE 1e-9 END) r, LATERAL far_shares(r);
SELECT dp_release('contract', 'mst', 20, 1e-9) AS r \gset
SELECT max(until) FILTER (WHERE until <> '9999-12-31') < '2030-01-01', min(at) > '2000-01-01', abs(avg(big) FILTER (WHERE big < 9999999999) - 50) < 10, abs(avg(f) FILTER (WHERE f < 99999999) - 50) < 10,
	percentile_disc(0.5) WITHIN GROUP (ORDER BY m) BETWEEN '35'::money AND '75'::money FROM dp_sample(NULL::contract, :r, 8000, 1);
-- declared, so that they are the ends
SELECT dp_define_column('contract', 'until', range => '{2000-01-01,9999-12-31}'), dp_define_column('contract', 'at', range => '{2000-01-01,9999-12-31 23:59:59}'), dp_define_column('contract', 'big', range => '{0,9999999999}'),
	dp_define_column('contract', 'small', range => '{0,99999999}'), dp_define_column('contract', 'n', range => '{0,999999999999.99}'), dp_define_column('contract', 'm', range => '{0,99999999.99}'),
	dp_define_column('contract', 'free', range => '{-9999,100}');
SELECT m, far FROM unnest('{mst,sbhg}'::text[]) m, LATERAL dp_release('contract', m, 20, 1e-9) r, LATERAL far_shares(r);

-- a usual term among many intervals
CREATE TABLE term (lasts interval NOT NULL);
INSERT INTO term SELECT CASE WHEN i % 8 = 0 THEN interval '30 days' ELSE i * 1733.7 * interval '1 second' END FROM generate_series(1, 4000) i;
SELECT dp_protect('term', 100000, 1e-5);
SELECT abs(avg((lasts = interval '1 month')::int) - 0.125) < 0.03 FROM dp_sample(NULL::term, dp_release('term', 'mst', 20, 1e-9), 8000, 1);
SELECT dp_suggest_columns('term');

-- what is beyond the range, or infinite, is its end
CREATE TABLE beyond (a int NOT NULL, d date NOT NULL, b bigint NOT NULL);
INSERT INTO beyond SELECT CASE WHEN i % 10 = 0 THEN 123456789 ELSE i % 100 END, CASE WHEN i % 10 = 0 THEN 'infinity' ELSE date '2020-01-01' + i % 500 END, CASE WHEN i % 10 = 0 THEN 9223372036854775807 ELSE i % 100 END FROM generate_series(1, 4000) i;
SELECT dp_protect('beyond', 100000, 1e-5);
SELECT dp_define_column('beyond', 'a', range => '{0,1000000}');
SELECT dp_release('beyond', 'mst', 20, 1e-9) AS r \gset
SELECT abs(avg((a = 1000000)::int) - 0.1) < 0.03, abs(avg((d = '9999-12-31')::int) - 0.1) < 0.03, abs(avg((b = 9223372036854775807)::int) - 0.1) < 0.03, bool_and(d BETWEEN '0001-01-01' AND '9999-12-31')
  FROM dp_sample(NULL::beyond, :r, 4000, 1);

-- where few rows say little, dates are years that clients read
CREATE TABLE few (born date NOT NULL, seen timestamptz, at timestamp);
INSERT INTO few SELECT date '1940-01-01' + i * 500, timestamptz '2020-01-01' + i * interval '1 day', timestamp '2020-01-01' FROM generate_series(1, 50) i;
SELECT dp_protect('few', 1000, 1e-4);
SELECT m FROM unnest('{aim,mst,flat,marginal,sbhg,privbayes}'::text[]) m, LATERAL dp_release('few', m, 0.2, CASE WHEN m IN ('aim', 'mst', 'sbhg') THEN 1e-9 ELSE 0 END) r,
	LATERAL dp_sample(NULL::few, r, 2000, 1) s WHERE born NOT BETWEEN '0001-01-01' AND '9999-12-31' OR seen NOT BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999+00' OR at NOT BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999';

-- one value that is beyond all ranges does not end a suggestion
CREATE TABLE odd (f float8, n numeric, h float8 NOT NULL, nothing float8, r real);
INSERT INTO odd SELECT i % 77 * 1.5, i % 50, i % 70, NULL, i % 60 FROM generate_series(1, 500) i;
INSERT INTO odd VALUES (1e300, 1e300, 1e308, 'NaN', 1e38), ('-1e300', 'NaN', '-Infinity', 'Infinity', '-Infinity');
SELECT dp_protect('odd', 10);
SELECT regexp_replace(s, ' *--.*', '') FROM dp_suggest_columns('odd') s;

-- numbers so large that a double does not tell the ends of narrow cells apart: a fit of their tail ends
CREATE TABLE snowflake (id bigint NOT NULL CHECK (id BETWEEN 0 AND 9000000000000000000));
INSERT INTO snowflake SELECT i * 1000000000000000 FROM generate_series(1, 2000) i;
SELECT dp_protect('snowflake', 100000, 1e-5);
SELECT m, abs(avg(id) / 1e18 - 1) < 0.2 FROM unnest('{mst,flat}'::text[]) m, LATERAL dp_release('snowflake', m, 5, CASE m WHEN 'mst' THEN 1e-9 ELSE 0 END) r, LATERAL dp_sample(NULL::snowflake, r, 2000, 1) GROUP BY m ORDER BY m;
DROP SCHEMA t_far CASCADE;
