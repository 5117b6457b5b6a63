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
CREATE FUNCTION rows_released(relation regclass, epsilon numeric) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	id bigint := dp_release($1, 'sba', $2, 0, '{"dense_cells": 10, "columns": ["ill"]}');
BEGIN
	RETURN (SELECT r.rows FROM dp_releases r WHERE r.release = id);
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
-- a row is what is protected, and that is said of both kinds of views
CREATE VIEW ill AS SELECT ill FROM people;
CREATE MATERIALIZED VIEW ill_kept AS SELECT ill, id FROM people;
SET client_min_messages = notice;
SELECT dp_protect('ill', 1);
SELECT dp_protect('ill_kept', 1);
SELECT dp_unprotect(r) FROM unnest('{ill,ill_kept}'::regclass[]) r;
SELECT dp_protect('ill_kept', 1, unit_column => 'id');
SELECT dp_unprotect('ill_kept');
SET client_min_messages = warning;

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

SET client_min_messages = error;
-- ---- partitions and children: their rows are read through their parent, too
CREATE TABLE calls (caller integer, callee integer, at integer) PARTITION BY LIST (at);
CREATE TABLE calls_1 PARTITION OF calls FOR VALUES IN (1);
CREATE TABLE calls_2 (at integer, callee integer, caller integer);
ALTER TABLE calls ATTACH PARTITION calls_2 FOR VALUES IN (2);
CREATE TABLE letters (sender integer, receiver integer);
CREATE TABLE parcels (weight integer) INHERITS (letters);
CREATE TABLE stamped (stamp text, sender integer, receiver integer);
CREATE TABLE heavy () INHERITS (parcels, stamped);
SELECT protects(query, ', unit_column => ''u'', max_rows_per_unit => 5') FROM (VALUES
	('SELECT a.caller AS u FROM calls a JOIN calls_1 b ON b.callee = a.caller'),
	('SELECT a.caller AS u FROM calls_2 a JOIN calls b ON b.callee = a.caller'),
	('SELECT a.caller AS u FROM calls a JOIN (SELECT * FROM calls_1) b ON b.callee = a.caller'),
	('SELECT a.sender AS u FROM letters a JOIN parcels b ON b.receiver = a.sender'),
	('SELECT a.sender AS u FROM parcels a JOIN stamped b ON b.receiver = a.sender'),
	('SELECT a.sender AS u FROM stamped a JOIN ONLY parcels b ON a.sender = b.sender JOIN letters c ON c.receiver = b.sender'),
	-- the same column, in another place; other rows
	('SELECT a.caller AS u FROM calls a JOIN calls_2 b ON b.caller = a.caller'),
	('SELECT a.caller AS u FROM calls_1 a JOIN calls_2 b ON b.callee = a.caller'),
	('SELECT a.sender AS u FROM ONLY letters a JOIN parcels b ON b.receiver = a.sender'),
	('SELECT a.sender AS u FROM parcels a JOIN ONLY stamped b ON b.receiver = a.sender')) q (query);
-- a key is unique over partitions, but not over children
CREATE TABLE stays (id integer PRIMARY KEY, person integer);
CREATE TABLE meals (stay integer REFERENCES stays, dish text);
CREATE TABLE trips (id integer PRIMARY KEY, person integer) PARTITION BY RANGE (id);
CREATE TABLE trips_1 PARTITION OF trips FOR VALUES FROM (1) TO (100);
CREATE TABLE stops (trip integer REFERENCES trips, place text);
CREATE VIEW along (query) AS VALUES
	('SELECT s.person AS u, m.dish FROM stays s JOIN meals m ON m.stay = s.id'),
	('SELECT s.person AS u, m.dish FROM ONLY stays s JOIN meals m ON m.stay = s.id'),
	('SELECT t.person AS u, s.place FROM trips t JOIN stops s ON s.trip = t.id');
SELECT protects(query, ', unit_column => ''u'', max_rows_per_unit => 5') FROM along;
CREATE TABLE long_stays () INHERITS (stays);
SELECT protects(query, ', unit_column => ''u'', max_rows_per_unit => 5') FROM along;
-- a row that refers to a row of the unit is not that of the unit with this number
SELECT protects('SELECT v.person AS u, a.paid FROM visits v JOIN bills a ON a.visit = v.id JOIN bills b ON b.visit = v.person', ', unit_column => ''u'', max_rows_per_unit => 5');
SELECT protects('SELECT v.person AS u, a.paid FROM visits v JOIN bills a ON a.visit = v.id JOIN bills b ON b.visit = v.id', ', unit_column => ''u'', max_rows_per_unit => 5');
-- a row that refers to rows by two keys is of another unit by each
CREATE TABLE flats (id integer PRIMARY KEY, door integer UNIQUE, person integer);
CREATE TABLE leaks (flat integer REFERENCES flats (id) REFERENCES flats (door), wet boolean);
SELECT protects(query, ', unit_column => ''u'', max_rows_per_unit => 5') FROM (VALUES
	('SELECT f.person AS u, a.wet FROM flats f JOIN leaks a ON a.flat = f.id JOIN leaks b ON b.flat = f.door'),
	('SELECT f.person AS u, a.wet FROM flats f JOIN leaks a ON a.flat = f.id JOIN (SELECT * FROM leaks) b ON b.flat = f.door'),
	('SELECT f.person AS u, a.wet FROM flats f JOIN leaks a ON a.flat = f.id JOIN leaks b ON b.flat = f.id'),
	('SELECT f.person AS u, a.wet FROM flats f JOIN leaks a ON a.flat = f.door JOIN leaks b ON f.door = b.flat')) q (query);
-- what is called public reads, or is read through, what is protected
CREATE TABLE areas (code integer, name text);
CREATE TABLE areas_north () INHERITS (areas);
CREATE TABLE areas_far () INHERITS (areas_north);
CREATE VIEW area_names AS SELECT name FROM areas_north;
CREATE VIEW with_areas (relation, query) AS SELECT r, 'SELECT p.ill, a.name FROM people p, ' || r || ' a'
	FROM unnest('{areas,areas_north,areas_far,area_names}'::text[]) r;
SELECT relation, protects(query, ', public_relations => ARRAY[''' || relation || '''::regclass]') FROM with_areas;
SELECT dp_protect('areas_north', 10);
SELECT relation, protects(query, ', public_relations => ARRAY[''' || relation || '''::regclass]') FROM with_areas;
-- or is read by a view that is protected, and does not call it public
CREATE TABLE towns (id integer, name text);
CREATE TABLE towns_north () INHERITS (towns);
CREATE TABLE homes (town integer, cold boolean);
CREATE VIEW town_names AS SELECT name FROM towns;
CREATE VIEW cold_homes AS SELECT h.cold, t.name FROM homes h JOIN towns t ON t.id = h.town;
CREATE VIEW colder_homes AS SELECT * FROM cold_homes;
CREATE VIEW with_towns (relation, query) AS SELECT r, 'SELECT p.ill, a.* FROM people p, ' || r || ' a'
	FROM unnest('{towns,towns_north,town_names,homes,cold_homes}'::text[]) r;
SELECT relation, protects(query, ', public_relations => ARRAY[''' || relation || '''::regclass]') FROM with_towns;
SELECT dp_protect('colder_homes', 10, public_relations => '{towns}');
SELECT relation, protects(query, ', public_relations => ARRAY[''' || relation || '''::regclass]') FROM with_towns;
SELECT dp_protect('cold_homes', 10, sensitivity => 10);
SELECT relation, protects(query, ', public_relations => ARRAY[''' || relation || '''::regclass]') FROM with_towns;
SELECT dp_unprotect('cold_homes');
SELECT dp_protect('cold_homes', 10, sensitivity => 10, public_relations => '{towns}');
SELECT relation, protects(query, ', public_relations => ARRAY[''' || relation || '''::regclass]') FROM with_towns;

-- ---- a unit that is computed from one row of one relation
CREATE MATERIALIZED VIEW each_ward AS SELECT w.id AS w, p.ill FROM wards w, people p;
CREATE FUNCTION joined(text, text) RETURNS text IMMUTABLE LANGUAGE sql RETURN $1 || $2;
SELECT protects(query, ', unit_column => ''u'', max_rows_per_unit => 5, public_relations => ''{wards}''') FROM (VALUES
	('SELECT lower(place) AS u, ward FROM visits'),
	('SELECT person / 10 AS u, w.name FROM visits v LEFT JOIN wards w ON w.id = v.ward'),
	('SELECT u FROM (SELECT joined(place, ward::text) AS u FROM visits) v'),
	('SELECT joined(u, ''x'') AS u, tag FROM (SELECT upper(tags[1]) AS u, tags FROM people) p, unnest(tags) tag'),
	('SELECT v.place || w.name AS u FROM visits v JOIN wards w ON w.id = v.ward'),
	('SELECT upper(tag) AS u FROM people, unnest(tags) tag'),
	('SELECT lower(unnest(tags)) AS u FROM people'),
	('SELECT q.g + 0 AS u, q.ill FROM (SELECT generate_series(1, 1000) AS g, ill FROM people) q'),
	('SELECT q.w + 0 AS u, q.ill FROM (SELECT w.id AS w, p.ill FROM wards w, people p) q'),
	('SELECT q.w + 0 AS u, q.ill FROM each_ward q'),
	('SELECT joined(place, (SELECT min(name) FROM wards WHERE id = v.ward)) AS u FROM visits v'),
	('SELECT lower(name) AS u, p.ill FROM wards w, people p'),
	('SELECT p.id + 1 AS u, v.place FROM people p JOIN visits v ON v.person = p.id'),
	('SELECT p.id AS u, v.place FROM people p JOIN (SELECT person + 1 AS u, place FROM visits) v ON v.u = p.id')) q (query);
CREATE VIEW by_person AS SELECT ill, lower(CASE WHEN id % 2 = 0 THEN 'A' ELSE 'a' END || (id / 10)::text) AS person FROM people;
SELECT dp_protect('by_person', 10000, unit_column => 'person', max_rows_per_unit => 2);
SELECT dp_define_column('by_person', 'ill', categories => '{f,t}', complete => true);
SELECT dp_release('by_person', 'sba', 5000, 0, '{"dense_cells": 2}') AS r \gset
-- 398 numbers in tens are 40 persons of 9 or 10 rows: two rows of each
SELECT rows = 80 FROM dp_releases WHERE release = :r;

SET client_min_messages = warning;

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
SELECT status, reason FROM dp_ledger WHERE relation_name = 't50.crowded';
SELECT stage, round(noise_stddev::numeric) FROM dp_explain('crowded', 'sba', 1, 0, '{"dense_cells": 100}');
SELECT dp_release('crowded', 'sba', 1, 0, '{"dense_cells": 100}') > 0;
SET client_min_messages = error;
-- replaced: one unit goes and another comes, and each changes so many rows
CREATE VIEW crowded_2 AS SELECT * FROM crowded;
SELECT dp_protect('crowded_2', 1000, 0.1, 'replace_one', sensitivity => 200);
SELECT dp_define_column('crowded_2', c, categories => '{f,t}') FROM unnest('{ill,crowded}'::name[]) c;
SELECT stage, round(noise_stddev::numeric) FROM dp_explain('crowded_2', 'sba', 1, 0, '{"dense_cells": 100}');
-- under replace_one the number of rows of a view is secret, since it may leave a unit out
CREATE VIEW shown AS SELECT ill FROM people WHERE ward > 1;
SELECT dp_protect('shown', 1000, 0, 'replace_one');
SELECT dp_define_column('shown', 'ill', categories => '{f,t}', complete => true);
SELECT dp_protect('people', 1000, 0, 'replace_one');
SELECT count(DISTINCT rows_released('shown', 0.05)) > 1 AS noisy, rows_released('shown', 500) = 199 AS exact_at_500,
	   count(DISTINCT rows_released('people', 0.05)) > 1 AS noisy_table FROM generate_series(1, 12);
SET client_min_messages = warning;
-- what was spent under it stays with it
SELECT dp_unprotect('crowded');
CREATE OR REPLACE VIEW crowded AS SELECT ill, ill AS crowded FROM people;
SELECT dp_protect('crowded', 1000);
SELECT dp_protect('crowded', 1000, sensitivity => 100);

RESET SESSION AUTHORIZATION;
DROP SCHEMA t50 CASCADE;
DROP ROLE regress_dp_50_analyst;
DROP ROLE regress_dp_50_owner;
