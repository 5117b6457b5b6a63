-- A distance from another column, where some rows have a value far from all others: "no end".
CREATE SCHEMA distance_far;
SET search_path = distance_far, public;
SET client_min_messages = warning;
SET datestyle = 'ISO, YMD';
CREATE TABLE staff (id integer PRIMARY KEY, hired date NOT NULL CHECK (hired BETWEEN '1990-01-01' AND '2010-12-31'));
CREATE TABLE posts (staff integer NOT NULL REFERENCES staff, began date NOT NULL, ended date NOT NULL, seen timestamptz NOT NULL,
	CHECK (began <= ended), CHECK (ended <= '9999-01-01'));
INSERT INTO staff SELECT i, date '1990-01-01' + i * 3 FROM generate_series(1, 2000) i;
INSERT INTO posts SELECT id, hired + 400 * k, CASE WHEN k = 1 THEN '9999-01-01' ELSE hired + 400 * (k + 1) END,
	CASE WHEN id % 4 = 0 THEN 'infinity' ELSE hired + interval '10 hours' END FROM staff, generate_series(0, 1) k;
SELECT dp_protect('staff', 1e6);
SELECT dp_protect('posts', parent => 'staff', max_rows_per_unit => 2);

-- what is suggested
SELECT replace(s, 'distance_far.', '') FROM dp_suggest_columns('posts') s;
-- what cannot be declared
SELECT dp_define_column('posts', 'ended', range => '{1990-01-01,2020-01-01}', other => '9999-01-01');
SELECT dp_define_column('posts', 'ended', offset_of => 'began', range => '{0,1000}', other => 'never');

SELECT dp_define_column('posts', 'began', offset_of => 'staff.hired', range => '{0,1000}'),
	   dp_define_column('posts', 'ended', offset_of => 'began', range => '{0,1000}', other => '9999-1-1'),
	   dp_define_column('posts', 'seen', range => '{1990-01-01,2020-01-01}', resolution => '1 hour');
SELECT column_name, type, labels, has_other, other, offset_of FROM dp_columns WHERE relation = 'posts'::regclass ORDER BY ordinal;
CREATE SCHEMA distance_far_copy;
SELECT relation, rows > 0 AS any FROM dp_create_synthetic('{staff,posts}', 'distance_far_copy', 1e5, seed => 1);
SELECT round(avg((ended = '9999-01-01')::integer), 1) AS without_end, bool_and(ended - began BETWEEN 390 AND 410) FILTER (WHERE ended < '9999-01-01') AS near,
	   bool_and(began >= hired) AS behind FROM distance_far_copy.posts p JOIN distance_far_copy.staff s ON s.id = p.staff;

-- one table, bins and a range, dates and timestamps; what is given is kept
CREATE TABLE rents (began date NOT NULL, ended date NOT NULL, opened timestamp NOT NULL, closed timestamp NOT NULL);
INSERT INTO rents SELECT d, CASE WHEN i % 5 = 0 THEN '9999-12-31' ELSE d + 1 + i % 3 END, d, CASE WHEN i % 4 = 0 THEN 'infinity' ELSE d + interval '3 hours' END
  FROM generate_series(1, 3000) i, LATERAL (SELECT date '2020-01-01' + i % 360) t (d);
SELECT dp_protect('rents', 1e6, 1e-6);
SELECT dp_define_column('rents', 'began', range => '{2020-01-01,2021-01-01}'), dp_define_column('rents', 'ended', offset_of => 'began', bins => '{0,2,4}', other => '9999-12-31'),
	   dp_define_column('rents', 'opened', range => '{2020-01-01,2021-01-01}', resolution => '1 day'),
	   dp_define_column('rents', 'closed', offset_of => 'opened', range => '{0 hours,10 hours}', resolution => '1 hour', other => 'infinity');
SELECT round(avg((ended = '9999-12-31')::integer), 1) AS without_end, bool_and(ended - began BETWEEN 0 AND 4) FILTER (WHERE ended < '9999-12-31') AS near,
	   round(avg((NOT isfinite(closed))::integer) * 4) AS never, bool_and(closed - opened BETWEEN '0 hours' AND '10 hours') FILTER (WHERE isfinite(closed)) AS soon
  FROM dp_synthesize_mst(NULL::rents, 1e5, 1e-9);
SELECT method, max(abs(estimate - .2)) < .01 AS right FROM unnest('{mst,marginal,flat,sbhg}'::text[]) method,
	   LATERAL dp_answer(dp_release('rents', method, 1e4, 1e-9), '{ended}', measure => 'share') WHERE cell ->> 'ended' = '9999-12-31' GROUP BY 1 ORDER BY 1;
SELECT bool_and(c.ended = '9999-12-31') AS kept, bool_and(c.began IS NOT NULL AND c.closed IS NOT NULL) AS drawn
  FROM (SELECT r.* FROM generate_series(1, 10), LATERAL jsonb_populate_record(NULL::rents, '{"ended": "9999-12-31"}') r) t,
	   LATERAL dp_impute(t::rents, (SELECT max(release) FROM dp_releases WHERE method = 'mst'), seed => 1) c;
-- asked in SQL, ends are ends
SELECT * FROM dp_sql('SELECT count(*) FILTER (WHERE ended = ''9999-12-31''), count(*) FILTER (WHERE ended - began > 3), round(avg(ended - began), 1) FROM rents', 1e4) AS (n bigint, m bigint, a numeric);
SELECT 600 AS n, count(*) FILTER (WHERE ended - began > 3) AS m, round(avg(least(ended - began, 4)), 1) AS a FROM rents;
DROP SCHEMA distance_far, distance_far_copy CASCADE;
