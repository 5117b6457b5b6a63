-- databases whose keys begin with the tenant, with partitions and tables that inherit, and friends of which each pair is once
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = error;
CREATE SCHEMA many;
CREATE SCHEMA many_copy;
CREATE TABLE many.tenant (id integer PRIMARY KEY, name text NOT NULL, country char(2) NOT NULL);
INSERT INTO many.tenant SELECT i, 'university ' || i, 'DE' FROM generate_series(1, 4) i;
CREATE TABLE many.course (tenant integer REFERENCES many.tenant, code varchar(10), ects integer NOT NULL, PRIMARY KEY (tenant, code));
INSERT INTO many.course SELECT t, 'C' || lpad(c::text, 4, '0'), 5 FROM generate_series(1, 4) t, generate_series(1, 60) c;
CREATE TABLE many.lecturer (tenant integer REFERENCES many.tenant, id integer, first_name text NOT NULL, last_name text NOT NULL, PRIMARY KEY (tenant, id));
INSERT INTO many.lecturer SELECT 1 + i % 4, i, 'f' || i % 7, 'l' || i FROM generate_series(1, 400) i;
CREATE TABLE many.offering (tenant integer, id integer, code varchar(10) NOT NULL, term integer NOT NULL CHECK (term BETWEEN 1 AND 10), lecturer integer NOT NULL,
	PRIMARY KEY (tenant, id), UNIQUE (tenant, code, term), FOREIGN KEY (tenant, code) REFERENCES many.course, FOREIGN KEY (tenant, lecturer) REFERENCES many.lecturer);
INSERT INTO many.offering SELECT 1 + l % 4, l * 3 + k, 'C' || lpad((1 + (l * 7 + k * 11) % 60)::text, 4, '0'), 1 + (l / 60 * 3 + k) % 10, l
  FROM generate_series(1, 400) l, generate_series(0, 1) k ON CONFLICT DO NOTHING;
CREATE TABLE many.student (tenant integer REFERENCES many.tenant, id integer, last_name text NOT NULL, birth date NOT NULL CHECK (birth BETWEEN '1980-01-01' AND '2005-01-01'), PRIMARY KEY (tenant, id));
INSERT INTO many.student SELECT 1 + i % 4, i, 'l' || i, date '1980-01-01' + i % 9000 FROM generate_series(1, 1500) i;
CREATE TABLE many.thesis (tenant integer, student integer, supervisor integer NOT NULL, iban char(22) NOT NULL, PRIMARY KEY (tenant, student),
	FOREIGN KEY (tenant, student) REFERENCES many.student, FOREIGN KEY (tenant, supervisor) REFERENCES many.lecturer);
INSERT INTO many.thesis SELECT tenant, id, tenant - 1 + 4 * (1 + id % 90), 'DE' || lpad(id::text, 20, '0') FROM many.student WHERE id % 3 = 0;
CREATE TABLE many.friend (id serial PRIMARY KEY, a integer NOT NULL, b integer NOT NULL, tenant integer NOT NULL, CHECK (a < b), UNIQUE (tenant, a, b),
	FOREIGN KEY (tenant, a) REFERENCES many.student, FOREIGN KEY (tenant, b) REFERENCES many.student);
INSERT INTO many.friend (a, b, tenant) SELECT i, i + 4 * k, 1 + i % 4 FROM generate_series(1, 1400) i, generate_series(1, i % 3) k;
CREATE TABLE many.claim (id integer, region text, reported date CHECK (reported BETWEEN '2020-01-01' AND '2021-12-31'), tenant integer NOT NULL, student integer NOT NULL,
	PRIMARY KEY (id, region, reported), FOREIGN KEY (tenant, student) REFERENCES many.student) PARTITION BY LIST (region);
CREATE TABLE many.claim_n PARTITION OF many.claim FOR VALUES IN ('north', 'east');
CREATE TABLE many.claim_s PARTITION OF many.claim FOR VALUES IN ('south');
INSERT INTO many.claim SELECT s.id, (ARRAY['north', 'east', 'south'])[1 + s.id % 3], date '2020-01-01' + s.id % 700, s.tenant, s.id FROM many.student s;
CREATE TABLE many.claim_status (claim integer, region text, reported date, since date NOT NULL CHECK (since BETWEEN '2020-01-01' AND '2022-12-31'),
	PRIMARY KEY (claim, region, reported, since), FOREIGN KEY (claim, region, reported) REFERENCES many.claim);
INSERT INTO many.claim_status SELECT id, region, reported, reported + k * 20 FROM many.claim, generate_series(0, id % 2) k;
-- refers to an earlier one by two columns, each of which is NULL where the other is
CREATE TABLE many.device (tenant integer REFERENCES many.tenant, id integer, student integer NOT NULL, address inet UNIQUE, old_tenant integer, old_id integer, PRIMARY KEY (tenant, id), UNIQUE (old_tenant, old_id),
	FOREIGN KEY (tenant, student) REFERENCES many.student, FOREIGN KEY (old_tenant, old_id) REFERENCES many.device, CHECK ((old_tenant IS NULL) = (old_id IS NULL)));
INSERT INTO many.device SELECT 1 + i % 4, i, i, ('10.0.' || i / 200 || '.' || i % 200)::inet, CASE WHEN i % 3 = 0 AND i > 8 THEN 1 + i % 4 END, CASE WHEN i % 3 = 0 AND i > 8 THEN i - 8 END FROM generate_series(1, 1500) i;
-- columns are called as tables are in the statements that fill them
CREATE TABLE many.party (id serial PRIMARY KEY, since date NOT NULL CHECK (since BETWEEN '2000-01-01' AND '2001-12-31'), c integer REFERENCES many.party, drawn date CHECK (drawn > '2000-01-01'));
CREATE TABLE many.garage (brand text NOT NULL) INHERITS (many.party);
INSERT INTO many.party (since, c, drawn) SELECT date '2000-01-01' + i % 300, CASE WHEN i % 4 = 0 AND i > 10 THEN i - 5 END, date '2001-01-01' + i FROM generate_series(1, 300) i;
INSERT INTO many.garage (since, brand, drawn) SELECT date '2001-01-01' + i % 300, 'vw', date '2001-01-01' + i FROM generate_series(1, 300) i;
-- a tenant is no person, what a column holds that rows belong by is no order, and IBANs are numbered
SELECT regexp_replace(line, ' --.*', '') FROM dp_suggest_protection('many') line WHERE line ~ '^SELECT.*(_protect|_public)|iban|region';
SELECT replace(line, 'epsilon => 10,', 'epsilon => 1000000,') FROM dp_suggest_protection('many') line
\set ECHO none
\o /dev/null
\gexec
SELECT * FROM dp_create_synthetic('many', 'many_copy', 3000, 1e-9, '{"method": "mst"}', 1);
\o
\set ECHO all
-- each constraint is kept, but for what inherits
SELECT c.conrelid::regclass, c.conname FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
 WHERE c.connamespace = 'many'::regnamespace AND NOT r.relispartition AND c.conrelid <> 'many.garage'::regclass AND c.conparentid = 0
EXCEPT SELECT replace(c.conrelid::regclass::text, 'many_copy', 'many')::regclass, c.conname FROM pg_constraint c WHERE c.connamespace = 'many_copy'::regnamespace
 ORDER BY 1, 2;
SELECT abs(count(*) - (SELECT count(*) FROM many.offering)) < 100, count(DISTINCT code) > 50, bool_and(code ~ '^C00[0-9]{2}$') FROM many_copy.offering;
SELECT abs(count(*) - 500) < 25, count(DISTINCT supervisor) > 200, bool_and(iban ~ '^DE0{10}') FROM many_copy.thesis;
SELECT count(*) > 0.85 * (SELECT count(*) FROM many.friend), bool_and(a < b) FROM many_copy.friend;
SELECT region, abs(count(*) - 500) < 30 FROM many_copy.claim GROUP BY 1 ORDER BY 1;
SELECT abs(count(*) - 600) < 20, abs(count(c) - 73) < 20, count(drawn) > 550 FROM many_copy.party;
SELECT abs(count(*) - 1500) < 30, abs(count(old_id) - 500) < 60, count(DISTINCT address) = count(*) FROM many_copy.device;
DROP SCHEMA many, many_copy CASCADE;
