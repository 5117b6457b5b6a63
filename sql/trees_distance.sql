-- Columns that are modelled as the distance from one of an ancestor: the order's date, the customer's.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t93d;
SET search_path = t93d, public;
SET client_min_messages = error;
CREATE TABLE customers (id integer PRIMARY KEY, since timestamp NOT NULL CHECK (since BETWEEN '2020-01-01' AND '2024-12-31'),
	balance numeric(8,2) NOT NULL CHECK (balance BETWEEN 0 AND 9999), kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers,
	ordered date NOT NULL CHECK (ordered BETWEEN '2020-01-01' AND '2026-12-31'), paid date CHECK (paid >= '2020-01-01' AND paid <= '2026-12-31'));
CREATE TABLE lines ("order" integer NOT NULL REFERENCES orders, line integer NOT NULL, shipped date, received date, refunded date,
	seen timestamp NOT NULL, owed numeric(8,2) NOT NULL, mode text NOT NULL CHECK (mode IN ('air', 'rail')), PRIMARY KEY ("order", line),
	CHECK (shipped < received), CHECK (shipped BETWEEN '2020-01-01' AND '2026-06-30'), CHECK (extract(isodow FROM received) < 7));
INSERT INTO customers SELECT i, timestamp '2020-01-01' + i % 1200 * interval '1 day' + i % 24 * interval '1 hour', i * 37 % 9000 + .5, substr('ab', 1 + i % 2, 1)
  FROM generate_series(1, 1500) i;
INSERT INTO orders SELECT 2 * i - k, i, d, CASE WHEN (i + k) % 4 > 0 THEN d + (i * 3 + k) % 30 END
  FROM generate_series(1, 1500) i, generate_series(0, 1) k, LATERAL (SELECT date '2020-01-01' + i * 13 % 2300 + 11 * k AS d) x;
-- the fewer pay, the fewer are refunded: one in four has not paid, and one in three of those that have has nothing back
INSERT INTO lines SELECT o.id, j, CASE WHEN (o.id + j) % 5 > 0 THEN s END, CASE WHEN (o.id + j) % 5 > 0 THEN r + floor(extract(isodow FROM r) / 7)::integer END,
	CASE WHEN (o.id + j) % 3 > 0 THEN paid + (o.id + j) % 9 END,
	since + (1 + (o.id * j) % 47) * interval '1 hour', balance + (o.id * j) % 20, CASE WHEN s - ordered <= 20 THEN 'air' ELSE 'rail' END
  FROM orders o JOIN customers c ON c.id = o.customer, generate_series(1, 2) j, LATERAL (SELECT ordered + 1 + (o.id * 7 + j) % 60 AS s) x, LATERAL (SELECT s + 1 + (o.id + j) % 9 AS r) y;
SELECT dp_protect('customers', 1000000, 0.1), dp_protect('orders', parent => 'customers', max_rows_per_unit => 2), dp_protect('lines', parent => 'orders', max_rows_per_unit => 2);
SELECT dp_define_column('lines', 'line', fill => '{place}');

-- ---- names
SELECT dp_define_column('lines', 'shipped', offset_of => 'orders.nothing', range => '{0,100}');
SELECT dp_define_column('lines', 'shipped', offset_of => 'nothing.ordered', range => '{0,100}');
SELECT dp_define_column('lines', 'shipped', offset_of => 'nothing', range => '{0,100}');
SELECT dp_define_column('lines', 'shipped', offset_of => 't93d.lines.shipped', range => '{0,100}');
SELECT dp_define_column('lines', 'shipped', offset_of => 'orders.id', range => '{0,100}');
SELECT dp_define_column('lines', 'shipped', offset_of => 'orders.ordered');
SELECT dp_define_column('lines', 'shipped', offset_of => 'orders.ordered', open => true);
SELECT dp_define_column('orders', 'ordered', offset_of => 'lines.shipped', range => '{0,100}');
CREATE TABLE "Odd.Table" (id integer PRIMARY KEY, p integer REFERENCES orders, "orders.ordered" date, "a.b" date, plain date);
SELECT dp_protect('"Odd.Table"', parent => 'orders');
SELECT dp_define_column('"Odd.Table"', 'plain', offset_of => 'orders.ordered', range => '{0,9}');
SELECT dp_define_column('"Odd.Table"', 'plain', offset_of => n, range => '{0,9}') FROM unnest('{"a.b","\"a.b\"","\"orders.ordered\"","ORDERS.paid","t93d.orders.ordered","\"t93d\".\"Odd.Table\".\"a.b\""}'::text[]) n;
SELECT column_name, offset_of FROM dp_columns WHERE relation = '"Odd.Table"'::regclass AND offset_of IS NOT NULL;
-- a circle
SELECT dp_define_column('"Odd.Table"', 'orders.ordered', offset_of => 'plain', range => '{0,9}');
SELECT dp_define_column('"Odd.Table"', 'a.b', offset_of => 'orders.ordered', range => '{0,9}');
SELECT dp_define_column('"Odd.Table"', 'a.b', offset_of => '"orders.ordered"', range => '{0,9}');

-- ---- what is declared, and said
SELECT dp_define_column('lines', 'shipped', offset_of => 'orders.ordered', range => '{0,100}'), dp_define_column('lines', 'received', offset_of => 'shipped', range => '{0,20}'),
	   dp_define_column('lines', 'refunded', offset_of => 't93d."orders".paid', range => '{0,20}'),
	   dp_define_column('lines', 'seen', offset_of => 'customers.since', range => '{0 hours,3 days}', resolution => '1 hour'),
	   dp_define_column('lines', 'owed', offset_of => 'customers.balance', bins => '{0,5,10,20}');
SELECT column_name, type, kind, labels, offset_of FROM dp_columns WHERE relation = 'lines'::regclass AND offset_of IS NOT NULL ORDER BY ordinal;
SET client_min_messages = notice;
SELECT count(*) > 5 FROM dp_explain('{customers,orders,lines}', 'mst', 1, 1e-9);
SET client_min_messages = error;

-- ---- a release of the lines alone knows no order
SELECT dp_release('lines', 'mst', 1, 1e-9);
SELECT count(*) FROM dp_synthesize_marginal(NULL::lines, 1);
SELECT dp_release('lines', 'mst', 1, 1e-9, options => '{"columns": ["mode"]}') > 0;
SELECT round(estimate::numeric, 1) AS estimate, (SELECT round(avg(refunded - paid), 1) FROM lines JOIN orders ON id = "order")
  FROM dp_query(NULL::lines, '{avg(refunded)}', 10000);
SELECT cell, round(estimate) FROM dp_query(NULL::lines, '{count(*)}', 10000, '{mode}', filter => '{"shipped": [0, 9]}');
SELECT bool_and(round(q.estimate) = t.n) FROM dp_query(NULL::lines, '{count(*)}', 10000, '{owed}') q
  JOIN (SELECT width_bucket(owed - balance, '{0,5,10}') AS b, count(*) AS n FROM lines l JOIN orders o ON o.id = l."order" JOIN customers c ON c.id = o.customer GROUP BY 1) t
	ON q.cell ->> 'owed' = ('{"[0,5)","[5,10)","[10,20]"}'::text[])[b];
-- the other column has to be modelled, and of a relation that rows belong to
SELECT dp_define_column('orders', 'paid', fill => '{null}');
SELECT dp_release('{customers,orders,lines}', 'mst', 1, 1e-9);
SELECT dp_define_column('orders', 'paid');
ALTER TABLE "Odd.Table" ADD c integer REFERENCES customers;
SELECT dp_define_column('"Odd.Table"', 'orders.ordered'), dp_define_column('"Odd.Table"', 'plain', offset_of => 'orders.paid', range => '{0,9}');
SELECT dp_unprotect('"Odd.Table"'), dp_protect('"Odd.Table"', parent => 'customers');
SELECT dp_release('{customers,"\"Odd.Table\""}', 'mst', 1, 1e-9);
SELECT * FROM dp_query(NULL::"Odd.Table", '{avg(plain)}', 1);

-- ---- rows
SELECT dp_release('{customers,orders,lines}', 'mst', 10000, 1e-9) AS release \gset
CREATE SCHEMA t93made;
SELECT synthetic, rows > 0 FROM dp_create_synthetic('{customers,orders,lines}', 't93made', release => :release, seed => 5);
CREATE VIEW pairs AS SELECT 'data' AS t, l.*, ordered, paid, since, balance FROM lines l JOIN orders o ON o.id = "order" JOIN customers c ON c.id = customer
	UNION ALL SELECT 'made', l.*, ordered, paid, since, balance FROM t93made.lines l JOIN t93made.orders o ON o.id = "order" JOIN t93made.customers c ON c.id = customer;
SELECT t, count(*) FILTER (WHERE shipped < ordered), count(*) FILTER (WHERE shipped > ordered + 100), count(*) FILTER (WHERE received <= shipped), count(*) FILTER (WHERE refunded < paid),
	   count(*) FILTER (WHERE extract(isodow FROM received) > 6), count(*) FILTER (WHERE seen NOT BETWEEN since AND since + interval '3 days'),
	   count(*) FILTER (WHERE owed NOT BETWEEN balance AND balance + 20), count(*) FILTER (WHERE shipped > '2026-06-30') FROM pairs GROUP BY 1 ORDER BY 1;
-- NULL of a column, and of what it is from
SELECT round(avg((shipped IS NULL)::integer), 1), round(avg((received IS NULL)::integer), 1), avg((paid IS NULL)::integer) BETWEEN 0.2 AND 0.3, round(avg((refunded IS NULL)::integer), 1),
	   avg((refunded IS NULL)::integer) FILTER (WHERE paid IS NOT NULL) BETWEEN 0.3 AND 0.37, count(*) FILTER (WHERE paid IS NULL AND refunded IS NOT NULL) FROM pairs GROUP BY t ORDER BY t;
-- how far, and by what it goes
SELECT t, round(avg(shipped - ordered)) BETWEEN 29 AND 33, round(extract(epoch FROM avg(seen - since)) / 3600) BETWEEN 23 AND 25, round(avg(owed - balance)) BETWEEN 8 AND 11,
	   avg((mode = CASE WHEN shipped - ordered <= 20 THEN 'air' ELSE 'rail' END)::integer) FILTER (WHERE shipped IS NOT NULL) > 0.95 FROM pairs GROUP BY 1 ORDER BY 1;
-- a seed means the same rows: in the relations' own types, in parts, in some of the columns
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::lines, :release, seed => 5) EXCEPT SELECT * FROM t93made.lines) d;
SELECT count(*), count(DISTINCT ("order", line)) FROM (SELECT * FROM dp_sample(NULL::lines, :release, seed => 5, part => 1, parts => 3) UNION ALL
	SELECT * FROM dp_sample(NULL::lines, :release, seed => 5, part => 2, parts => 3) UNION ALL SELECT * FROM dp_sample(NULL::lines, :release, seed => 5, part => 3, parts => 3)
	EXCEPT SELECT * FROM t93made.lines) d;
SELECT count(*) > 0 FROM dp_sample('lines', :release) AS v(shipped date, mode text);
SELECT count(*) > 0 FROM dp_sample('lines', :release) AS v(shipped timestamp);
SELECT count(*) FROM dp_sample('lines', :release) AS v(received date);
-- into tables with rules of their own, which the orders keep, and the lines
CREATE SCHEMA t93own;
CREATE TABLE t93own.orders (id integer, ordered date CHECK (extract(day FROM ordered) < 15));
CREATE TABLE t93own.lines ("order" integer, shipped date CHECK (extract(day FROM shipped) > 2), mode text);
SELECT count(*) > 5900, count(*) FILTER (WHERE shipped < ordered), count(*) FILTER (WHERE shipped > ordered + 100), count(*) FILTER (WHERE extract(day FROM shipped) <= 2)
  FROM dp_sample(NULL::t93own.lines, :release, seed => 5) l JOIN dp_sample(NULL::t93own.orders, :release, seed => 5) o ON o.id = l."order";
ALTER TABLE t93own.orders DROP COLUMN ordered;
SELECT count(*) FROM dp_sample(NULL::t93own.lines, :release, seed => 5);
-- what is released is asked for as it is modelled
SELECT abs(estimate - (SELECT count(*) FROM lines WHERE mode = 'air')) < 250 FROM dp_answer(:release, '{mode}', relation => 'lines') WHERE cell ->> 'mode' = 'air';
SELECT bool_and(cell ? 'shipped'), round(sum(estimate) / 100) FROM dp_answer(:release, '{shipped}', relation => 'lines');
SELECT measure, round(value::numeric, 1) FROM dp_evaluate('lines', 't93made.lines') WHERE measure = 'null_share' AND columns IN ('{shipped}', '{refunded}');
SELECT length(dp_report(:release)) > 10000;

-- ---- what is found in the data, for the custodian
SELECT dp_define_column('lines', c) FROM unnest('{shipped,received,refunded,seen,owed}'::name[]) c;
SET client_min_messages = warning;
SELECT s FROM dp_suggest_columns('lines') s WHERE s ~ 'offset_of';
SET client_min_messages = error;
SELECT s FROM dp_suggest_columns('orders') s WHERE s ~ 'offset_of';
SELECT count(*) FROM dp_suggest_columns('lines', from_data => false) s WHERE s ~ 'offset_of';
SELECT s FROM dp_suggest_columns('lines') s WHERE s ~ 'offset_of' \gexec
SELECT column_name, offset_of, labels FROM dp_columns WHERE relation = 'lines'::regclass AND offset_of IS NOT NULL ORDER BY ordinal;

-- ---- in order of it
SELECT dp_unprotect('lines'), dp_protect('lines', parent => 'orders', max_rows_per_unit => 2, order_column => 'shipped');
SELECT dp_define_column('lines', 'line', fill => '{place}'), dp_define_column('lines', 'shipped', offset_of => 'orders.ordered', range => '{0,100}');
SELECT dp_define_column('lines', c, fill => '{null}') FROM unnest('{received,refunded}'::name[]) c;
SELECT dp_release('{customers,orders,lines}', 'mst', 10000, 1e-9) AS release \gset
SELECT count(*) FILTER (WHERE before > shipped), count(before) > 500, count(*) FILTER (WHERE shipped < ordered)
  FROM (SELECT shipped, ordered, lag(shipped) OVER (PARTITION BY "order" ORDER BY line) AS before
		  FROM dp_sample(NULL::lines, :release, seed => 2) l JOIN dp_sample(NULL::orders, :release, seed => 2) o ON o.id = "order") s;
-- where noise leaves no level that follows the one before, any does
SELECT dp_release('{customers,orders,lines}', 'mst', 0.05, 1e-9) AS release \gset
SELECT count(*) > 0 FROM dp_sample(NULL::lines, :release, seed => 1);
SELECT dp_release('{customers,orders,lines}', 'mst', 0.05, 1e-9) AS release \gset
SELECT count(*) > 0 FROM dp_sample(NULL::lines, :release, seed => 1);
-- the schema has changed
ALTER TABLE orders RENAME COLUMN ordered TO began;
SELECT dp_release('{customers,orders,lines}', 'mst', 1, 1e-9);
SELECT dp_define_column('lines', 'shipped', offset_of => 'orders.began', range => '{0,100}');
DROP VIEW pairs;
ALTER TABLE orders ALTER began TYPE timestamp;
SELECT dp_release('{customers,orders,lines}', 'mst', 1, 1e-9) > 0;
-- values of a distance that keep a rule are looked for one by one
CREATE TABLE shifts (id integer PRIMARY KEY, starts timestamp NOT NULL, units bigint NOT NULL);
CREATE TABLE breaks (shift integer NOT NULL REFERENCES shifts, began timestamp NOT NULL, units bigint NOT NULL,
	CHECK (extract(epoch FROM began)::bigint / 60 % 500 = 0), CHECK (units % 501 = 0));
INSERT INTO shifts SELECT i, '2020-01-01'::timestamp + i * interval '1 minute', i FROM generate_series(1, 60) i;
INSERT INTO breaks SELECT id, '1970-01-01'::timestamp + (extract(epoch FROM starts)::bigint / 30000 + 1) * interval '30000 s', (units / 501 + 1) * 501 FROM shifts;
SELECT dp_protect('shifts', 1e6), dp_protect('breaks', parent => 'shifts', max_rows_per_unit => 1);
SELECT dp_define_column('shifts', 'starts', range => '{2020-01-01,2021-01-01}', resolution => '1 minute'),
	   dp_define_column('shifts', 'units', range => '{0,1000}'),
	   dp_define_column('breaks', 'began', offset_of => 'shifts.starts', range => '{0 hours,10 hours}', resolution => '1 minute'),
	   dp_define_column('breaks', 'units', offset_of => 'shifts.units', range => '{0,600}');
CREATE SCHEMA t93shifts;
SELECT relation, rows > 0 AS any FROM dp_create_synthetic('{shifts,breaks}', 't93shifts', 1e5, seed => 1);
SELECT bool_and(extract(epoch FROM began)::bigint / 60 % 500 = 0 AND units % 501 = 0) AS kept FROM t93shifts.breaks;
DROP SCHEMA t93d, t93made, t93own, t93shifts CASCADE;
