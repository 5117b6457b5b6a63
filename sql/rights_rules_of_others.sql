-- the custodian's code runs as nobody else; rules over values in place of NULL, and over constants
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
-- it is read for its owner alone; others have it as a text
SELECT count(*) BETWEEN 450 AND 550 FROM dp_synthesize(NULL::arrays, 20, 1e-9, method => 'mst');
SELECT dp_release('arrays', 'mst', 20, 1e-9) AS arrays \gset
CREATE TEMP TABLE arrays_of_text (tags text, n int);
SELECT count(*) BETWEEN 450 AND 550, min(tags), max(tags) FROM dp_sample(NULL::arrays_of_text, :arrays);
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

-- rows under a condition on a range are inside of it
CREATE TABLE conditions (age int NOT NULL CHECK (age BETWEEN 0 AND 1000), day date NOT NULL CHECK (day BETWEEN '2000-01-01' AND '2020-01-01'));
INSERT INTO conditions SELECT i % 90, date '2001-01-01' + i % 3000 FROM generate_series(1, 3000) i;
SELECT dp_protect('conditions', 1000, 0.01);
SELECT dp_release('conditions', 'mst', 10, 1e-9) AS conditions \gset
SELECT count(*), min(age) >= 30, max(age) < 40, min(day) >= '2003-02-01', max(day) < '2003-02-10'
  FROM dp_sample(NULL::conditions, :conditions, 500, 1, 1, '{"age": [30, 40], "day": ["2003-02-01", "2003-02-10"]}');

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
  FROM (VALUES ('mst'), ('sbhg')) m (method), dp_synthesize(NULL::replaced, 20, 1e-9, method => m.method, rows => 2000, seed => 1) GROUP BY 1 ORDER BY 1;

SET client_min_messages = error;
RESET SESSION AUTHORIZATION;
DROP SCHEMA made61 CASCADE;
DROP SCHEMA t61 CASCADE;
DROP OWNED BY regress_dp_61_analyst;
DROP ROLE regress_dp_61_owner;
DROP ROLE regress_dp_61_analyst;
