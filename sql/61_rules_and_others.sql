-- rules that levels do not decide: values in place of NULL, keys, expressions that fail; and that
-- the custodian's code runs as nobody else
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t61;
CREATE ROLE regress_dp_61_owner;
CREATE ROLE regress_dp_61_analyst;
CREATE SCHEMA made61 AUTHORIZATION regress_dp_61_analyst;
GRANT USAGE, CREATE ON SCHEMA t61 TO regress_dp_61_owner;
GRANT USAGE ON SCHEMA t61 TO regress_dp_61_analyst;
SET search_path = t61, public;
SET SESSION AUTHORIZATION regress_dp_61_owner;
SET client_min_messages = error;

-- whoever runs code of the custodian's is written down
CREATE TABLE ran (who name);
GRANT INSERT ON ran TO public;
CREATE FUNCTION watch(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t61.ran VALUES (current_user); RETURN true; END $$;
CREATE FUNCTION watch() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t61.ran VALUES (current_user); RETURN 1; END $$;
CREATE DOMAIN watched AS text CHECK (t61.watch(VALUE));
CREATE DOMAIN expensive AS integer DEFAULT length(query_to_xml('SELECT t61.watch()', true, true, '')::text);
CREATE VIEW watching AS SELECT t61.watch();
GRANT SELECT ON watching TO public;

-- an array of a domain: reading its labels runs the CHECK of the domain
CREATE TABLE arrays (id int PRIMARY KEY, tags watched[] CHECK (cardinality(tags) < 5), n int NOT NULL CHECK (n BETWEEN 0 AND 9));
INSERT INTO arrays SELECT i, CASE i % 2 WHEN 0 THEN '{a}' ELSE '{b}' END::watched[], i % 10 FROM generate_series(1, 500) i;
SELECT dp_protect('arrays', 1000, 0.01);
SELECT dp_define_column('arrays', 'tags', categories => '{"{a}","{b}"}');
SELECT dp_grant('arrays', 'regress_dp_61_analyst', 500, 0.01);
-- built-in functions that run a text as SQL, or read a view
CREATE TABLE texts (
	id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 9),
	note text DEFAULT query_to_xml('SELECT t61.watch()', true, true, '')::text,
	kept text DEFAULT to_char(now(), 'YYYY') || gen_random_uuid(),
	other expensive,
	born date CHECK (born <= CURRENT_DATE AND extract(year FROM born) > 1900),
	CHECK (query_to_xml('SELECT t61.watch()', true, true, '') IS NOT NULL OR n > 100),
	CHECK (table_to_xml('t61.watching', true, true, '') IS NOT NULL OR n > 100),
	CHECK (set_config('application_name', 't61', false) <> '' OR n > 100));
INSERT INTO texts (id, n, note, other) SELECT i, i % 10, '', 1 FROM generate_series(1, 500) i;
SELECT dp_protect('texts', 1000, 0.01);
SELECT dp_grant('texts', 'regress_dp_61_analyst', 500, 0.01);
TRUNCATE ran;
SET SESSION AUTHORIZATION regress_dp_61_analyst;
SELECT count(*) > 0 FROM dp_explain('arrays', 'mst', 1, 1e-9);
SELECT count(*) BETWEEN 450 AND 550 FROM dp_synthesize_with(NULL::arrays, 'mst', 20, 1e-9);
SELECT relation, rows FROM dp_create_synthetic('{texts}', 'made61', 20, 1e-9, '{"rows": 50, "method": "sbhg"}');
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'made61.texts'::regclass AND contype = 'c' ORDER BY 1;
SELECT attname, format_type(atttypid, atttypmod), pg_get_expr(adbin, adrelid) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = 'made61.texts'::regclass AND attnum > 0 ORDER BY attnum;
SET SESSION AUTHORIZATION regress_dp_61_owner;
SELECT DISTINCT who FROM ran WHERE who <> 'regress_dp_61_owner';

-- a column that was filled with texts, and is of such a type by now
CREATE TABLE changes (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 9), tag text);
INSERT INTO changes SELECT i, i % 10 FROM generate_series(1, 500) i;
SELECT dp_protect('changes', 1000, 0.01), dp_define_column('changes', 'tag', fill => '{{n}}');
SELECT dp_grant('changes', 'regress_dp_61_analyst', 500, 0.01);
SET SESSION AUTHORIZATION regress_dp_61_analyst;
SELECT dp_release('changes', 'sbhg', 10) AS changes \gset
SELECT tag FROM dp_sample(NULL::changes, :changes, 2, 1);
SET SESSION AUTHORIZATION regress_dp_61_owner;
ALTER TABLE changes ALTER tag TYPE watched[] USING NULL;
TRUNCATE ran;
SET SESSION AUTHORIZATION regress_dp_61_analyst;
SELECT tag FROM dp_sample(NULL::changes, :changes, 2, 1);
SET SESSION AUTHORIZATION regress_dp_61_owner;
SELECT DISTINCT who FROM ran WHERE who <> 'regress_dp_61_owner';

-- an operator of a user's, of the same name and over a built-in function, is not taken for another
CREATE OPERATOR t61.+ (LEFTARG = int4, RIGHTARG = int4, FUNCTION = int4mi);
CREATE TABLE signs (a int NOT NULL CHECK (a IN (1, 6)), b int NOT NULL CHECK (b IN (1, 6)), CONSTRAINT minus CHECK ((a OPERATOR(t61.+) b) <= 9));
INSERT INTO signs SELECT (ARRAY[1, 6])[1 + i % 2], (ARRAY[1, 6])[1 + i / 2 % 2] FROM generate_series(1, 400) i;
SELECT dp_protect('signs', 1000, 0.01);
SELECT count(*) FILTER (WHERE a = 6 AND b = 6) > 50 FROM dp_synthesize_with(NULL::signs, 'sbhg', 50);
-- a rule that contradicts ranges as a whole is found before anything is spent
CREATE TABLE contradicts (a int NOT NULL, b int NOT NULL, CONSTRAINT far CHECK (b > a + 100));
INSERT INTO contradicts SELECT 1, 200 FROM generate_series(1, 100);
SELECT dp_protect('contradicts', 1000, 0.01), dp_define_column('contradicts', 'a', range => '{0,9}'), dp_define_column('contradicts', 'b', range => '{0,50}');
SELECT count(*) FROM dp_synthesize_with(NULL::contradicts, 'sbhg', 1);
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'contradicts'::regclass;
-- rows under a condition on a range are inside of it
CREATE TABLE conditions (age int NOT NULL CHECK (age BETWEEN 0 AND 1000), day date NOT NULL CHECK (day BETWEEN '2000-01-01' AND '2020-01-01'));
INSERT INTO conditions SELECT i % 90, date '2001-01-01' + i % 3000 FROM generate_series(1, 3000) i;
SELECT dp_protect('conditions', 1000, 0.01);
SELECT dp_release('conditions', 'mst', 10, 1e-9) AS conditions \gset
SELECT count(*), min(age) >= 30, max(age) < 40, min(day) >= '2003-02-01', max(day) < '2003-02-10'
  FROM dp_sample(NULL::conditions, :conditions, 500, 1, 1, '{"age": [30, 40], "day": ["2003-02-01", "2003-02-10"]}');

-- an expression that fails on a row is a rule that the row breaks
CREATE TABLE fails (
	id int PRIMARY KEY, cost numeric(8,2) NOT NULL, nights int NOT NULL,
	per numeric GENERATED ALWAYS AS (cost / nights) STORED,
	CONSTRAINT cheap CHECK (cost / nights < 5000), CHECK (nights BETWEEN 0 AND 20), CHECK (cost BETWEEN 0 AND 10000));
INSERT INTO fails SELECT i, i % 1000, 1 + i % 10 FROM generate_series(1, 3000) i;
SELECT dp_protect('fails', 10000, 0.01);
SELECT count(*), min(nights) >= 1, bool_and(per = cost / nights), max(per) < 5000 FROM dp_synthesize_with(NULL::fails, 'sbhg', 50, rows => 3000, seed => 1);
SELECT dp_define_column('fails', 'nights', bins => '{0,1,20}');
SELECT count(*), min(nights) >= 1 FROM dp_synthesize_with(NULL::fails, 'mst', 1, 1e-9, rows => 3000, seed => 1);

-- a value in the place of NULL is looked at by the rules; a constant and a generated column are too
CREATE TABLE replaced (
	id int PRIMARY KEY, status text NOT NULL, closed int CHECK (closed BETWEEN 0 AND 9), fixed int NOT NULL,
	name text NOT NULL, upper_name text NOT NULL GENERATED ALWAYS AS (upper(name)) STORED,
	CONSTRAINT closes CHECK (status <> 'closed' OR closed IS NOT NULL),
	CONSTRAINT small CHECK (closed < fixed));
INSERT INTO replaced SELECT i, (ARRAY['open', 'closed', 'x' || i, 'y' || i])[1 + i % 4], CASE WHEN i % 4 = 1 THEN i % 5 END, 5, 'n' || i FROM generate_series(1, 4000) i;
SELECT dp_protect('replaced', 10000, 0.01);
SELECT dp_define_column('replaced', 'status', categories => '{open,closed}'), dp_define_column('replaced', 'fixed', fill => '5');
SELECT m.method, count(*), count(status), count(*) FILTER (WHERE status = 'closed' AND closed IS NULL), max(closed) < 5, count(*) FILTER (WHERE upper_name = upper(name))
  FROM (VALUES ('mst'), ('sbhg')) m (method), dp_synthesize_with(NULL::replaced, m.method, 20, 1e-9, rows => 2000, seed => 1) GROUP BY 1 ORDER BY 1;

-- a rule over a key and a column of the model is named
CREATE TABLE keys (id int PRIMARY KEY, parent int NOT NULL CHECK (parent BETWEEN 0 AND 1000000), code smallint UNIQUE, CONSTRAINT earlier CHECK (parent < id));
INSERT INTO keys SELECT i, i / 2, i FROM generate_series(1, 4000) i;
SELECT dp_protect('keys', 10000, 0.01);
SELECT dp_grant('keys', 'regress_dp_61_analyst', 5000, 0.01);
SET client_min_messages = notice;
SELECT count(*) > 0 FROM dp_explain('keys', 'sbhg', 1);
-- rows that a key cannot number are found before anything is spent
SET SESSION AUTHORIZATION regress_dp_61_analyst;
SELECT * FROM dp_create_synthetic('{keys}', 'made61', 1, 0, '{"rows": 40000, "method": "sbhg"}');
SELECT * FROM dp_create_synthetic('{keys}', 'made61', 1, 0, '{"rows": -5, "method": "sbhg"}');
SELECT epsilon_spent FROM dp_budgets WHERE relation = 'keys'::regclass;

SET client_min_messages = error;
RESET SESSION AUTHORIZATION;
DROP SCHEMA made61 CASCADE;
DROP SCHEMA t61 CASCADE;
DROP OWNED BY regress_dp_61_analyst;
DROP ROLE regress_dp_61_owner;
DROP ROLE regress_dp_61_analyst;
