-- Foreign keys into a tree besides those to the parents.
SET client_min_messages = error;
CREATE ROLE regress_dp_95_owner SUPERUSER;
CREATE ROLE regress_dp_95_analyst;
CREATE SCHEMA t95 AUTHORIZATION regress_dp_95_owner;
CREATE SCHEMA made95 AUTHORIZATION regress_dp_95_analyst;
GRANT USAGE ON SCHEMA t95 TO PUBLIC;
SET search_path = t95, public;
SET SESSION AUTHORIZATION regress_dp_95_owner;
CREATE TABLE patients (id integer PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE contacts (id integer PRIMARY KEY, near boolean NOT NULL, patient integer NOT NULL REFERENCES patients);
CREATE TABLE visits (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patients,
	contact integer REFERENCES contacts, seen_with integer REFERENCES patients, before integer REFERENCES visits,
	ward text NOT NULL CHECK (ward IN ('eye', 'heart')));
CREATE TABLE payments (id integer PRIMARY KEY, visit integer NOT NULL REFERENCES visits,
	patient integer NOT NULL REFERENCES patients ON DELETE CASCADE, paid boolean NOT NULL);
INSERT INTO patients SELECT i, i % 2 = 0 FROM generate_series(1, 400) i;
INSERT INTO contacts SELECT i, true, 1 + i % 400 FROM generate_series(1, 600) i;
INSERT INTO visits SELECT i, 1 + i % 400, 1, 2, NULL, CASE i / 400 WHEN 0 THEN 'eye' ELSE 'heart' END FROM generate_series(1, 600) i;
INSERT INTO payments SELECT v.id, v.id, v.patient, true FROM visits v;
SELECT dp_protect('patients', 1000000, 0.1);
SELECT dp_protect('contacts', parent => 'patients', max_rows_per_unit => 2);
SELECT dp_protect('visits', parent => 'patients', unit_column => 'patient', max_rows_per_unit => 2);
SELECT dp_protect('payments', parent => 'visits', max_rows_per_unit => 2);
SELECT dp_grant('patients', 'regress_dp_95_analyst', 500000, 0.01);
SET SESSION AUTHORIZATION regress_dp_95_analyst;
RESET client_min_messages;
-- that to visits themselves is left out
SELECT relation, refers_by, target, key FROM dp_catalog.dp_synthetic_links(ARRAY(SELECT t FROM dp_catalog.dp_tree_list('{patients,contacts,visits,payments}') t)) ORDER BY 1, 2;
SET client_min_messages = warning;
CREATE TEMP TABLE made AS
SELECT relation, rows FROM dp_create_synthetic('{patients,contacts,visits,payments}', 'made95', 200000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'made95'::regnamespace AND contype = 'f' ORDER BY 1, 2;
-- a payment is of the patient of its visit; other references are of any row
SELECT count(*) FILTER (WHERE p.patient IS DISTINCT FROM v.patient) AS of_others FROM made95.payments p JOIN made95.visits v ON v.id = p.visit;
SELECT count(*) - count(contact) AS no_contact, count(DISTINCT contact) > 100 AS many_contacts,
	   count(DISTINCT seen_with) > 100 AS many_patients, count(before) FROM made95.visits;
-- a row that a CHECK does not allow is drawn again, and what none allows is left out; of two foreign keys of one column, one
SET SESSION AUTHORIZATION regress_dp_95_owner;
SET client_min_messages = error;
CREATE TABLE users (id integer PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE rooms (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES users, near boolean NOT NULL);
CREATE TABLE messages (id integer PRIMARY KEY, sender integer NOT NULL REFERENCES users DEFERRABLE INITIALLY DEFERRED,
	reader integer REFERENCES users DEFERRABLE INITIALLY DEFERRED, receiver integer REFERENCES users,
	room integer REFERENCES rooms, answers integer REFERENCES rooms CHECK (answers < 0), read boolean NOT NULL, loud boolean NOT NULL, CHECK (sender <> receiver));
ALTER TABLE messages ADD FOREIGN KEY (sender) REFERENCES rooms;
ALTER TABLE messages ADD FOREIGN KEY (room) REFERENCES users;
INSERT INTO users SELECT i, i % 2 = 0 FROM generate_series(1, 20) i;
INSERT INTO rooms SELECT i, i, true FROM generate_series(1, 20) i;
INSERT INTO messages SELECT i, 1 + i % 20, 1, 1 + (i + 1) % 20, 1, NULL, true, false FROM generate_series(1, 600) i;
SELECT dp_protect('users', 1000000, 0.1);
SELECT dp_protect('rooms', parent => 'users', max_rows_per_unit => 1);
SELECT dp_protect('messages', parent => 'users', unit_column => 'sender', max_rows_per_unit => 40);
SELECT dp_grant('users', 'regress_dp_95_analyst', 500000, 0.01);
SET SESSION AUTHORIZATION regress_dp_95_analyst;
SELECT refers_by, target FROM dp_catalog.dp_synthetic_links(ARRAY(SELECT t FROM dp_catalog.dp_tree_list('{users,rooms,messages}') t)) ORDER BY 1;
CREATE TEMP TABLE made_too AS
SELECT relation, rows FROM dp_create_synthetic('{users,rooms,messages}', 'made95', 200000, 1e-9, '{"method": "mst"}', seed => 3);
SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE conrelid = 'made95.messages'::regclass AND contype = 'f' ORDER BY 1, 2;
SELECT count(receiver) > 590 AS receivers, count(*) FILTER (WHERE sender = receiver) AS to_themselves, count(DISTINCT reader) > 10 AS many_readers, count(DISTINCT room) > 10 AS many_rooms, count(answers) FROM made95.messages;
RESET SESSION AUTHORIZATION;
DROP SCHEMA t95, made95 CASCADE;
DROP OWNED BY regress_dp_95_owner, regress_dp_95_analyst;
DROP ROLE regress_dp_95_owner, regress_dp_95_analyst;
