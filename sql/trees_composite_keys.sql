-- Foreign keys of several columns: whose a row is, what both tables hold of the key, and what is refused.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t96;
CREATE SCHEMA made96;
CREATE ROLE regress_dp_96_owner;
CREATE ROLE regress_dp_96_analyst;
GRANT USAGE, CREATE ON SCHEMA t96 TO regress_dp_96_owner;
GRANT USAGE ON SCHEMA t96 TO regress_dp_96_analyst;
GRANT USAGE, CREATE ON SCHEMA made96 TO regress_dp_96_analyst;
SET search_path = t96, public;
SET SESSION AUTHORIZATION regress_dp_96_owner;
SET client_min_messages = error;

-- ---- visits of a patient are numbered, and payments of a visit: (patient), (patient, visit), (patient, visit, payment)
CREATE TABLE patients (id integer PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE visits (patient integer REFERENCES patients, visit smallint, ward text NOT NULL CHECK (ward IN ('eye', 'heart', 'bone')), PRIMARY KEY (patient, visit));
CREATE TABLE payments (patient integer REFERENCES patients, visit smallint, payment integer, paid boolean NOT NULL,
	PRIMARY KEY (patient, visit, payment), FOREIGN KEY (patient, visit) REFERENCES visits ON DELETE CASCADE);
INSERT INTO patients SELECT i, i % 3 = 0 FROM generate_series(1, 1200) i;
-- the first visit of a man is to heart, others to bone; women go to eye
INSERT INTO visits SELECT i, j, CASE WHEN i % 3 = 0 THEN 'eye' WHEN j = 1 THEN 'heart' ELSE 'bone' END
  FROM generate_series(1, 1200) i, generate_series(1, 3) j WHERE i % 4 > 0 OR j < 2 ORDER BY md5(i || ' ' || j);
INSERT INTO payments SELECT patient, visit, l, ward = 'eye' FROM visits, generate_series(1, 2) l WHERE l < 2 OR ward = 'bone';
SELECT dp_protect('patients', 1000000, 0.1), dp_protect('visits', parent => 'patients', max_rows_per_unit => 3), dp_protect('payments', parent => 'visits', max_rows_per_unit => 2);
-- beside the whole reference a column means something, unless it is said to count
SELECT relation, column_name, kind, source FROM dp_columns WHERE column_name IN ('visit', 'payment') ORDER BY relation::text, ordinal;
SELECT dp_define_column('visits', 'visit', fill => '{place}'), dp_define_column('payments', 'payment', fill => '{place}');
SELECT relation, parent, unit_column, max_rows_per_unit FROM dp_datasets ORDER BY 1;
SELECT relation, column_name, labels FROM dp_columns WHERE kind IN ('key', 'fill') ORDER BY relation::text, ordinal;
SELECT dp_grant('patients', 'regress_dp_96_analyst', 900000, 0.01), dp_grant('visits', 'regress_dp_96_analyst', 900000, 0.01), dp_grant('payments', 'regress_dp_96_analyst', 900000, 0.01);
SET SESSION AUTHORIZATION regress_dp_96_analyst;
SET client_min_messages = warning;
SELECT relation, abs(rows - CASE relation::text WHEN 'patients' THEN 1200 WHEN 'visits' THEN 3000 ELSE 4200 END) < 50 FROM dp_create_synthetic('{patients,visits,payments}', 'made96', 200000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'made96'::regnamespace AND contype IN ('f', 'p') ORDER BY 1, 2;
-- numbers are those of the rows of one parent, in whose order they follow each other
SELECT count(*) FILTER (WHERE visit > n) AS beyond, count(*) FILTER (WHERE ward = 'heart' AND visit > 1) AS late, count(*) FILTER (WHERE ward = 'bone' AND visit = 1) AS early
  FROM (SELECT *, count(*) OVER (PARTITION BY patient) AS n FROM made96.visits) v;
SELECT v.ward, p.sex, y.paid, max(y.payment), abs(count(*) - CASE v.ward WHEN 'bone' THEN 2400 WHEN 'eye' THEN 1000 ELSE 800 END) < 50 FROM made96.payments y JOIN made96.visits v USING (patient, visit) JOIN made96.patients p ON p.id = y.patient GROUP BY 1, 2, 3 ORDER BY 1;
SELECT v.ward, p.sex, y.paid, max(y.payment), count(*) FROM dp_query(NULL::payments, '{count(*)}', 1000, by => '{paid,visits.ward,patients.sex}') q
  CROSS JOIN LATERAL (SELECT q.cell ->> 'visits.ward' AS ward) v CROSS JOIN LATERAL (SELECT q.cell ->> 'patients.sex' AS sex) p CROSS JOIN LATERAL (SELECT q.cell ->> 'paid' AS paid, round(q.estimate) AS payment) y
 WHERE q.estimate > 1 GROUP BY 1, 2, 3 ORDER BY 1;
-- whichever table is drawn first, and in parts
SELECT max(release) AS release FROM dp_releases WHERE method = 'mst' \gset
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::payments, :release, seed => 3) EXCEPT SELECT * FROM made96.payments) x;
SELECT count(*) > 5000, count(*) - count(v.visit), count(*) - count(DISTINCT (y.patient, y.visit, y.payment)) FROM dp_sample(NULL::payments, :release, rows => 3000, seed => 4) y
  LEFT JOIN dp_sample(NULL::visits, :release, rows => 3000, seed => 4) v USING (patient, visit);
SELECT count(*) FROM (SELECT * FROM dp_sample(NULL::payments, :release, rows => 3000, seed => 4) EXCEPT
 (SELECT * FROM dp_sample(NULL::payments, :release, rows => 3000, seed => 4, part => 1, parts => 2) UNION ALL SELECT * FROM dp_sample(NULL::payments, :release, rows => 3000, seed => 4, part => 2, parts => 2))) x;
-- drawn alone each row is another unit
SELECT count(*) > 3000, count(DISTINCT (patient, visit, payment)) = count(*), max(payment) FROM dp_synthesize(NULL::payments, 1000, 1e-9);
RESET SESSION AUTHORIZATION;
SELECT columns, value FROM dp_evaluate('{patients,visits,payments}', '{made96.patients,made96.visits,made96.payments}') WHERE measure = 'orphans';
SET SESSION AUTHORIZATION regress_dp_96_owner;
SET client_min_messages = error;

-- ---- a key that has a part with a meaning: both tables hold it, and it is modelled once
CREATE TABLE wards (site text CHECK (site IN ('north', 'south', 'east')), number bigint, big boolean NOT NULL, PRIMARY KEY (site, number));
CREATE TABLE beds (id integer PRIMARY KEY, site text, ward integer, broken boolean NOT NULL, FOREIGN KEY (site, ward) REFERENCES wards MATCH FULL);
CREATE TABLE stays (site text, ward bigint, bed integer, nr integer, long boolean NOT NULL, UNIQUE (site, ward, nr), FOREIGN KEY (site, ward) REFERENCES wards);
INSERT INTO wards SELECT (ARRAY['north', 'south', 'east'])[1 + i % 3], i, i % 6 < 3 FROM generate_series(1, 600) i;
INSERT INTO beds SELECT 2 * number + i, site, number, site = 'north' FROM wards, generate_series(1, 2) i;
INSERT INTO beds SELECT 10000 + i, NULL, NULL, true FROM generate_series(1, 50) i;
-- (site, NULL) leads nowhere
INSERT INTO stays SELECT site, ward, id, NULL, site = 'south' FROM beds WHERE site IS NOT NULL;
INSERT INTO stays SELECT 'north', NULL, 1, NULL, true FROM generate_series(1, 50) i;
SELECT dp_protect('wards', 1000000, 0.1), dp_protect('beds', parent => 'wards', max_rows_per_unit => 3), dp_protect('stays', parent => 'wards', max_rows_per_unit => 1);
SELECT dp_define_column('stays', 'nr', fill => '{place}');
SELECT dp_grant('wards', 'regress_dp_96_analyst', 900000, 0.01), dp_grant('beds', 'regress_dp_96_analyst', 900000, 0.01), dp_grant('stays', 'regress_dp_96_analyst', 900000, 0.01);
SET SESSION AUTHORIZATION regress_dp_96_analyst;
SELECT relation, abs(rows - CASE relation::text WHEN 'beds' THEN 1200 ELSE 600 END) < 20 FROM dp_create_synthetic('{wards,beds,stays}', 'made96', 200000, 1e-9, '{"method": "aim"}', seed => 3);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'made96'::regnamespace AND contype = 'f' AND confrelid = 'made96.wards'::regclass ORDER BY 1;
SELECT b.site, b.broken, abs(count(*) - 400) < 20, abs(count(DISTINCT (w.site, w.number)) - 200) < 10 FROM made96.beds b JOIN made96.wards w ON (w.site, w.number) = (b.site, b.ward) GROUP BY 1, 2 ORDER BY 1;
SELECT max(release) AS release FROM dp_releases \gset
SELECT count(*) > 5000, count(*) - count(w.site) FROM dp_sample(NULL::beds, :release, rows => 3000, seed => 5) b LEFT JOIN dp_sample(NULL::wards, :release, rows => 3000, seed => 5) w ON (w.site, w.number) = (b.site, b.ward);
SELECT abs(estimate - 400) < 20 FROM dp_answer(:release, '{broken,wards.site}', '{"wards.site": "north"}', relation => 'beds') WHERE estimate > 1;
-- of each ward one stay is read, and no stay without a ward
SELECT cell, round(estimate) FROM dp_query(NULL::stays, '{count(*)}', 1000, by => '{wards.site}') ORDER BY 1;
SELECT round(estimate) FROM dp_query(NULL::stays, '{count(*)}', 1000);
-- a unit that two columns tell, two tables up: of the six repairs of each ward three are read
SET SESSION AUTHORIZATION regress_dp_96_owner;
SET client_min_messages = error;
CREATE TABLE repairs (id integer PRIMARY KEY, bed integer REFERENCES beds, dear boolean NOT NULL);
INSERT INTO repairs SELECT 3 * b.id + i, b.id, coalesce(b.site = 'east', false) FROM beds b, generate_series(0, 2) i;
SELECT dp_protect('repairs', parent => 'beds', max_rows_per_unit => 1);
SELECT dp_grant('repairs', 'regress_dp_96_analyst', 900000, 0.01);
SET SESSION AUTHORIZATION regress_dp_96_analyst;
SET client_min_messages = warning;
-- 50 beds without a ward are nobody's
SELECT cell, round(estimate) FROM dp_query(NULL::repairs, '{count(*)}', 1000, by => '{dear}') ORDER BY 1;
SELECT cell, round(estimate) FROM dp_query(NULL::repairs, '{count(*)}', 1000, by => '{wards.site}') ORDER BY 1;

-- what a dictionary gives for a column of the key is given for the parent's value
SET SESSION AUTHORIZATION regress_dp_96_owner;
SET client_min_messages = error;
CREATE TABLE lamps (id integer PRIMARY KEY, site text, region text NOT NULL, ward bigint, day date, tags text[] NOT NULL, lit boolean NOT NULL,
	FOREIGN KEY (site, ward) REFERENCES wards ON DELETE SET NULL (ward));
INSERT INTO lamps SELECT number, site, 'of ' || site, number, '2024-01-01', '{x}', site = 'north' FROM wards;
SELECT dp_protect('lamps', parent => 'wards', max_rows_per_unit => 2);
SELECT dp_define_column('lamps', 'site', categories => '{north,south,east}', complete => true),
	   dp_define_column('lamps', 'region', domain => '{"north": "of north", "south": "of south", "east": "of east"}', derived_from => 'site');
SET SESSION AUTHORIZATION regress_dp_96_analyst;
DROP TABLE made96.wards CASCADE;
SET client_min_messages = warning;
SELECT relation, rows > 500 FROM dp_create_synthetic('{wards,lamps}', 'made96', 100000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT l.region, l.site, count(*) > 100, bool_and(l.lit = (l.site = 'north')), count(DISTINCT l.tags) FROM made96.lamps l JOIN made96.wards w ON (w.site, w.number) = (l.site, l.ward) GROUP BY 1, 2 ORDER BY 1;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'made96.lamps'::regclass AND contype = 'f';
-- lines hold a tenant that is that of their order, and not that of its customer: it is no link to tenants
SET SESSION AUTHORIZATION regress_dp_96_owner;
SET client_min_messages = error;
CREATE TABLE tenants (id integer PRIMARY KEY, big boolean NOT NULL);
CREATE TABLE customers (id integer PRIMARY KEY, tenant integer NOT NULL REFERENCES tenants, vip boolean NOT NULL);
CREATE TABLE orders (tenant integer REFERENCES tenants, no integer, customer integer NOT NULL REFERENCES customers, big boolean NOT NULL, PRIMARY KEY (tenant, no));
CREATE TABLE lines (id integer PRIMARY KEY, tenant integer REFERENCES tenants, no integer, red boolean NOT NULL, FOREIGN KEY (tenant, no) REFERENCES orders);
SELECT dp_protect('tenants', 10, 0.1), dp_protect('customers', parent => 'tenants'), dp_protect('orders', parent => 'customers'), dp_protect('lines', parent => 'orders');
SELECT relation, refers_by, target FROM dp_catalog.dp_synthetic_links(ARRAY(SELECT t FROM dp_catalog.dp_tree_list('{tenants,customers,orders,lines}') t));
SELECT relation, refers_by, target FROM dp_catalog.dp_synthetic_links(ARRAY(SELECT t FROM dp_catalog.dp_tree_list('{patients,visits,payments}') t));

-- ---- what is refused, with nothing spent
SET SESSION AUTHORIZATION regress_dp_96_owner;
SET client_min_messages = error;
CREATE TABLE days (day date CHECK (day BETWEEN '2020-01-01' AND '2024-12-31'), nr integer, wet boolean NOT NULL, PRIMARY KEY (day, nr));
CREATE TABLE trips (id integer PRIMARY KEY, day date, first integer, last integer, far boolean NOT NULL,
	FOREIGN KEY (day, first) REFERENCES days, FOREIGN KEY (day, last) REFERENCES days);
CREATE TABLE plans (a integer CHECK (a IN (1, 2)), b integer CHECK (b IN (1, 2)), big boolean NOT NULL, PRIMARY KEY (a, b));
CREATE TABLE steps (id integer PRIMARY KEY, a integer, b integer, far boolean NOT NULL, FOREIGN KEY (a, b) REFERENCES plans);
INSERT INTO days SELECT '2020-01-01'::date + i, 1, i % 2 = 0 FROM generate_series(1, 500) i;
INSERT INTO trips SELECT i, '2020-01-01'::date + i, 1, 1, i % 2 = 0 FROM generate_series(1, 500) i;
SELECT dp_protect('days', 10, 0.1), dp_protect('plans', 10, 0.1);
SELECT dp_protect('trips', parent => 'days', max_rows_per_unit => 2);
SELECT dp_protect('trips', parent => 'days', unit_column => 'day', max_rows_per_unit => 2);
SELECT dp_protect('trips', parent => 'days', unit_column => 'far', max_rows_per_unit => 2);
SELECT dp_protect('trips', parent => 'days', unit_column => 'last', max_rows_per_unit => 2), dp_protect('steps', parent => 'plans', max_rows_per_unit => 2);
SELECT unit_column FROM dp_datasets WHERE relation = 'trips'::regclass;
-- a date is drawn within a bin, and is that of the parent's row; two columns that are modelled tell no two rows apart
SELECT dp_release('{days,trips}', 'aim', 1, 1e-9) > 0;
SELECT dp_release('{plans,steps}', 'aim', 1, 1e-9);
-- a kind does, since no two rows of a patient get the same
CREATE TABLE kinds (patient integer REFERENCES patients, kind text NOT NULL CHECK (kind IN ('a', 'b', 'c')), PRIMARY KEY (kind, patient));
CREATE TABLE bills (id integer PRIMARY KEY, patient integer, kind text, paid boolean NOT NULL, FOREIGN KEY (kind, patient) REFERENCES kinds);
SELECT dp_protect('kinds', parent => 'patients', max_rows_per_unit => 3), dp_protect('bills', parent => 'kinds', max_rows_per_unit => 2);
INSERT INTO kinds SELECT i, k FROM generate_series(1, 1000) i, unnest('{a,b}'::text[]) k;
INSERT INTO bills SELECT i, i, 'b', i % 2 = 0 FROM generate_series(1, 1000) i;
SELECT dp_release('{patients,kinds,bills}', 'aim', 1, 1e-9) AS release \gset
SELECT count(*) > 10 AS many, count(*) - count(DISTINCT (patient, kind)) AS repeated FROM dp_sample(NULL::kinds, :release, seed => 1);
SELECT count(*) > 10 AS many, count(*) - count(k.kind) AS orphans FROM dp_sample(NULL::bills, :release, seed => 1) b LEFT JOIN dp_sample(NULL::kinds, :release, seed => 1) k USING (patient, kind);
SELECT epsilon_spent FROM dp_datasets WHERE relation IN ('days'::regclass, 'plans'::regclass) ORDER BY 1;
SELECT dp_define_column('days', 'day', fill => '2020-01-01');
SELECT dp_release('{days,trips}', 'aim', 1, 1e-9) AS release \gset
SELECT count(DISTINCT t.day), count(*) > 100, count(*) - count(d.day) FROM dp_sample(NULL::trips, :release, seed => 1) t LEFT JOIN dp_sample(NULL::days, :release, seed => 1) d ON (d.day, d.nr) = (t.day, t.last);
-- a key with PERIOD leads to several rows of the parent; before PostgreSQL 18 there is none
CREATE TABLE seats (id int4range, valid daterange, soft boolean NOT NULL);
CREATE TABLE tickets (nr integer PRIMARY KEY, seat int4range, valid daterange, sold boolean NOT NULL);
DO $$ BEGIN
	IF current_setting('server_version_num')::int >= 180000 THEN
		EXECUTE 'ALTER TABLE seats ADD PRIMARY KEY (id, valid WITHOUT OVERLAPS)';
		EXECUTE 'ALTER TABLE tickets ADD FOREIGN KEY (seat, PERIOD valid) REFERENCES seats (id, PERIOD valid)';
	END IF;
END $$;
SELECT dp_protect('seats', 10, 0.1);
SELECT dp_protect('tickets', parent => 'seats', max_rows_per_unit => 2);
-- a key that was dropped says no more whose a row is
ALTER TABLE beds DROP CONSTRAINT beds_site_ward_fkey;
SELECT dp_release('{wards,beds}', 'aim', 1, 1e-9);
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t96, made96 CASCADE;
DROP OWNED BY regress_dp_96_owner, regress_dp_96_analyst;
DROP ROLE regress_dp_96_owner, regress_dp_96_analyst;
