-- Rows that refer to others by a key that is data, and no complete list: they hold what was drawn for the row that they belong to.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE SCHEMA t_inn;
CREATE SCHEMA t_inn_made;
CREATE TABLE t_inn.guest (id integer PRIMARY KEY, age integer NOT NULL CHECK (age BETWEEN 18 AND 90));
CREATE TABLE t_inn.booking (guest integer REFERENCES t_inn.guest, during daterange, room integer NOT NULL CHECK (room BETWEEN 1 AND 20), PRIMARY KEY (guest, during));
CREATE TABLE t_inn.charge (guest integer, during daterange, no integer, cost integer NOT NULL CHECK (cost BETWEEN 0 AND 100),
	PRIMARY KEY (guest, during, no), FOREIGN KEY (guest, during) REFERENCES t_inn.booking);
CREATE TABLE t_inn.refund (id serial PRIMARY KEY, guest integer, during daterange, no integer, partly boolean NOT NULL, FOREIGN KEY (guest, during, no) REFERENCES t_inn.charge);
INSERT INTO t_inn.guest SELECT i, 18 + i % 70 FROM generate_series(1, 300) i;
INSERT INTO t_inn.booking SELECT i, daterange(date '2024-01-01' + (i * 7 + k * 40) % 300, date '2024-01-01' + (i * 7 + k * 40) % 300 + 1 + i % 9), 1 + i % 20 FROM generate_series(1, 300) i, generate_series(0, 1) k WHERE k <= i % 2;
INSERT INTO t_inn.charge SELECT guest, during, k, (guest * 7 + k) % 100 FROM t_inn.booking, generate_series(1, 2) k;
INSERT INTO t_inn.refund (guest, during, no, partly) SELECT guest, during, no, guest % 2 = 0 FROM t_inn.charge WHERE guest % 3 = 0 AND no = 1;
CREATE TEMP TABLE script AS SELECT line, n FROM dp_suggest_protection('t_inn') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|''no''' ORDER BY n;
SELECT replace(line, 'epsilon => 10,', 'epsilon => 1000,') FROM script WHERE line LIKE 'SELECT%' ORDER BY n
\gexec
SELECT count(*) FROM dp_create_synthetic('t_inn', 't_inn_made', 900, 1e-9, seed => 1);
SELECT conrelid::regclass, replace(pg_get_constraintdef(oid), 't_inn_made.', '') FROM pg_constraint WHERE connamespace = 't_inn_made'::regnamespace AND contype = 'f' ORDER BY 1, 2;
SELECT count(*) > 500 AS charges, count(DISTINCT c.during) > 50 AS stays,
	   (SELECT count(*) > 50 FROM t_inn_made.refund) AS refunds FROM t_inn_made.charge c;
-- rows of dp_sample belong together, too, in any part
SELECT release FROM dp_releases ORDER BY release DESC LIMIT 1 \gset
SELECT count(*) > 0 AS any, bool_and(b.guest IS NOT NULL) AS found
  FROM dp_sample(NULL::t_inn.charge, :release, rows => 3000, seed => 3, part => 2, parts => 3) c LEFT JOIN dp_sample(NULL::t_inn.booking, :release, rows => 3000, seed => 3) b USING (guest, during);
SELECT count(*) > 0 AS any, bool_and(b.guest IS NOT NULL) AS found
  FROM dp_sample(NULL::t_inn.refund, :release, seed => 3) c LEFT JOIN dp_sample(NULL::t_inn.charge, :release, seed => 3) b USING (guest, during, no);
-- into a table beside one whose column is another: an error that says so
CREATE SCHEMA t_inn_other;
CREATE TABLE t_inn_other.booking (guest integer, during text);
CREATE TABLE t_inn_other.charge (guest integer, during daterange);
SELECT * FROM dp_sample(NULL::t_inn_other.charge, :release, seed => 3);

-- a day, with bins that the release finds; and a text of which some values are listed
CREATE SCHEMA t_log;
CREATE SCHEMA t_log_made;
CREATE TABLE t_log.driver (id integer PRIMARY KEY, senior boolean NOT NULL);
CREATE TABLE t_log.shift (driver integer REFERENCES t_log.driver, day date CHECK (day BETWEEN '2024-01-01' AND '2024-12-31'), bus text, PRIMARY KEY (driver, day, bus));
CREATE TABLE t_log.trip (id serial PRIMARY KEY, driver integer, day date, bus text, riders integer CHECK (riders BETWEEN 0 AND 60), washed date NOT NULL CHECK (washed BETWEEN '2024-01-01' AND '2025-01-31'),
	CHECK (washed >= day), CHECK (bus <> 'rented' OR riders < 50), FOREIGN KEY (driver, day, bus) REFERENCES t_log.shift);
INSERT INTO t_log.driver SELECT i, i % 3 = 0 FROM generate_series(1, 300) i;
INSERT INTO t_log.shift SELECT i, date '2024-01-01' + (i * 13 + k * 7) % 360, CASE WHEN i % 20 = 0 THEN 'rented ' || i ELSE 'bus ' || i % 4 END FROM generate_series(1, 300) i, generate_series(0, 2) k;
INSERT INTO t_log.trip (driver, day, bus, riders, washed) SELECT driver, day, bus, (driver * k) % 50, day + (driver + k) % 20 FROM t_log.shift, generate_series(1, 2) k;
SELECT dp_protect('t_log.driver', epsilon => 2000, delta => 1e-6);
SELECT dp_protect('t_log.shift', parent => 't_log.driver', max_rows_per_unit => 3);
SELECT dp_protect('t_log.trip', parent => 't_log.shift', max_rows_per_unit => 2);
SELECT dp_define_column('t_log.shift', 'bus', categories => '{bus 0,bus 1,bus 2,bus 3}', other => 'rented');
SELECT count(*) FROM dp_create_synthetic('t_log', 't_log_made', 900, 1e-9, seed => 1);
SELECT count(*) > 1000 AS trips, count(DISTINCT day) > 100 AS days, count(DISTINCT bus) AS buses FROM t_log_made.trip;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 't_log_made.trip'::regclass AND contype = 'f';

-- a column of another type cannot hold it, which is said before anything is spent
CREATE TABLE t_log.run (driver integer REFERENCES t_log.driver, no bigint CHECK (no BETWEEN 1 AND 1000), PRIMARY KEY (driver, no));
CREATE TABLE t_log.halt (id serial PRIMARY KEY, driver integer, no integer, late boolean, FOREIGN KEY (driver, no) REFERENCES t_log.run);
SELECT dp_protect('t_log.run', parent => 't_log.driver', max_rows_per_unit => 3);
SELECT dp_protect('t_log.halt', parent => 't_log.run', max_rows_per_unit => 2);
SELECT dp_release('{t_log.driver,t_log.run,t_log.halt}', 'aim', 1, 1e-9);
-- nor can one that has not as many digits
CREATE TABLE t_log.bill (driver integer REFERENCES t_log.driver, euros numeric(8,2) CHECK (euros BETWEEN 1 AND 1000), PRIMARY KEY (driver, euros));
CREATE DOMAIN t_log.dimes AS numeric(8,1);
CREATE TABLE t_log.tip (id serial PRIMARY KEY, driver integer, euros t_log.dimes, late boolean, FOREIGN KEY (driver, euros) REFERENCES t_log.bill);
SELECT dp_protect('t_log.bill', parent => 't_log.driver', max_rows_per_unit => 3);
SELECT dp_protect('t_log.tip', parent => 't_log.bill', max_rows_per_unit => 2);
SELECT dp_release('{t_log.driver,t_log.bill,t_log.tip}', 'aim', 1, 1e-9);
SELECT sum(epsilon) FROM dp_ledger WHERE relation = 't_log.driver'::regclass;
-- no row refers to a key that is NULL in part, whoever draws it
CREATE TABLE t_log.duty (driver integer NOT NULL REFERENCES t_log.driver, no integer CHECK (no BETWEEN 1 AND 50), UNIQUE (driver, no));
CREATE TABLE t_log.stop (id serial PRIMARY KEY, driver integer NOT NULL, no integer NOT NULL, late boolean NOT NULL, FOREIGN KEY (driver, no) REFERENCES t_log.duty (driver, no));
INSERT INTO t_log.duty SELECT i, CASE WHEN k > 1 THEN (i * 13 + k * 7) % 50 + 1 END FROM generate_series(1, 300) i, generate_series(0, 3) k;
INSERT INTO t_log.stop (driver, no, late) SELECT driver, no, driver % 2 = 0 FROM t_log.duty, generate_series(1, 2) k WHERE no IS NOT NULL;
SELECT dp_protect('t_log.duty', parent => 't_log.driver', max_rows_per_unit => 4);
SELECT dp_protect('t_log.stop', parent => 't_log.duty', max_rows_per_unit => 2);
SELECT dp_release('{t_log.driver,t_log.duty,t_log.stop}', 'mst', 1, 1e-9) AS release \gset
SELECT count(*) > 500 AS any, count(*) FILTER (WHERE no IS NULL) > 100 AS without FROM dp_sample(NULL::t_log.duty, :release, rows => 2000, seed => 1);
SET dpsyn.max_parallel_workers = 0;
CREATE TABLE t_log.alone AS SELECT * FROM dp_sample(NULL::t_log.stop, :release, rows => 20000, seed => 1);
SET dpsyn.max_parallel_workers = 2;
CREATE TABLE t_log.together AS SELECT * FROM dp_sample(NULL::t_log.stop, :release, rows => 20000, seed => 1);
RESET dpsyn.max_parallel_workers;
SELECT count(*) > 500 AS any, count(*) FILTER (WHERE driver IS NULL OR no IS NULL OR late IS NULL) AS without FROM t_log.alone;
SELECT count(*) FROM (TABLE t_log.alone EXCEPT ALL TABLE t_log.together) d;
DROP SCHEMA t_inn_other, t_inn_made, t_inn, t_log_made, t_log CASCADE;
