-- Tables of several trees: references into another tree and to the same table hold existing keys, with the
-- share of NULL kept; UNIQUE ones each once. And a schema's tables, and tables from a stored release.
SET client_min_messages = error;
CREATE ROLE regress_dp_woods_analyst;
CREATE ROLE regress_dp_woods_reader;
CREATE SCHEMA woods;
CREATE SCHEMA made_woods;
GRANT USAGE ON SCHEMA woods TO regress_dp_woods_analyst, regress_dp_woods_reader;
GRANT USAGE, CREATE ON SCHEMA made_woods TO regress_dp_woods_analyst;
SET search_path = woods, public;
-- two trees that refer to each other: a doctor's first patient, a patient's doctor; a doctor's chief and deputy
CREATE TABLE doctor (id integer PRIMARY KEY, field text NOT NULL CHECK (field IN ('bone', 'eye', 'heart')), chief integer REFERENCES doctor,
	deputy integer UNIQUE REFERENCES doctor, CHECK (chief <> id));
CREATE TABLE patient (id uuid PRIMARY KEY, smoker boolean NOT NULL, doctor integer NOT NULL REFERENCES doctor);
ALTER TABLE doctor ADD first uuid UNIQUE REFERENCES patient;
CREATE TABLE visit (id integer PRIMARY KEY, patient uuid NOT NULL REFERENCES patient, doctor smallint REFERENCES doctor,
	kind text NOT NULL CHECK (kind IN ('first', 'again')), nurse integer NOT NULL REFERENCES doctor DEFERRABLE INITIALLY DEFERRED);
-- a key of several columns, beds of a ward, and one that is all of a primary key beside the parent's
CREATE TABLE bed (ward integer, number integer, window_side boolean NOT NULL, PRIMARY KEY (ward, number));
CREATE TABLE stay (visit integer REFERENCES visit, doctor integer REFERENCES doctor, paid boolean NOT NULL, ward integer, bed integer,
	PRIMARY KEY (visit, doctor), FOREIGN KEY (ward, bed) REFERENCES bed);
-- a badge for a doctor at most: more doctors than badges, and none without
CREATE TABLE badge (id text PRIMARY KEY, colour text NOT NULL CHECK (colour IN ('red', 'blue')));
CREATE TABLE guard (id integer PRIMARY KEY, night boolean NOT NULL, badge text NOT NULL UNIQUE REFERENCES badge);
CREATE TABLE round (id integer PRIMARY KEY, guard integer NOT NULL REFERENCES guard, late boolean NOT NULL);
-- everybody has an older one; the first is its own
CREATE TABLE branch (id integer PRIMARY KEY, size text NOT NULL CHECK (size IN ('s', 'l')), stem integer NOT NULL REFERENCES branch);
INSERT INTO doctor SELECT i, (ARRAY['bone', 'eye', 'heart'])[1 + i % 3], CASE WHEN i % 4 > 0 AND i > 4 THEN i / 2 END, CASE WHEN i % 5 = 0 THEN i - 1 END
  FROM generate_series(1, 200) i;
INSERT INTO patient SELECT md5(i::text)::uuid, i % 4 = 0, 1 + i % 200 FROM generate_series(1, 800) i;
UPDATE doctor SET first = md5(id::text)::uuid WHERE id % 2 = 0;
INSERT INTO visit SELECT 10 * i + j, md5(i::text)::uuid, CASE WHEN (i + j) % 3 > 0 THEN 1 + (i + j) % 200 END, CASE j WHEN 1 THEN 'first' ELSE 'again' END, 1 + i % 9
  FROM generate_series(1, 800) i, generate_series(1, 1 + i % 3) j;
INSERT INTO bed SELECT w, n, n = 1 FROM generate_series(1, 20) w, generate_series(1, 4) n;
INSERT INTO stay SELECT v.id, 1 + (v.id + j) % 200, j = 1, CASE WHEN v.id % 2 = 0 THEN 1 + v.id % 20 END, CASE WHEN v.id % 2 = 0 THEN 1 + v.id % 4 END
  FROM visit v, generate_series(1, 2) j;
INSERT INTO badge SELECT 'b' || i, (ARRAY['red', 'blue'])[1 + i % 2] FROM generate_series(1, 120) i;
INSERT INTO guard SELECT i, i % 2 = 0, 'b' || i FROM generate_series(1, 100) i;
INSERT INTO round SELECT 10 * i + j, i, j = 1 FROM generate_series(1, 100) i, generate_series(1, 2) j;
INSERT INTO branch SELECT i, CASE i % 2 WHEN 0 THEN 's' ELSE 'l' END, greatest(i / 2, 1) FROM generate_series(1, 300) i;
SELECT dp_protect(r, 10000, 1e-3) FROM unnest('{doctor,patient,bed,badge,guard,branch}'::regclass[]) r;
SELECT dp_protect('visit', parent => 'patient', max_rows_per_unit => 3), dp_protect('stay', parent => 'visit', max_rows_per_unit => 2),
	   dp_protect('round', parent => 'guard', max_rows_per_unit => 2);
SELECT dp_grant(r, 'regress_dp_woods_analyst', 6000, 1e-4) FROM unnest('{doctor,patient,bed,badge,guard,branch}'::regclass[]) r;
\pset format unaligned
\pset tuples_only on
\pset null NULL
\set SHOW_CONTEXT never

-- ---- all of it, by the name of the schema
SET client_min_messages = warning;
SET SESSION AUTHORIZATION regress_dp_woods_analyst;
SELECT relation, synthetic, abs(rows - n) <= 8 FROM dp_create_synthetic('woods', 'made_woods', 3000, 1e-9, '{"method": "mst"}', seed => 3)
  JOIN (VALUES ('doctor', 200), ('patient', 800), ('visit', 1599), ('bed', 80), ('stay', 3198), ('badge', 120), ('guard', 100), ('round', 200), ('branch', 300)) v (name, n) ON v.name = relation::text;
-- with every key that there is
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'made_woods'::regnamespace AND contype IN ('f', 'p', 'u') ORDER BY conrelid::regclass::text COLLATE "C", 2;
-- columns that refer are NULL as often as there
SELECT abs(avg((chief IS NULL)::int) - 0.26) < 0.04, abs(avg((deputy IS NULL)::int) - 0.8) < 0.04, abs(avg((first IS NULL)::int) - 0.5) < 0.04 FROM made_woods.doctor;
SELECT abs(avg((doctor IS NULL)::int) - 0.333) < 0.03, count(DISTINCT doctor) > 150, count(DISTINCT nurse) > 150 FROM made_woods.visit;
SELECT abs(avg((ward IS NULL)::int) - 0.667) < 0.03, avg(((ward IS NULL) <> (bed IS NULL))::int), count(DISTINCT (ward, bed)) > 70 FROM made_woods.stay;
-- no circle: who goes up from chief to chief comes to an end
WITH RECURSIVE up (id, at, steps) AS (SELECT id, chief, 0 FROM made_woods.doctor UNION ALL SELECT u.id, d.chief, u.steps + 1 FROM up u JOIN made_woods.doctor d ON d.id = u.at WHERE u.steps < 250)
SELECT max(steps) < 60, bool_and(at IS NULL) FILTER (WHERE steps = 249) FROM up;
SELECT bool_and(chief < id), bool_and(deputy < id) FROM made_woods.doctor;
SELECT bool_and(stem < id OR id = 1), min(stem), count(DISTINCT stem) > 50 FROM made_woods.branch;
-- UNIQUE references
SELECT count(first) = count(DISTINCT first), count(first) > 80 FROM made_woods.doctor;
SELECT count(*) = count(DISTINCT badge) FROM made_woods.guard;
-- a deferred key holds
SELECT condeferrable, condeferred FROM pg_constraint WHERE conrelid = 'made_woods.visit'::regclass AND conname ~ 'nurse' AND contype = 'f';

-- ---- from what is stored: the same rows with the same seed, others with another, and at no cost
RESET SESSION AUTHORIZATION;
SELECT max(forest) AS release FROM dp_releases WHERE relation_name LIKE 'woods.%' \gset
SELECT sum(epsilon_spent) AS spent FROM dp_datasets \gset
CREATE SCHEMA again AUTHORIZATION regress_dp_woods_analyst;
SET SESSION AUTHORIZATION regress_dp_woods_analyst;
SELECT count(*) FROM dp_create_synthetic('woods', 'again', release => :release, seed => 3);
SELECT count(*) FROM ((TABLE made_woods.visit EXCEPT TABLE again.visit) UNION ALL (TABLE again.visit EXCEPT TABLE made_woods.visit)) x;
SELECT count(*) FROM ((TABLE made_woods.stay EXCEPT TABLE again.stay) UNION ALL (TABLE again.stay EXCEPT TABLE made_woods.stay)) x;
DROP SCHEMA again CASCADE;
RESET SESSION AUTHORIZATION;
CREATE SCHEMA again;
-- somebody else: not before it is shared
GRANT USAGE, CREATE ON SCHEMA again TO regress_dp_woods_reader;
SET SESSION AUTHORIZATION regress_dp_woods_reader;
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_create_synthetic('{doctor,patient,visit,bed,stay,badge,guard,round,branch}', 'again', release => :release, seed => 4);
\set VERBOSITY default
SET SESSION AUTHORIZATION regress_dp_woods_analyst;
SELECT dp_grant(:release, 'regress_dp_woods_reader');
SET SESSION AUTHORIZATION regress_dp_woods_reader;
SELECT relation, rows FROM dp_create_synthetic('{doctor,patient,visit,bed,stay,badge,guard,round,branch}', 'again', release => :release, seed => 4,
	options => '{"rows": {"doctor": 50, "patient": 100, "guard": 30, "badge": 20, "bed": 8, "branch": 3}}') WHERE relation::text IN ('doctor', 'patient', 'guard', 'badge', 'bed', 'branch');
-- twenty badges are for twenty guards; the rounds of others are gone with them
SELECT (SELECT count(*) FROM again.guard), (SELECT count(*) FROM again.round WHERE guard NOT IN (SELECT id FROM again.guard)), (SELECT count(DISTINCT badge) FROM again.guard);
SELECT count(*) FROM pg_constraint WHERE connamespace = 'again'::regnamespace AND contype = 'f';
RESET SESSION AUTHORIZATION;
SELECT sum(epsilon_spent) = :spent FROM dp_datasets;

-- ---- judged: each table by itself, and across the keys to the parents that they are protected with
SELECT columns, value, synthetic FROM dp_evaluate('{doctor,patient,visit,bed,stay,badge,guard,round,branch}',
	'{made_woods.doctor,made_woods.patient,made_woods.visit,made_woods.bed,made_woods.stay,made_woods.badge,made_woods.guard,made_woods.round,made_woods.branch}')
 WHERE measure = 'orphans' ORDER BY columns;
SELECT dp_report('{doctor,patient,visit}', '{made_woods.doctor,made_woods.patient,made_woods.visit}') ~ 'visit\.kind';
SELECT dp_report(:release) ~ 'By the same call';

-- ---- what is refused
\set VERBOSITY default
SELECT count(*) FROM dp_create_synthetic('woods', 'again');
SELECT count(*) FROM dp_create_synthetic('woods', 'again', 1, release => :release);
SELECT count(*) FROM dp_create_synthetic('{doctor}', 'again', 1, options => '{"rows": -1}');
SELECT count(*) FROM dp_create_synthetic('{doctor,bed}', 'again', 1, 1e-9, options => '{"rows": 5}');
SELECT count(*) FROM dp_create_synthetic('woods', 'again', release => :release, options => '{"method": "mst"}');
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_create_synthetic('{doctor,patient}', 'again', release => :release);
\set VERBOSITY default
CREATE TABLE colour (name text PRIMARY KEY);
CREATE TABLE season (name text PRIMARY KEY, starts date);
SELECT count(*) FROM dp_create_synthetic('woods', 'again', 1);
DROP TABLE colour, season;
SELECT count(*) FROM dp_create_synthetic('no_such', 'again', 1);
CREATE SCHEMA empty_woods;
SELECT count(*) FROM dp_create_synthetic('empty_woods', 'again', 1);
SET SESSION AUTHORIZATION regress_dp_woods_reader;
SELECT count(*) FROM dp_create_synthetic('woods', 'empty_woods', 1);
RESET SESSION AUTHORIZATION;

-- ---- names as people write them, and one that PostgreSQL has a type of
SET client_min_messages = error;
CREATE TABLE "People" (id integer PRIMARY KEY, flag boolean NOT NULL);
CREATE TABLE people (id integer PRIMARY KEY, flag boolean NOT NULL);
CREATE TABLE "Order Lines" (id integer PRIMARY KEY, person integer NOT NULL REFERENCES "People", flag boolean NOT NULL);
CREATE TABLE line (id integer PRIMARY KEY, flag boolean NOT NULL);
INSERT INTO "People" SELECT i, i % 2 = 0 FROM generate_series(1, 100) i;
INSERT INTO "Order Lines" SELECT i, i, i % 2 = 0 FROM generate_series(1, 100) i;
SELECT dp_protect('"People"', 1000, 1e-3), dp_protect('line', 1000, 1e-3);
SELECT dp_protect('"Order Lines"', parent => '"People"', max_rows_per_unit => 1);
SELECT relation FROM dp_create_synthetic('{"People","Order Lines"}', 'empty_woods', 100, 1e-9, '{"method": "mst"}', seed => 1);
SELECT dp_catalog.dp_relations_named('{"people","People",woods.people}'), dp_catalog.dp_relations_named('{People}');
SELECT count(*) FROM dp_sample(NULL::line, 1);
\set VERBOSITY sqlstate
SELECT count(*) FROM dp_sample(NULL::woods.line, 0);
\set VERBOSITY default

RESET search_path;
DROP SCHEMA woods, made_woods, again, empty_woods CASCADE;
DROP ROLE regress_dp_woods_analyst, regress_dp_woods_reader;
