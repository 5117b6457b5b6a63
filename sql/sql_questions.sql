-- Questions in SQL over customers, their orders and their lines, joined with public tables. The budget is so large that there is next to no noise.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t38;
CREATE ROLE regress_dp_38_owner;
CREATE ROLE regress_dp_38_analyst;
GRANT USAGE, CREATE ON SCHEMA t38 TO regress_dp_38_owner;
GRANT USAGE ON SCHEMA t38 TO regress_dp_38_analyst;
SET search_path = t38, public;
SET SESSION AUTHORIZATION regress_dp_38_owner;
SET client_min_messages = warning;
CREATE TABLE region (r_regionkey integer PRIMARY KEY, r_name text NOT NULL);
CREATE TABLE nation (n_nationkey integer PRIMARY KEY, n_name char(10) NOT NULL, n_regionkey integer NOT NULL REFERENCES region);
CREATE TABLE part (p_partkey integer PRIMARY KEY, p_type varchar(25) NOT NULL, p_brand char(10) NOT NULL, p_size integer NOT NULL);
CREATE TABLE rates (currency text NOT NULL, rate numeric NOT NULL);
CREATE TABLE customer (c_custkey integer PRIMARY KEY, c_nationkey integer NOT NULL REFERENCES nation, c_segment char(10) NOT NULL CHECK (c_segment IN ('AUTO', 'BUILDING', 'MACHINERY')), c_name text);
CREATE TABLE orders (o_orderkey integer PRIMARY KEY, o_custkey integer NOT NULL REFERENCES customer, o_orderdate date NOT NULL CHECK (o_orderdate BETWEEN '1992-01-01' AND '1998-12-31'),
	o_status char(1) CHECK (o_status IN ('F', 'O')));
CREATE TABLE lineitem (l_orderkey integer NOT NULL REFERENCES orders, l_linenumber integer NOT NULL, l_partkey integer NOT NULL REFERENCES part,
	l_quantity numeric(15,2) NOT NULL CHECK (l_quantity BETWEEN 1 AND 50), l_price numeric(15,2) NOT NULL CHECK (l_price BETWEEN 0 AND 10000),
	l_discount numeric(15,2) NOT NULL CHECK (l_discount BETWEEN 0 AND 0.10), l_tax numeric(15,2) CHECK (l_tax BETWEEN 0 AND 0.08),
	l_flag char(1) CHECK (l_flag IN ('A', 'N', 'R')), l_shipdate date NOT NULL CHECK (l_shipdate BETWEEN '1992-01-01' AND '1998-12-31'), l_weight float8 CHECK (l_weight BETWEEN 0 AND 40), l_note text,
	PRIMARY KEY (l_orderkey, l_linenumber));
INSERT INTO region SELECT i, (ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE'])[i] FROM generate_series(1, 4) i;
INSERT INTO nation SELECT i, 'nation ' || i, 1 + i % 4 FROM generate_series(1, 8) i;
INSERT INTO part SELECT i, CASE i % 4 WHEN 0 THEN 'PROMO TIN' ELSE 'ECONOMY' END, 'Brand#' || i % 5, i FROM generate_series(1, 40) i;
INSERT INTO rates VALUES ('eur', 1), ('usd', 1.25), ('usd', 1.5);
INSERT INTO customer SELECT i, 1 + i % 8, (ARRAY['AUTO', 'BUILDING', 'MACHINERY'])[1 + i % 3], CASE WHEN i % 7 > 0 THEN 'customer ' || i END FROM generate_series(1, 200) i;
INSERT INTO orders SELECT 10 * i + j, i, date '1992-01-01' + (i * 37 + j * 411) % 2557, CASE WHEN i % 5 > 0 THEN (ARRAY['F', 'O'])[1 + j % 2] END FROM generate_series(1, 200) i, generate_series(1, 1 + i % 3) j;
INSERT INTO lineitem SELECT o_orderkey, j, 1 + (o_orderkey * 7 + j) % 40, 1 + (o_orderkey + j) % 50, 100 + (o_orderkey * 13 + j * 1111) % 9900, (o_orderkey + j) % 11 / 100.0, CASE WHEN (o_orderkey + j) % 6 > 0 THEN j / 100.0 END,
	CASE WHEN o_orderkey % 4 > 0 THEN (ARRAY['A', 'N', 'R'])[1 + (o_orderkey + j) % 3] END, o_orderdate + 30 - 30 * (o_orderdate >= '1998-12-01')::int, (o_orderkey % 160) / 4.0, CASE WHEN j = 2 THEN 'Late ' || o_orderkey % 3 END
  FROM orders, generate_series(1, 1 + o_orderkey % 4) j;
SET client_min_messages = error;
SELECT count(*) FROM (SELECT dp_declare_public(r) FROM unnest('{region,nation,part,rates}'::regclass[]) r) x;
SELECT dp_protect('customer', 1000000), dp_protect('orders', parent => 'customer', max_rows_per_unit => 3), dp_protect('lineitem', parent => 'orders', max_rows_per_unit => 4);
SELECT dp_grant(r, 'regress_dp_38_analyst', 100000) FROM unnest('{customer,orders,lineitem}'::regclass[]) r;
GRANT SELECT ON region, nation, part, rates TO regress_dp_38_analyst;
-- the answers beside the true ones: how many rows there are, those that are not answered, and answers (of 1 at least) that no row has
CREATE FUNCTION near(a jsonb, t jsonb) RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_and(CASE WHEN jsonb_typeof(e.v) = 'object' THEN (e.v->>'estimate' IS NULL AND t->>e.k IS NULL) OR abs((e.v->>'estimate')::numeric - (t->>e.k)::numeric) <= 0.01 * abs((t->>e.k)::numeric) + 0.4
		ELSE e.v = t->e.k END) FROM jsonb_each(a) e(k, v) $$;
CREATE FUNCTION beside(query text) RETURNS TABLE (answers bigint, missing bigint, invented bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH a AS MATERIALIZED (SELECT j FROM dp_sql_json(%L, 15000) j), t AS MATERIALIZED (SELECT to_jsonb(whole) AS j FROM (%s) whole)
		SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM t WHERE NOT EXISTS (SELECT FROM a WHERE near(a.j, t.j))),
		(SELECT count(*) FROM a WHERE NOT EXISTS (SELECT FROM t WHERE near(a.j, t.j)) AND EXISTS (SELECT FROM jsonb_each(j) e(k, v) WHERE abs((v->>''estimate'')::float8) > 6 * (v->>''std_error'')::float8 + 0.5))', query, query);
END $$;
-- ---- one relation: expressions in aggregates, groups and WHERE
SELECT * FROM beside('SELECT count(*) AS n, sum(l_price * (1 - l_discount)) AS s FROM lineitem');
SELECT * FROM beside($$SELECT l_flag, count(*) AS n, sum(l_quantity) AS q, sum(l_price * (1 - l_discount) * (1 + l_tax)) AS charge, avg(l_discount) AS d, count(l_tax) AS taxed
	FROM lineitem WHERE l_shipdate <= date '1998-12-01' - interval '90' day GROUP BY l_flag$$);
SELECT * FROM beside($$SELECT sum(l_price * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1994-01-01' + interval '1' year AND l_discount BETWEEN 0.03 AND 0.07 AND l_quantity < 24$$);
-- ---- groups that are computed
SELECT * FROM beside('SELECT extract(year FROM o_orderdate) AS y, count(*) AS n FROM orders GROUP BY 1');
SELECT * FROM beside($$SELECT date_trunc('quarter', o_orderdate) AS q, count(*) AS n FROM orders GROUP BY 1$$);
SELECT * FROM beside($$SELECT CASE WHEN l_quantity < 10 THEN 'few' WHEN l_quantity < 30 THEN 'some' ELSE 'many' END AS size, count(*) AS n, avg(l_price) AS p FROM lineitem GROUP BY 1$$);
SELECT * FROM beside('SELECT width_bucket(l_price, 0, 10000, 5) AS bucket, count(*) AS n, sum(l_weight * 2) AS w FROM lineitem GROUP BY 1');
SELECT * FROM beside('SELECT l_tax > 0.02 AS taxed, l_note LIKE $q$Late%$q$ AS late, count(*) AS n FROM lineitem GROUP BY 1, 2');
SELECT * FROM beside($$SELECT coalesce(lower(l_flag), 'none') AS flag, count(*) AS n FROM lineitem GROUP BY 1$$);
SELECT * FROM beside('SELECT extract(month FROM l_shipdate + 3) AS m, count(*) FILTER (WHERE l_flag = $q$A$q$) AS a, sum(l_price) FILTER (WHERE l_discount > 0.05) AS s FROM lineitem GROUP BY 1');
SELECT * FROM beside('SELECT l_linenumber % 2 AS odd, count(*) AS n FROM lineitem GROUP BY 1');
-- ---- rows that a row belongs to, and public tables
SELECT * FROM beside($$SELECT c_segment, o_status, count(*) AS n, sum(l_price * (1 - l_discount)) AS revenue FROM customer, orders, lineitem
	WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < date '1995-03-15' AND l_shipdate > date '1995-01-15' - 400 GROUP BY 1, 2$$);
SELECT * FROM beside($$SELECT n_name, sum(l_price * (1 - l_discount)) AS revenue FROM customer, orders, lineitem, nation, region
	WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND c_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
	AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1994-01-01' + interval '1' year GROUP BY n_name$$);
SELECT * FROM beside($$SELECT sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_price * (1 - l_discount) ELSE 0 END) AS promo, sum(l_price * (1 - l_discount)) AS revenue
	FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= date '1995-09-01' AND l_shipdate < date '1995-09-01' + interval '1' month$$);
SELECT * FROM beside($$SELECT sum(l_price * (1 - l_discount)) AS revenue FROM lineitem, part WHERE
	(p_partkey = l_partkey AND p_brand = 'Brand#1' AND l_quantity >= 1 AND l_quantity <= 1 + 10 AND p_size BETWEEN 1 AND 25 AND l_flag IN ('A', 'R'))
	OR (p_partkey = l_partkey AND p_brand = 'Brand#2' AND l_quantity >= 10 AND l_quantity <= 10 + 10 AND p_size BETWEEN 1 AND 40 AND l_flag IN ('A', 'N'))$$);
SELECT * FROM beside('SELECT r_name, avg(p_size) AS size, count(*) AS n FROM lineitem JOIN orders ON l_orderkey = o_orderkey JOIN customer c ON c.c_custkey = o_custkey LEFT JOIN nation ON n_nationkey = c_nationkey LEFT JOIN region ON r_regionkey = n_regionkey JOIN part ON p_partkey = l_partkey GROUP BY 1');
SELECT * FROM beside('SELECT p_brand, count(*) AS n FROM lineitem LEFT JOIN part ON p_partkey = l_partkey AND p_size > 20 GROUP BY 1');
SELECT * FROM beside('SELECT n1.n_name AS a, n2.n_name AS b, count(*) AS n FROM customer JOIN nation n1 ON n1.n_nationkey = c_nationkey JOIN nation n2 ON n2.n_nationkey = n1.n_regionkey GROUP BY 1, 2');
-- ---- people, sub-selects of public tables, what WHERE says of ranges and of groups
SELECT * FROM beside('SELECT count(DISTINCT o_custkey) AS people FROM orders JOIN lineitem ON l_orderkey = o_orderkey WHERE l_flag = $q$A$q$');
SELECT * FROM beside('SELECT l_flag, count(DISTINCT c_custkey) AS people FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey GROUP BY 1');
SELECT * FROM beside($$SELECT count(*) AS n FROM lineitem WHERE l_partkey IN (SELECT p_partkey FROM part WHERE p_size > 30) AND l_price > (SELECT avg(p_size) FROM part) AND EXISTS (SELECT FROM region)$$);
SELECT * FROM beside('SELECT l_partkey, count(*) AS n FROM lineitem WHERE l_partkey NOT IN (SELECT p_partkey FROM part WHERE p_size > 10) GROUP BY 1');
SELECT * FROM beside('SELECT sum(o_orderkey) AS s, count(*) AS n FROM orders WHERE o_orderkey BETWEEN 100 AND 900');
SELECT * FROM beside('SELECT o_orderdate, count(*) AS n FROM orders WHERE o_orderdate BETWEEN $q$1994-01-01$q$ AND $q$1994-02-28$q$ GROUP BY 1');
SELECT count(*) FROM dp_sql_json('SELECT o_orderdate, count(*) AS n FROM orders WHERE o_orderdate BETWEEN $q$1994-01-01$q$ AND $q$1994-02-28$q$ GROUP BY 1', 15000);
SELECT * FROM beside('SELECT o_status, count(*) AS n FROM orders WHERE EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_tax < 0.03 AND l_shipdate > o_orderdate) GROUP BY 1');
SELECT * FROM beside('SELECT o_status, count(*) AS n FROM orders WHERE EXISTS (SELECT FROM lineitem WHERE l_orderkey = o_orderkey) GROUP BY 1');
SELECT * FROM beside('SELECT substring(c_name FROM 1 FOR 10) AS name, count(*) AS n FROM customer WHERE substring(c_name FROM 1 FOR 10) IN ($q$customer 1$q$, $q$customer 9$q$, $q$customer x$q$) AND NOT EXISTS (SELECT FROM orders WHERE c_custkey = o_custkey AND o_status = $q$F$q$) GROUP BY 1');
-- ---- aggregated by person first
SELECT * FROM beside('SELECT avg(n) AS mean, sum(spent) AS spent, count(*) AS people FROM (SELECT o_custkey, count(*) AS n, sum(l_price) AS spent FROM orders JOIN lineitem ON l_orderkey = o_orderkey GROUP BY o_custkey) v');
SELECT * FROM beside('SELECT n, count(*) AS people FROM (SELECT o_custkey, count(*) AS n FROM orders GROUP BY o_custkey) v GROUP BY n');
SELECT * FROM beside('WITH v AS (SELECT c_custkey, c_segment, max(l_price) AS most, bool_or(l_flag = $q$A$q$) AS had FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey GROUP BY c_custkey, c_segment)
	SELECT c_segment, had, count(*) AS people, avg(most) AS most FROM v WHERE most > 2000 GROUP BY 1, 2');
SELECT * FROM beside('SELECT sum(least(spent, 20000)) AS s FROM (SELECT o_custkey, coalesce(sum(l_price) FILTER (WHERE l_flag = $q$N$q$), 0) AS spent FROM orders JOIN lineitem ON l_orderkey = o_orderkey GROUP BY 1 HAVING count(*) > 2) v');
SELECT * FROM beside('SELECT c_count, count(*) AS custdist FROM (SELECT c_custkey, count(o_orderkey) AS c_count FROM customer LEFT OUTER JOIN orders ON c_custkey = o_custkey AND o_status = $q$O$q$ GROUP BY c_custkey) c GROUP BY c_count ORDER BY custdist DESC, c_count DESC');
SELECT * FROM beside('SELECT n, count(DISTINCT c_custkey) AS people FROM (SELECT c_custkey, count(o_orderkey) AS n FROM customer LEFT JOIN orders ON c_custkey = o_custkey WHERE c_segment = $q$AUTO$q$ GROUP BY c_custkey) c GROUP BY n');
-- ---- groups that public tables rule out are not rows of the answer, by conditions of them and by what they join
CREATE FUNCTION groups(query text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT j->>'g' FROM dp_sql_json(query, 15000) j ORDER BY 1 $$;
SELECT groups('SELECT n_name AS g, count(*) FROM customer, nation, region WHERE c_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = $q$ASIA$q$ GROUP BY 1');
SELECT groups('SELECT upper(r_name) AS g, count(*) FROM customer JOIN nation ON c_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey AND n_name IN ($q$nation 1$q$, $q$nation 6$q$) GROUP BY 1');
SELECT groups('SELECT DISTINCT n1.n_name || n2.n_name AS g FROM customer, nation n1, nation n2 WHERE c_nationkey = n1.n_nationkey AND n2.n_nationkey = n1.n_regionkey AND ((n1.n_name = $q$nation 1$q$ AND n2.n_name = $q$nation 2$q$) OR n1.n_name = $q$nation 2$q$)');
SELECT groups('SELECT r_name AS g, count(*) FROM customer JOIN nation ON c_nationkey = n_nationkey LEFT JOIN region ON n_regionkey = r_regionkey AND r_name LIKE $q$A%$q$ GROUP BY 1');
SELECT groups('SELECT n_name AS g, count(*) FROM customer, nation, region WHERE c_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = $q$ATLANTIS$q$ GROUP BY 1');
-- ---- of each of 60 people, 1.0 and 1.00 being one, two rows of six count
CREATE TABLE stays (person numeric NOT NULL, days integer NOT NULL CHECK (days BETWEEN 0 AND 10));
INSERT INTO stays SELECT CASE WHEN j % 2 = 0 THEN i ELSE (i || '.00')::numeric END, j FROM generate_series(1, 60) i, generate_series(1, 6) j;
SELECT dp_protect('stays', 1000000, unit_column => 'person', max_rows_per_unit => 2);
CREATE FUNCTION bounded() RETURNS TABLE (rows float8, by_query float8, people float8) LANGUAGE sql AS $$
	SELECT (SELECT (j->'n'->>'estimate')::float8 FROM dp_sql_json('SELECT count(*) AS n FROM stays WHERE days > 0', 15000) j),
		(SELECT estimate FROM dp_query(NULL::stays, '{count(*)}', 15000)), (SELECT (j->'n'->>'estimate')::float8 FROM dp_sql_json('SELECT count(DISTINCT person) AS n FROM stays', 15000) j) $$;
SELECT * FROM bounded();
-- ---- rows that do not fit their memory are read again, and bounded there; the answers are the same
RESET SESSION AUTHORIZATION;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET dpsyn.row_memory = %L', current_database(), '1kB'); END $$;
SET SESSION AUTHORIZATION regress_dp_38_owner;
SELECT * FROM beside('SELECT l_flag, count(*) AS n, sum(l_quantity) AS q, avg(l_discount) AS d, count(l_tax) AS taxed FROM lineitem GROUP BY l_flag');
SELECT * FROM beside('SELECT c_segment, count(*) AS n, sum(l_price) AS p FROM customer, orders, lineitem WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey GROUP BY 1');
SELECT * FROM beside('SELECT count(DISTINCT o_custkey) AS people FROM orders JOIN lineitem ON l_orderkey = o_orderkey WHERE l_flag = $q$A$q$');
SELECT * FROM bounded();
RESET SESSION AUTHORIZATION;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET dpsyn.row_memory', current_database()); END $$;
SET SESSION AUTHORIZATION regress_dp_38_owner;
-- ---- what cannot be answered says which clause, and a way; nothing is spent
SET SESSION AUTHORIZATION regress_dp_38_analyst;
CREATE FUNCTION pg_temp.ask(query text) RETURNS SETOF jsonb LANGUAGE sql AS $$ SELECT * FROM public.dp_sql_json(query, 1) $$;
SELECT pg_temp.ask('SELECT sum(l_orderkey * l_partkey) FROM lineitem');
SELECT pg_temp.ask('SELECT sum(l_orderkey) FROM lineitem');
SELECT count(*) FROM pg_temp.ask('SELECT sum(l_price / l_discount) FROM lineitem');
SELECT pg_temp.ask('SELECT sum(l_price / (l_weight - 20)) FROM lineitem');
SELECT pg_temp.ask('SELECT sum(sqrt(l_weight - 20)) FROM lineitem');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem WHERE l_note ~ $$^L$$');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem WHERE l_note LIKE $$a\$$');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem WHERE l_note::int > 3');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem WHERE to_char(l_shipdate, $$TMMonth$$) = $$May$$');
SELECT pg_temp.ask('SELECT l_note, count(*) FROM lineitem GROUP BY 1');
SELECT pg_temp.ask('SELECT l_price, count(*) FROM lineitem GROUP BY 1');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem a JOIN lineitem b ON a.l_orderkey = b.l_orderkey');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem JOIN orders ON l_partkey = o_orderkey');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem JOIN customer ON l_partkey = c_custkey');
SELECT pg_temp.ask('SELECT count(*) FROM customer, rates');
SELECT pg_temp.ask('SELECT count(*) FROM lineitem FULL JOIN part ON l_partkey = p_partkey');
SELECT pg_temp.ask('SELECT avg(p_size) FROM part');
SELECT pg_temp.ask('SELECT count(*) FROM orders WHERE o_custkey NOT IN (SELECT c_custkey FROM customer)');
SELECT pg_temp.ask('SELECT count(DISTINCT o_custkey), stddev(extract(year FROM o_orderdate)) FROM orders');
SELECT count(*) FROM dp_ledger WHERE role = current_user;
RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t38 CASCADE;
