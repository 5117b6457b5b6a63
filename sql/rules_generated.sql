-- rules and generated columns of values that were drawn: expressions that fail, filled columns, the rest of a column
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t78;
CREATE ROLE regress_dp_78_owner;
GRANT USAGE, CREATE ON SCHEMA t78 TO regress_dp_78_owner;
SET search_path = t78, public;
SET SESSION AUTHORIZATION regress_dp_78_owner;
SET client_min_messages = error;

-- an expression that fails on a row is a rule that the row breaks: PostgreSQL would refuse it
CREATE TABLE fails (id int PRIMARY KEY, cost numeric(8,2) NOT NULL CHECK (cost BETWEEN 0 AND 1000), nights int NOT NULL CHECK (nights BETWEEN 0 AND 5),
	a int NOT NULL, b int NOT NULL, sub text CHECK (sub IN ('x', 'yy')), less int CHECK (less IN (-1, 0, 1)),
	per numeric(5,1) GENERATED ALWAYS AS (cost / nights) STORED, product int NOT NULL GENERATED ALWAYS AS (a * b) STORED,
	CHECK (cost / nights < 5000), CHECK (a + b <= 2000000000), CHECK (a >= 0), CHECK (b >= 0), CHECK (substring(sub, 1, less) <> 'z'), CHECK (ln(nights) >= 0));
INSERT INTO fails SELECT i, i % 1000, 1 + i % 5, 1 + i % 500, 1 + i % 300, CASE WHEN i % 2 = 0 THEN 'x' ELSE 'yy' END, i % 2 FROM generate_series(1, 1000) i;
SELECT dp_protect('fails', 1000000, 0.5);
SELECT dp_define_column('fails', 'nights', categories => '{0,1,2,3,4,5}'), dp_define_column('fails', 'a', bins => '{0,1000,2000000000}'), dp_define_column('fails', 'b', bins => '{0,1000,2000000000}');
SELECT dp_release('fails', 'mst', 1, 1e-6) AS r \gset
CREATE TABLE fails_copy (LIKE fails INCLUDING ALL);
INSERT INTO fails_copy (id, cost, nights, a, b, sub, less) SELECT id, cost, nights, a, b, sub, less FROM dp_sample(NULL::fails, :r, 3000, 1);
SELECT count(*), count(*) FILTER (WHERE c.per IS DISTINCT FROM d.per OR c.product <> d.product) FROM fails_copy c JOIN dp_sample(NULL::fails, :r, 3000, 1) d USING (id);
-- one at a time, too
SELECT count(*) FROM (SELECT dp_sample(NULL::fails, :r, 1500, 1)) d;
-- where none has a value, rows have none, and a WARNING says so
SET client_min_messages = warning;
CREATE TABLE always (nights int, c int NOT NULL GENERATED ALWAYS AS (1 / (nights - nights)) STORED);
SELECT count(*), count(c) FROM dp_sample(NULL::always, :r, 10, 1);
SET client_min_messages = error;

-- a level "other" gives way to another before rules are looked at
CREATE TABLE rest (id int PRIMARY KEY, status text NOT NULL, closed int CHECK (closed IN (1, 2)), word text, CHECK (status <> 'closed' OR closed IS NOT NULL));
INSERT INTO rest SELECT i, (ARRAY['open', 'closed', 'lost', 'gone'])[1 + i % 4], CASE WHEN i % 4 = 1 THEN 1 + i % 2 END FROM generate_series(1, 2000) i;
SELECT dp_protect('rest', 1000000, 0.5);
SELECT dp_define_column('rest', 'status', categories => '{open,closed}'), dp_define_column('rest', 'word', derived_from => 'status', domain => '{"open": "o", "closed": "c"}');
SELECT dp_release('rest', 'mst', 100000, 0.1) AS r \gset
CREATE TABLE rest_drawn AS SELECT * FROM dp_sample(NULL::rest, :r, 2000, 1);
SELECT count(*), count(*) FILTER (WHERE status = 'closed' AND closed IS NULL), count(*) FILTER (WHERE word <> left(status, 1) OR word IS NULL) FROM rest_drawn;

-- filled columns have values: rules of them are kept where they can be, and generated columns computed
CREATE FUNCTION own(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
CREATE TABLE filled (id int PRIMARY KEY, parent int NOT NULL CHECK (parent BETWEEN 0 AND 1000000), name text NOT NULL,
	full_name text NOT NULL GENERATED ALWAYS AS (upper(name)) STORED, empty text, twofold text GENERATED ALWAYS AS (coalesce(empty, 'no') || name) STORED,
	g int GENERATED ALWAYS AS (own(parent)) STORED,
	CONSTRAINT tree CHECK (parent < id), CONSTRAINT of_a_function CHECK (g >= 0), CONSTRAINT fine CHECK (length(name) > 2));
INSERT INTO filled (id, parent, name) SELECT i, i / 2, 'n ' || i FROM generate_series(1, 2000) i;
SELECT dp_protect('filled', 1000000, 0.5);
SELECT dp_define_column('filled', 'parent', bins => '{0,500,1000,1000000}');
SET client_min_messages = notice;
SELECT dp_release('filled', 'mst', 100000, 0.1) AS r \gset
SET client_min_messages = error;
CREATE TABLE filled_drawn AS SELECT * FROM dp_sample(NULL::filled, :r, 2000, 1);
SELECT count(*), count(*) FILTER (WHERE parent >= id), count(*) FILTER (WHERE full_name IS DISTINCT FROM upper(name)), count(*) FILTER (WHERE twofold IS DISTINCT FROM 'no' || name), count(g) FROM filled_drawn;
-- one that cannot be kept is broken, and the rows are there all the same
CREATE TABLE never (id int, parent int, CHECK (parent > id + 10000000));
SELECT dp_release('filled', 'mst', 100000, 0.1, '{"columns": ["parent"]}') AS r \gset
SELECT count(*) FROM dp_sample(NULL::never, :r, 20, 1);

RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t78 CASCADE;
DROP ROLE regress_dp_78_owner;
