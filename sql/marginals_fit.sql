-- dp_fit_marginals: published cells to rows, domains, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t37;
SET search_path = t37, public;
CREATE TYPE colour AS ENUM ('red', 'green', 'blue');
CREATE TABLE target (c colour NOT NULL, big boolean, w text, n integer, unused integer);
CREATE TABLE published (attributes text[], "values" text[], count numeric, variance float8);
INSERT INTO published SELECT '{c,w}', ARRAY[c, w], 100 * (1 + (i = j)::int * 5), 4
  FROM (VALUES ('red', 1), ('green', 2), ('blue', 3)) c (c, i), (VALUES ('x', 1), ('y', 2)) w (w, j);
-- the attributes are in another order, and NULL is a value of big
INSERT INTO published SELECT '{big,c}', ARRAY[b, c], 150, 4
  FROM (VALUES ('t'), ('f'), (NULL)) b (b), (VALUES ('red'), ('green'), ('blue')) c (c);

SELECT count(*) BETWEEN 1500 AND 1700, count(unused), count(n), bool_and(c IS NOT NULL), count(DISTINCT w),
	   count(*) FILTER (WHERE big IS NULL) BETWEEN 400 AND 650,
	   count(*) FILTER (WHERE c = 'red' AND w = 'x') > 3 * count(*) FILTER (WHERE c = 'red' AND w = 'y')
  FROM dp_fit_marginals(NULL::target, 'published'::regclass, seed => 1);
SELECT solver, count(*), count(w)
  FROM unnest('{entropic,centred,ridge,graphical}'::text[]) solver,
	   LATERAL dp_fit_marginals(NULL::target, (SELECT array_agg((attributes, "values", count, variance)::dp_noisy_counts) FROM published), 50, solver, seed => 2)
 GROUP BY solver ORDER BY solver;
-- the same rows for the same seed, in whatever order the cells come
SELECT count(*) FROM (
	SELECT * FROM dp_fit_marginals(NULL::target, (SELECT array_agg((attributes, "values", count, variance)::dp_noisy_counts ORDER BY "values") FROM published), 200, seed => 3)
	EXCEPT ALL
	SELECT * FROM dp_fit_marginals(NULL::target, (SELECT array_agg((attributes, "values", count, variance)::dp_noisy_counts ORDER BY "values" DESC) FROM published), 200, seed => 3)) x;
-- exact counts; cells that are not given count 0
SELECT w, n, round(count(*), -3) FROM dp_fit_marginals(NULL::target, ARRAY[('{w,n}', '{p,1}', 3, 0), ('{w,n}', '{q,2}', 1, 0)]::dp_noisy_counts[], 4000, seed => 4)
 GROUP BY w, n HAVING count(*) > 1 ORDER BY 1, 2;
-- a row type of its own
CREATE TYPE pair AS (w text, n integer);
SELECT count(*), min(n) FROM dp_fit_marginals(NULL::pair, ARRAY[('{w}', '{p}', 3, 1), ('{n}', '{5}', 3, 1)]::dp_noisy_counts[], 10);
-- rows keep the rules between columns of a table, and generated columns are computed
CREATE TABLE ruled (a integer NOT NULL CHECK (a IN (1, 2, 3)), b integer NOT NULL CHECK (b IN (1, 2, 3)), total integer GENERATED ALWAYS AS (a + b) STORED,
	note text, CONSTRAINT in_order CHECK (a <= b), CONSTRAINT noted CHECK (note <> ''));
SELECT count(*), count(*) FILTER (WHERE a > b) AS broken, count(*) FILTER (WHERE total IS DISTINCT FROM a + b) AS wrong, count(DISTINCT (a, b)) AS pairs
  FROM dp_fit_marginals(NULL::ruled, ARRAY[('{a}', '{1}', 2, 1), ('{a}', '{2}', 2, 1), ('{a}', '{3}', 2, 1), ('{b}', '{1}', 2, 1), ('{b}', '{2}', 2, 1), ('{b}', '{3}', 2, 1)]::dp_noisy_counts[], 1000, seed => 1);
SELECT count(*), count(*) FILTER (WHERE a > b) FROM dp_fit_marginals(NULL::ruled, ARRAY[('{a}', '{3}', 1000000, 0), ('{b}', '{1}', 1000000, 0)]::dp_noisy_counts[], 5, seed => 1);
-- the caller's rights
CREATE ROLE regress_dp_37;
GRANT USAGE ON SCHEMA t37 TO regress_dp_37;
SET ROLE regress_dp_37;
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'published'::regclass, 10);
RESET ROLE;

SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{c}', '{purple}', 1, 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{c}', '{NULL}', 1, 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{z}', '{1}', 1, 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w,w}', '{1,1}', 1, 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w}', '{1,2}', 1, 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w}', '{1}', 'NaN', 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w}', '{1}', 1, NULL)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w}', '{1}', 1, 0), ('{w}', '{1}', 2, 0)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{n}', '{one}', 1, 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[NULL]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, '{}'::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, NULL::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'published'::regclass, solver => 'magic');
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'published'::regclass, cell_limit => 5);
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'published'::regclass, cell_limit => 17);
-- a cell that is given again is a second measurement, which counts by inverse variance, in any order
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w}', '{1}', 100, 1), ('{w}', '{1}', 200, 4), ('{w}', '{1}', 500, 8)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w}', '{1}', 500, 8), ('{w}', '{1}', 200, 4), ('{w}', '{1}', 100, 1)]::dp_noisy_counts[]);
SELECT count(*) FROM dp_fit_marginals(NULL::target, ARRAY[('{w}', '{1}', 100, 1), ('{w}', '{1}', 50, 0), ('{w}', '{1}', 50, 0)]::dp_noisy_counts[]);
-- many large tables, each of them within the limit
SELECT format('CREATE TYPE wide AS (%s)', string_agg('c' || i || ' boolean', ', ' ORDER BY i)) FROM generate_series(1, 17) i \gexec
SELECT count(*) FROM dp_fit_marginals(NULL::wide, (SELECT array_agg(cell) FROM (
	SELECT ROW(array_agg('c' || i), array_agg('t'::text), 1, 1)::dp_noisy_counts AS cell
	  FROM generate_series(1, 17) i, generate_series(1, 3) without WHERE i <> without GROUP BY without) c), cell_limit => 100000000);
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'published'::regclass, 10, 'graphical', cell_limit => 17);
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'published'::regclass, 10, 'graphical', cell_limit => 14);
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'published'::regclass, lambda => 0);
SELECT count(*) FROM dp_fit_marginals(NULL::integer, 'published'::regclass);
SELECT count(*) FROM dp_fit_marginals(NULL::target, 'target'::regclass);

SET client_min_messages = error;
DROP SCHEMA t37 CASCADE;
DROP ROLE regress_dp_37;
