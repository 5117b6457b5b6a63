-- equations between columns: one of them is computed from the others, and every row keeps the rule
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_equations;
SET search_path = t_equations, public;
SET client_min_messages = error;

CREATE TABLE invoice (net numeric(10,2) NOT NULL CHECK (net BETWEEN 0 AND 100000), tax numeric(10,2) NOT NULL CHECK (tax BETWEEN 0 AND 20000),
	total numeric(10,2) NOT NULL CHECK (total BETWEEN 0 AND 120000), CHECK (total = net + tax));
INSERT INTO invoice SELECT i, round(i * 0.19, 2), i + round(i * 0.19, 2) FROM generate_series(1, 2000) i;
CREATE TABLE same (a int NOT NULL CHECK (a BETWEEN 0 AND 1000), b int NOT NULL CHECK (b BETWEEN 100 AND 900), CHECK (a = b));
INSERT INTO same SELECT 100 + i % 700, 100 + i % 700 FROM generate_series(1, 2000) i;
CREATE TABLE stay (starts timestamp NOT NULL CHECK (starts BETWEEN '2024-01-01' AND '2024-12-31'),
	ends timestamp NOT NULL CHECK (ends BETWEEN '2024-01-01' AND '2025-12-31'),
	lasts interval NOT NULL CHECK (lasts BETWEEN '0' AND '10 days'), CHECK (ends = starts + lasts));
INSERT INTO stay SELECT s, s + d, d FROM (SELECT timestamp '2024-01-01' + i * interval '97 min' s, (i % 300) * interval '7 min' d FROM generate_series(1, 2000) i) x;
CREATE TABLE item (quantity int NOT NULL CHECK (quantity BETWEEN 1 AND 50), price numeric(8,2) NOT NULL CHECK (price BETWEEN 0 AND 1000),
	amount numeric(12,2) NOT NULL CHECK (amount BETWEEN 0 AND 30000), CHECK (amount = quantity * price));
INSERT INTO item SELECT q, p, q * p FROM (SELECT 1 + i % 20 q, (i * 37 % 900) + 0.99 p FROM generate_series(1, 2000) i) x;
CREATE TABLE share (a int NOT NULL CHECK (a BETWEEN 0 AND 100), b int NOT NULL CHECK (b BETWEEN 0 AND 100), c int NOT NULL CHECK (c BETWEEN 0 AND 100), CHECK (a + b + c = 100));
INSERT INTO share SELECT a, b, 100 - a - b FROM (SELECT i % 40 a, i % 50 b FROM generate_series(1, 2000) i) x;
CREATE TABLE weight (w float8 NOT NULL CHECK (w BETWEEN 0 AND 1), v float8 NOT NULL CHECK (v BETWEEN 0 AND 1), CHECK (w + v = 1));
INSERT INTO weight SELECT i / 2001.0, 1 - i / 2001.0::float8 FROM generate_series(1, 2000) i;
CREATE TABLE party (persons smallint NOT NULL CHECK (persons BETWEEN 1 AND 12), adults smallint NOT NULL CHECK (adults BETWEEN 1 AND 8),
	children smallint NOT NULL CHECK (children BETWEEN 0 AND 8), CHECK (persons = adults + children));
INSERT INTO party SELECT a + c, a, c FROM (SELECT 1 + i % 4 a, i % 4 c FROM generate_series(1, 2000) i) x;
-- where any of them can be NULL
CREATE TABLE invoice_null (net numeric(10,2) CHECK (net BETWEEN 0 AND 100000), tax numeric(10,2) CHECK (tax BETWEEN 0 AND 20000),
	total numeric(10,2) CHECK (total BETWEEN 0 AND 120000), CHECK (total = net + tax));
INSERT INTO invoice_null SELECT CASE WHEN i % 10 > 0 THEN i END, CASE WHEN i % 7 > 0 THEN round(i * 0.19, 2) END, CASE WHEN i % 11 > 0 THEN i + round(i * 0.19, 2) END
  FROM generate_series(1, 2000) i;
CREATE TABLE stay_null (starts date, ends date, nights int CHECK (nights BETWEEN 0 AND 30), CHECK (starts BETWEEN '2024-01-01' AND '2024-12-31'),
	CHECK (ends BETWEEN '2024-01-01' AND '2025-12-31'), CHECK (starts IS NULL OR ends IS NULL OR nights = ends - starts));
INSERT INTO stay_null SELECT s, CASE WHEN i % 3 > 0 THEN s + i % 30 END, CASE WHEN i % 3 > 0 THEN i % 30 END FROM (SELECT i, date '2024-01-01' + i % 300 s FROM generate_series(1, 2000) i) x;
-- a text of which nothing is declared, doubles within a tolerance, two equations, one within an AND
CREATE TABLE copied (a text NOT NULL, b text NOT NULL CHECK (b IN ('x', 'y')), CHECK (a = b));
INSERT INTO copied SELECT x, x FROM (SELECT (ARRAY['x', 'y'])[1 + i % 2] x FROM generate_series(1, 2000) i) y;
CREATE TABLE measure (length float8 NOT NULL CHECK (length BETWEEN 1 AND 100), width float8 NOT NULL CHECK (width BETWEEN 1 AND 100),
	area float8 NOT NULL CHECK (area BETWEEN 1 AND 5000), CHECK (abs(area - length * width) < 0.001));
INSERT INTO measure SELECT l, w, l * w FROM (SELECT 1 + i % 50 + 0.3::float8 l, 1 + i % 60 + 0.7::float8 w FROM generate_series(1, 2000) i) x;
CREATE TABLE chain (net int NOT NULL CHECK (net BETWEEN 0 AND 1000), tax int NOT NULL CHECK (tax BETWEEN 0 AND 200), gross int NOT NULL CHECK (gross BETWEEN 0 AND 1200),
	tip int NOT NULL CHECK (tip BETWEEN 0 AND 100), paid int NOT NULL, CHECK (gross = net + tax AND paid = gross + tip), CHECK (paid <= 1000));
INSERT INTO chain SELECT i % 700, i % 100, i % 700 + i % 100, i % 50, i % 700 + i % 100 + i % 50 FROM generate_series(1, 2000) i;
SELECT count(dp_protect(c.oid::regclass, 1000, 1e-3)) FROM pg_class c WHERE relnamespace = 't_equations'::regnamespace AND relkind = 'r';

-- what is computed, and from what; a table without noise's say in it
CREATE FUNCTION computed_of(release bigint) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s = %s%s', d.key, d.value ->> 'computed', CASE WHEN d.value ? 'always' THEN '' ELSE ' where known' END)
	  FROM dp_catalog.dp_release_store s, jsonb_each(s.derived) d WHERE s.id = release AND d.value ? 'computed' ORDER BY 1 $$;
SELECT relation, c FROM unnest('{invoice,same,stay,item,share,weight,party,invoice_null,stay_null,copied,measure,chain}'::regclass[]) relation,
	LATERAL dp_release(relation, 'flat', 1) r, LATERAL computed_of(r) c;

-- rows that break a rule, of 3000 by each method, and those of a row type that has no rules; columns that are NULL, or not, as they should be
CREATE FUNCTION broken(relation regclass, method text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rules text := (SELECT string_agg(pg_get_constraintdef(oid), ' ') FROM pg_constraint WHERE conrelid = relation AND contype = 'c');
	columns text := (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = relation AND attnum > 0);
	release bigint := dp_release(relation, method, 3, CASE WHEN method IN ('mst', 'aim', 'sbhg') THEN 1e-9 ELSE 0 END);
	kept text := replace(regexp_replace(rules, '^CHECK ', ''), ' CHECK ', ' AND ');
	broken bigint;
	broken_record bigint;
	rows bigint;
	distinct_rows bigint;
BEGIN
	EXECUTE format('SELECT count(*) FILTER (WHERE NOT (%s)), count(*), count(DISTINCT s) FROM dp_sample(NULL::%s, %s, 3000, 1) s', kept, relation, release)
	   INTO broken, rows, distinct_rows;
	EXECUTE format('SELECT count(*) FILTER (WHERE NOT (%s)) FROM dp_sample(%L, %s, 500, 1) AS s(%s)', kept, relation, release, columns) INTO broken_record;
	RETURN concat_ws(' ', CASE WHEN broken > 0 THEN 'broken ' || broken END, CASE WHEN rows <> 3000 THEN 'rows' END,
		CASE WHEN distinct_rows < CASE WHEN relation = 'copied'::regclass THEN 2 ELSE 4 END THEN 'few' END);
END $$;
SELECT relation, method, b FROM unnest('{invoice,same,stay,item,share,weight,party,invoice_null,stay_null,copied,measure,chain}'::regclass[]) relation,
	unnest('{mst,aim,sbhg,privbayes,marginal,flat}'::text[]) method, LATERAL broken(relation, method) b WHERE b <> '';
SELECT dp_release('invoice_null', 'mst', 50, 1e-9) AS r \gset
SELECT abs(count(*) FILTER (WHERE net IS NULL) - 1000) < 200, abs(count(*) FILTER (WHERE total IS NULL) - 909) < 200, count(*) FILTER (WHERE total IS NOT NULL AND net IS NULL) > 300
  FROM dp_sample(NULL::invoice_null, :r, 10000, 1);

-- what is not computed: a key, a column that an option names, one whose part the caller left out, and one that another stands for
CREATE TABLE numbered (id serial PRIMARY KEY, code int NOT NULL CHECK (code BETWEEN 1 AND 500), a int NOT NULL CHECK (a BETWEEN 0 AND 9), b int NOT NULL CHECK (b BETWEEN 0 AND 9), CHECK (code = id), CHECK (a = b));
INSERT INTO numbered SELECT i, i, i % 10, i % 10 FROM generate_series(1, 500) i;
SELECT dp_protect('numbered', 1000, 1e-3);
SELECT computed_of(dp_release('numbered', 'flat', 1));
SELECT computed_of(dp_release('numbered', 'aim', 1, 1e-9, options => '{"workload": [["a", "b"]]}'));
SELECT computed_of(dp_release('numbered', 'flat', 1, options => '{"columns": ["a"]}'));
SELECT dp_release('numbered', 'flat', 1) AS r \gset
SELECT bool_and(code = id AND a = b) FROM dp_sample(NULL::numbered, :r, 400, 1);
-- a row type without a part of it
SELECT * FROM dp_sample('numbered', :r, 1) AS s(b int);
SELECT * FROM dp_sample('numbered', :r, 1) AS s(a int, b date);
-- histograms and queries are of the column itself
SELECT count(*) > 0 FROM dp_histogram(NULL::numbered, '{a}', 1, 0, 'laplace');
SELECT abs(estimate - 4.5) < 1 FROM dp_query(NULL::numbered, '{avg(a)}', 10);
SELECT abs(estimate - 4.5) < 1 FROM dp_query(NULL::numbered, '{avg(b)}', 10);

-- a constant and a whole number are cast to numeric, which makes neither of them longer
CREATE TABLE discounted (q int NOT NULL CHECK (q > 0 AND q < 10), price numeric(8,2) NOT NULL CHECK (price > 0 AND price < 11), off numeric(4,2) NOT NULL CHECK (off >= 0 AND off < .4), total numeric(12,4) NOT NULL CHECK (total = q * price * (1 - off)));
INSERT INTO discounted SELECT q, p, o, q * p * (1 - o) FROM (SELECT 1 + i % 9 AS q, (i % 40) / 4.0 + .99 AS p, (i % 4) / 10.0 AS o FROM generate_series(1, 600) i) s;
SELECT dp_protect('discounted', 10, 1e-6);
SELECT count(*) > 400, bool_and(total = q * price * (1 - off)) FROM dp_synthesize_marginal(NULL::discounted, 1);
