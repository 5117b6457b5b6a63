-- Views: each row depends on the rows of one unit, or the custodian states what one unit can change.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t50;
CREATE ROLE regress_dp_50_owner;
CREATE ROLE regress_dp_50_analyst;
GRANT USAGE, CREATE ON SCHEMA t50 TO regress_dp_50_owner;
GRANT USAGE ON SCHEMA t50 TO regress_dp_50_analyst;
SET search_path = t50, public;
SET SESSION AUTHORIZATION regress_dp_50_owner;
CREATE TABLE wards (id integer PRIMARY KEY, name text);
CREATE TABLE people (id integer PRIMARY KEY, ward integer, ill boolean NOT NULL, born date, tags text[]);
CREATE TABLE visits (id integer PRIMARY KEY, person bigint REFERENCES people, place text, ward integer);
CREATE TABLE bills (visit integer REFERENCES visits, paid boolean);
CREATE TABLE strangers (number integer, friend integer);
INSERT INTO wards VALUES (1, 'a'), (2, 'b');
INSERT INTO people SELECT i, 1 + i / 200, i % 3 = 0 FROM generate_series(1, 398) i;

-- what becomes of a view; nothing of it stays
CREATE FUNCTION protects(query text, more text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE VIEW tried AS ' || query;
	EXECUTE 'SELECT dp_protect(''tried'', 1' || more || ')';
	RAISE 'accepted';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END
$$;
SET client_min_messages = warning;

-- ---- refused, by name of the construct
SELECT protects(query) FROM (VALUES
	('SELECT ward, count(*) OVER (PARTITION BY ward) >= 100 AS full FROM people'),
	('SELECT count(*) AS n FROM people'),
	('SELECT ward FROM people GROUP BY ward'),
	('SELECT true AS any FROM people HAVING true'),
	('SELECT DISTINCT ward FROM people'),
	('SELECT DISTINCT ON (ward) ward, ill FROM people'),
	('SELECT ill FROM people LIMIT 5'),
	('SELECT ill FROM people ORDER BY id OFFSET 5'),
	('SELECT ill FROM people UNION ALL SELECT paid FROM bills'),
	('SELECT ward FROM people INTERSECT SELECT ward FROM visits'),
	('SELECT ward FROM people EXCEPT SELECT ward FROM visits'),
	('WITH p AS (SELECT * FROM people) SELECT ill FROM p'),
	('SELECT ill FROM people WHERE ward IN (SELECT ward FROM visits)'),
	('SELECT ill, (SELECT count(*) FROM people) AS n FROM people'),
	('SELECT ill FROM people WHERE ward = (SELECT id FROM wards)'),
	('SELECT ill FROM people WHERE random() < 0.5'),
	('SELECT ill FROM people WHERE born < now()'),
	('SELECT ill FROM people WHERE born < current_date'),
	('SELECT ill FROM people TABLESAMPLE bernoulli (50)'),
	('SELECT ill FROM people WHERE ctid < ''(3,0)'''),
	('SELECT p.ill FROM people p, visits v'),
	('SELECT p.ill FROM people p JOIN visits v ON v.person = p.id'),
	('SELECT p.ill FROM people p JOIN wards w ON w.id = p.ward'),
	('SELECT p.ill FROM people p FULL JOIN wards w ON w.id = p.ward'),
	('SELECT ill FROM (SELECT ill FROM people LIMIT 5) p'),
	('SELECT p.ill FROM people p, LATERAL (SELECT v.place FROM visits v WHERE v.person = p.id) v')) q (query);
-- the unit must be a column of the rows that it tells apart
SELECT protects(query, $$, unit_column => 'u'$$) FROM (VALUES
	('SELECT p.id AS u, s.place FROM people p, LATERAL (SELECT p.id AS u, v.place FROM visits v) s WHERE s.u = p.id'),
	('SELECT p.id AS u, s.place FROM people p JOIN (SELECT person + 1 AS u, place FROM visits) s ON s.u = p.id'),
	('SELECT generate_series(1, 3) AS u, ill FROM people'),
	('SELECT w.id AS u, p.ill FROM wards w, people p')) q (query);
-- with all that one can do, the error says what
\set VERBOSITY default
CREATE VIEW crowded AS SELECT ill, count(*) OVER (PARTITION BY ward) >= 100 AS crowded FROM people;
SELECT dp_protect('crowded', 1);
SELECT dp_protect('crowded', 1, unit_column => 'ill', max_rows_per_unit => 3);
CREATE VIEW above AS SELECT crowded FROM crowded WHERE ill;
SELECT dp_protect('above', 1);
CREATE MATERIALIZED VIEW kept AS SELECT crowded FROM crowded;
SELECT dp_protect('kept', 1);

-- ---- accepted
SELECT protects(query) FROM (VALUES
	('SELECT ill, ward + 1 AS next, upper(tags[1]) AS tag FROM people WHERE ward > 1 OR ill ORDER BY id'),
	('SELECT * FROM (SELECT ward FROM people) p WHERE ward > 0'),
	('SELECT ill, tag FROM people, unnest(tags) tag'),
	('SELECT i % 2 = 0 AS even FROM generate_series(1, 5) i'),
	('SELECT true AS t'),
	('SELECT ill, tableoid::regclass AS source FROM people')) q (query);

-- ---- relations whose rows are nobody's
SELECT protects(query, ', public_relations => ''{wards}''') FROM (VALUES
	('SELECT p.ill, w.name FROM people p JOIN wards w ON w.id = p.ward'),
	('SELECT p.ill, w.name FROM people p LEFT JOIN wards w ON w.id = p.ward'),
	('SELECT p.ill, n FROM people p, (SELECT count(*) AS n FROM wards) w'),
	('SELECT p.ill FROM people p WHERE ward IN (SELECT id FROM wards)'),
	('SELECT w.name, p.ill FROM wards w LEFT JOIN people p ON w.id = p.ward'),
	('SELECT p.ill FROM wards w RIGHT JOIN people p ON w.id = p.ward'),
	('SELECT p.ill FROM people p FULL JOIN wards w ON w.id = p.ward'),
	('SELECT p.ill FROM people p JOIN wards w ON w.id = p.ward JOIN visits v ON v.ward = w.id')) q (query);
SELECT dp_protect('people', 1, public_relations => '{wards}');
SELECT protects('SELECT ill FROM people', ', public_relations => ''{NULL}''');

-- ---- joins along the unit
SELECT protects(query, ', unit_column => ''u'', max_rows_per_unit => 5, public_relations => ''{wards}''') FROM (VALUES
	('SELECT p.id AS u, p.ill, v.place FROM people p JOIN visits v ON v.person = p.id'),
	('SELECT p.id AS u, p.ill, v.place FROM people p, visits v WHERE p.id = v.person AND p.ill'),
	('SELECT v.person AS u, p.ill FROM people p JOIN visits v ON v.person = p.id'),
	('SELECT p.id AS u, v.place FROM people p LEFT JOIN visits v ON v.person = p.id'),
	('SELECT p.id AS u, b.paid FROM people p JOIN visits v ON v.person = p.id JOIN bills b ON b.visit = v.id'),
	('SELECT p.id AS u, b.paid FROM people p LEFT JOIN (visits v JOIN bills b ON b.visit = v.id) ON v.person = p.id'),
	('SELECT v.u, p.ill FROM people p JOIN (SELECT person AS u, ward FROM visits) v ON v.u = p.id'),
	('SELECT p.id AS u, q.ill FROM people p JOIN people q USING (id) JOIN wards w ON w.id = q.ward'),
	('SELECT p.id AS u, s.friend FROM people p JOIN strangers s ON s.number = p.id')) q (query);
SELECT protects(query, ', unit_column => ''u'', max_rows_per_unit => 5') FROM (VALUES
	-- another equality than that of the unit
	('SELECT p.id AS u, v.place FROM people p JOIN visits v ON v.ward = p.ward'),
	('SELECT p.id AS u, v.place FROM people p JOIN visits v ON v.person = p.id OR v.ward = p.ward'),
	('SELECT p.id AS u, v.place FROM people p JOIN visits v ON v.person >= p.id'),
	('SELECT p.id AS u, v.place FROM people p JOIN visits v ON v.person = p.id + 1'),
	('SELECT p.id + 0 AS u, v.place FROM people p JOIN visits v ON v.person = p.id'),
	-- a row that others refer to is not the unit's own
	('SELECT v.id AS u, p.ill FROM visits v JOIN people p ON v.person = p.id'),
	-- out of the side that is filled with NULL
	('SELECT v.person AS u, p.ill FROM people p LEFT JOIN visits v ON v.person = p.id'),
	('SELECT p.id AS u, q.ill FROM (people p JOIN people q ON p.ward = q.ward) LEFT JOIN visits v ON v.person = p.id AND v.person = q.id'),
	-- rows of two units at once
	('SELECT a.number AS u, b.friend AS f FROM strangers a JOIN strangers b ON a.number = b.friend')) q (query);
-- a chain through views
CREATE VIEW seen AS SELECT v.person, v.place, w.name FROM visits v JOIN wards w ON w.id = v.ward;
SELECT protects('SELECT p.id AS u, s.place FROM people p JOIN seen s ON s.person = p.id', ', unit_column => ''u'', public_relations => ''{wards}''');
SELECT protects('SELECT p.id AS u, s.place FROM people p JOIN seen s ON s.person = p.id', ', unit_column => ''u''');
SELECT protects('SELECT p.id AS u, s.place FROM people p JOIN seen s ON s.name = p.tags[1]', ', unit_column => ''u'', public_relations => ''{wards}''');

-- ---- changed after it was protected: nothing is spent
CREATE VIEW plain AS SELECT ill, ward > 1 AS crowded FROM people;
SELECT dp_protect('plain', 1000, 0.1);
SELECT dp_define_column('plain', c, categories => '{f,t}') FROM unnest('{ill,crowded}'::name[]) c;
SELECT dp_grant('plain', 'regress_dp_50_analyst', 500);
SELECT dp_release('plain', 'marginal', 1) > 0;
CREATE OR REPLACE VIEW plain AS SELECT ill, count(*) OVER (PARTITION BY ward) >= 200 AS crowded FROM people;
SET SESSION AUTHORIZATION regress_dp_50_analyst;
SELECT dp_release('plain', 'marginal', 1);
SELECT stage FROM dp_explain('plain', 'marginal', 1);
SET SESSION AUTHORIZATION regress_dp_50_owner;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'plain'::regclass;
-- or a view below it
CREATE VIEW below AS SELECT ill FROM people;
CREATE OR REPLACE VIEW plain AS SELECT ill, true AS crowded FROM below;
SELECT dp_release('plain', 'marginal', 1) > 0;
CREATE OR REPLACE VIEW below AS SELECT ill FROM people LIMIT 5;
SELECT dp_release('plain', 'marginal', 1);
-- or what was public
CREATE VIEW with_wards AS SELECT p.ill, w.name FROM people p JOIN wards w ON w.id = p.ward;
SELECT dp_protect('with_wards', 10, public_relations => '{wards}');
SELECT dp_define_column('with_wards', 'ill', categories => '{f,t}');
SELECT dp_release('with_wards', 'marginal', 1) > 0;
SELECT dp_protect('wards', 10);
SELECT dp_release('with_wards', 'marginal', 1);
SELECT dp_unprotect('wards');
SELECT protects('SELECT p.ill FROM people p JOIN wards w ON w.id = p.ward', ', public_relations => ''{wards}''');

-- ---- a stated sensitivity: noise for so many rows that go and so many that come
SELECT dp_protect('crowded', 1000, sensitivity => 0);
SELECT dp_protect('crowded', 1000, sensitivity => 200, unit_column => 'ill');
SELECT dp_protect('crowded', 1000, sensitivity => 200, max_rows_per_unit => 2);
SELECT dp_protect('people', 1000, sensitivity => 200);
SELECT dp_protect('crowded', 1000, 0.1, sensitivity => 200);
SELECT dp_define_column('crowded', c, categories => '{f,t}') FROM unnest('{ill,crowded}'::name[]) c;
SELECT relation, sensitivity, public_relations FROM dp_datasets WHERE relation IN ('crowded'::regclass, 'with_wards'::regclass) ORDER BY 1;
SELECT status, reason FROM dp_ledger WHERE relation = 't50.crowded';
SELECT stage, round(noise_stddev::numeric) FROM dp_explain('crowded', 'sba', 1, 0, '{"dense_cells": 100}');
SELECT dp_release('crowded', 'sba', 1, 0, '{"dense_cells": 100}') > 0;
-- what was spent under it stays with it
SELECT dp_unprotect('crowded');
CREATE OR REPLACE VIEW crowded AS SELECT ill, ill AS crowded FROM people;
SELECT dp_protect('crowded', 1000);
SELECT dp_protect('crowded', 1000, sensitivity => 100);

RESET SESSION AUTHORIZATION;
DROP SCHEMA t50 CASCADE;
DROP ROLE regress_dp_50_analyst;
DROP ROLE regress_dp_50_owner;
