-- a column that must not be NULL never comes back NULL, whatever share of its rows a list does not name
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_never;
SET search_path = t_never, public;
SET client_min_messages = error;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN word AS text NOT NULL;
CREATE DOMAIN long_word AS word CHECK (VALUE <> 'q');
CREATE TABLE listed (id serial PRIMARY KEY, a text NOT NULL, b integer NOT NULL, c date NOT NULL, d mood NOT NULL, e boolean NOT NULL, f numeric(8,2) NOT NULL, g word, h long_word, i varchar(3) NOT NULL,
	j timestamptz NOT NULL, k integer NOT NULL, l integer NOT NULL, m text CHECK (m IS NOT NULL), n text NOT NULL CHECK (length(n) > 1), CHECK (k <= l), CHECK (a <> 'zz' OR b > 3));
INSERT INTO listed (a, b, c, d, e, f, g, h, i, j, k, l, m, n)
SELECT CASE WHEN i % 10 < 3 THEN 'v' || i % 3 ELSE 'z' || i % 500 END, i % 300, date '2020-01-01' + i % 700, (ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood, i % 2 = 0, i % 900 / 10.0, 'g' || i % 90, 'h' || i % 80, 'j' || i % 60,
	   timestamptz '2020-01-01Z' + i % 80 * interval '1 day', i % 50, i % 50 + i % 7, 'm' || i % 40, 'n' || i % 9 FROM generate_series(1, 5000) i;
SELECT dp_protect('listed', 100000, 0.1);
SELECT count(dp_define_column('listed', name, categories => list::text[]) IS NULL) FROM (VALUES ('a', '{v0,v1,v2}'), ('b', '{1,2,3}'), ('c', '{2020-01-01,2020-01-02}'), ('d', '{sad,ok}'), ('e', '{t}'), ('f', '{0,1.1,2.2}'), ('g', '{g1,g2,g3}'),
	('h', '{h1,h2}'), ('i', '{j1,j2}'), ('j', '{2020-01-01 00:00Z,2020-01-02 00:00Z}'), ('k', '{1,2,3}'), ('l', '{1,2,3,4,5}'), ('m', '{m1,m2}'), ('n', '{n1,n2}')) v(name, list);
SELECT m, (SELECT count(*) FROM dp_sample(NULL::listed, r, 3000, 1) s WHERE num_nulls(a, b, c, d, e, f, g, h, i, j, k, l, m, n) > 0) AS with_null
  FROM unnest('{aim,mst,sbhg,privbayes,marginal,cathist}'::text[]) m, LATERAL dp_release('listed', m, 1, 1e-9) r;
-- of a smaller table, and of open columns
CREATE TABLE small AS SELECT 'v' || i % 9 AS a, 'w' || i * i % 13 AS b, i % 50 AS c FROM generate_series(1, 400) i;
ALTER TABLE small ALTER a SET NOT NULL, ALTER b SET NOT NULL, ALTER c SET NOT NULL;
SELECT dp_protect('small', 100000, 0.1);
SELECT dp_define_column('small', 'a', categories => '{v1,v2}'), dp_define_column('small', 'b', open => true), dp_define_column('small', 'c', categories => '{1,2,3}');
SELECT sum((SELECT count(*) FROM dp_sample(NULL::small, r, 400, n) s WHERE num_nulls(a, b, c) > 0)) AS with_null
  FROM generate_series(1, 10) n, LATERAL dp_release('small', (ARRAY['aim', 'mst', 'sbhg'])[1 + n % 3], .3, 1e-6) r;
DROP SCHEMA t_never CASCADE;
