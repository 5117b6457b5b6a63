-- Tables of far more cells than memory: flat, steps and uh over 10^12 cells and
-- over 10^18 cost what their rows cost.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t31;
SET search_path = t31, public;
SET client_min_messages = warning;
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, e int NOT NULL, f int NOT NULL);
INSERT INTO t SELECT i % 10, i % 10, i % 10, i % 10, i % 10, i % 10 FROM generate_series(1, 20000) i;
SELECT dp_protect('t', 1000000);
SELECT dp_define_column('t', c, (SELECT array_agg(i::text) FROM generate_series(0, 999) i), complete => true)
  FROM unnest('{a,b,c,d,e,f}'::name[]) c;

-- the plan: threshold, cells, how many of them will be noise alone, and memory, without spending
SELECT stage, mechanism, threshold, cells, round(false_positives::numeric, 3), memory_bytes < 2000000000
  FROM dp_explain('t', 'flat', 1, 0, '{"columns": ["a", "b", "c", "d"]}');
SELECT stage, mechanism, threshold, cells, round(false_positives::numeric, 3), memory_bytes < 2000000000
  FROM dp_explain('t', 'flat', 1);
SELECT stage, mechanism, threshold, cells, round(false_positives::numeric, 3), memory_bytes < 2000000000
  FROM dp_explain('t', 'uh', 3);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 't'::regclass;

-- ten cells of 2,000 rows come back, and hardly anything else does
SELECT dp_release('t', 'flat', 1) AS r \gset
SELECT count(*) > 9990, count(*) FILTER (WHERE (a, b, c, d, e) <> (b, c, d, e, f) OR a > 9) < 300, count(DISTINCT a) >= 10
  FROM dp_sample(NULL::t, :r, 10000, 1);
SELECT model_bytes < 100000 FROM dp_releases WHERE release = :r;
SELECT dp_release('t', 'uh', 6) AS r \gset
SELECT count(*) FILTER (WHERE a = b AND b = c AND c = d AND d = e AND e = f) > 9000 FROM dp_sample(NULL::t, :r, 10000, 1);
SELECT dp_release('t', 'steps', 6, 0, '{"column_order": ["f", "a", "e"], "layers": 3}') AS r \gset
SELECT count(*) FILTER (WHERE a = b AND b = c AND c = d AND d = e AND e = f) > 9000 FROM dp_sample(NULL::t, :r, 10000, 1);

-- beyond 2^60 cells there is a way out
ALTER TABLE t ADD g int NOT NULL DEFAULT 0;
SELECT dp_define_column('t', 'g', (SELECT array_agg(i::text) FROM generate_series(0, 999) i), complete => true);
SELECT dp_explain('t', 'flat', 1);
SELECT count(*) FROM dp_explain('t', 'flat', 1, 0, '{"columns": ["a", "b", "g"]}');
-- values of open columns are found first; then the columns are part of a table, whatever its size
CREATE TABLE o (a int NOT NULL, t text);
INSERT INTO o SELECT i % 3, 'word ' || i % 4 FROM generate_series(1, 4000) i;
SELECT dp_protect('o', 1000000, 0.5);
SELECT dp_define_column('o', 'a', '{0,1,2}', complete => true), dp_define_column('o', 't', open => true);
SELECT method, count(DISTINCT t), count(*) FILTER (WHERE t NOT LIKE 'word _') < 20
  FROM (VALUES ('flat'), ('uh'), ('steps')) m (method),
	   LATERAL (SELECT dp_release('o', method, 20, 1e-6) AS id) r, LATERAL dp_sample(NULL::o, id, 2000, 1) GROUP BY 1 ORDER BY 1;
SELECT stage, mechanism, threshold IS NOT NULL, cells FROM dp_explain('o', 'steps', 1, 1e-6, '{"column_order": ["a"]}');
SELECT dp_explain('o', 'flat', 1);

DROP SCHEMA t31 CASCADE;
