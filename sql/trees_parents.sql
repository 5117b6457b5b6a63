-- Rows that belong to rows of a parent: a foreign key says whose they are, and one budget pays.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t85;
CREATE ROLE regress_dp_85_owner;
CREATE ROLE regress_dp_85_other;
GRANT USAGE, CREATE ON SCHEMA t85 TO regress_dp_85_owner, regress_dp_85_other;
SET search_path = t85, public;
SET SESSION AUTHORIZATION regress_dp_85_owner;
SET client_min_messages = error;
CREATE TABLE patients (id integer PRIMARY KEY, ssn text UNIQUE, sex boolean NOT NULL);
CREATE TABLE visits (id bigint PRIMARY KEY, patient integer REFERENCES patients, ssn text REFERENCES patients (ssn),
	ward integer NOT NULL CHECK (ward IN (1, 2, 3)));
CREATE TABLE payments (visit integer NOT NULL REFERENCES visits DEFERRABLE INITIALLY DEFERRED, paid boolean NOT NULL);
INSERT INTO patients SELECT i, 's' || i, i % 2 = 0 FROM generate_series(1, 100) i;
-- patient i has i visits, and some visits are nobody's
INSERT INTO visits SELECT 1000 * i + j, i, 's' || i, 1 + j % 3 FROM generate_series(1, 100) i, generate_series(1, i) j;
INSERT INTO visits SELECT i, NULL, NULL, 3 FROM generate_series(1, 50) i;
INSERT INTO payments SELECT v.id, j = 1 FROM visits v, generate_series(1, 3) j;

-- ---- what is refused, and what to do
SELECT dp_protect('visits', parent => 'patients');
SELECT dp_protect('patients', 1000000, 0.1, max_rows_per_unit => 2);
SELECT dp_protect('visits', parent => 'patients', unit_column => 'patient');
SELECT dp_unprotect('patients');
SELECT dp_protect('patients', 1000000, 0.1);
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 4);
SELECT dp_protect('visits', 1, parent => 'patients', unit_column => 'patient');
SELECT dp_protect('visits', parent => 'patients', budget_of => 'patients', unit_column => 'patient');
SELECT dp_protect('visits', parent => 'patients', unit_column => 'ward');
SELECT dp_protect('payments', parent => 'patients');
SELECT dp_protect('visits', parent => 'visits');
CREATE TABLE pairs (a integer, b text, UNIQUE (a, b));
CREATE TABLE of_pairs (a integer, b text, FOREIGN KEY (a, b) REFERENCES pairs (a, b));
SELECT dp_protect('pairs', 1);
SELECT dp_protect('of_pairs', parent => 'pairs');
CREATE VIEW seen AS SELECT * FROM visits;
SELECT dp_protect('seen', parent => 'patients');
CREATE TABLE heirs () INHERITS (pairs);
ALTER TABLE pairs ADD id integer UNIQUE;
CREATE TABLE of_heirs (pair integer REFERENCES pairs (id));
SELECT dp_protect('of_heirs', parent => 'pairs');
-- texts that differ in blanks at the end refer to one row of a char(n)
CREATE TABLE coded (code char(8) PRIMARY KEY, sex boolean NOT NULL);
CREATE TABLE written (code text REFERENCES coded, same char(9) REFERENCES coded, ward boolean NOT NULL);
SELECT dp_protect('coded', 1);
SELECT dp_protect('written', parent => 'coded', unit_column => 'code');
SELECT dp_protect('written', parent => 'coded', unit_column => 'same');
-- a table of another owner
GRANT REFERENCES ON patients TO regress_dp_85_other;
SET SESSION AUTHORIZATION regress_dp_85_other;
CREATE TABLE others (patient integer REFERENCES t85.patients, flag boolean NOT NULL);
SELECT dp_protect('others', parent => 'patients');
RESET SESSION AUTHORIZATION;
GRANT regress_dp_85_owner TO regress_dp_85_other;
SET SESSION AUTHORIZATION regress_dp_85_other;
SELECT dp_protect('others', parent => 'patients');
SET SESSION AUTHORIZATION regress_dp_85_owner;

-- ---- what works: by a column of one's choice, and grandchildren whose bounds multiply
SELECT dp_protect('visits', parent => 'patients', unit_column => 'patient', max_rows_per_unit => 4);
SELECT dp_protect('payments', parent => 'visits', max_rows_per_unit => 300000);
SELECT dp_protect('payments', parent => 'visits', max_rows_per_unit => 2);
SELECT relation, parent, unit_column, max_rows_per_unit, budget_of FROM dp_datasets ORDER BY relation::text;
CREATE TABLE more (patient integer, flag boolean NOT NULL);
SELECT dp_protect('more', budget_of => 'payments', unit_column => 'patient');
-- what is spent counts for the root, whose roles it is asked by
RESET client_min_messages;
SELECT stage, epsilon_total FROM dp_explain('payments', 'histogram', 1, options => '{"columns": ["paid"]}') LIMIT 1;
SET client_min_messages = warning;
-- 4 visits of each patient at most: 1 + 2 + 3 + 97 x 4
SELECT dp_release('visits', 'mst', 100000, 1e-9) AS release \gset
SELECT abs(rows - 394) <= 1 AS by_person FROM dp_releases WHERE release = :release;
-- 8 payments: 3 + 6 + 98 x 8, of the visits of all patients
SELECT dp_release('payments', 'mst', 100000, 1e-9) AS release \gset
SELECT abs(rows - 793) <= 1 AS by_person FROM dp_releases WHERE release = :release;
RESET client_min_messages;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'patients'::regclass;

-- ---- what changes afterwards is found before a debit
ALTER TABLE payments DROP CONSTRAINT payments_visit_fkey;
SELECT dp_release('payments', 'mst', 1, 1e-9);
ALTER TABLE payments ADD CONSTRAINT payments_visit_fkey FOREIGN KEY (visit) REFERENCES visits NOT VALID;
SELECT dp_unprotect('visits');
SELECT dp_release('payments', 'mst', 1, 1e-9);
-- a circle
SET client_min_messages = error;
ALTER TABLE patients ADD last_visit bigint REFERENCES visits;
SELECT dp_protect('visits', parent => 'patients', unit_column => 'patient', max_rows_per_unit => 5);
SELECT dp_unprotect('patients');
SELECT dp_protect('patients', parent => 'payments');
SELECT dp_protect('patients', parent => 'visits');
SELECT dp_protect('visits', parent => 'patients', unit_column => 'ssn');
SELECT dp_protect('patients', 1000000, 0.1);
SELECT dp_unprotect('visits');
-- what it spent was for the unit of this key
SELECT dp_protect('visits', parent => 'patients', unit_column => 'ssn');
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'patients'::regclass;
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t85 CASCADE;
DROP OWNED BY regress_dp_85_owner, regress_dp_85_other;
DROP ROLE regress_dp_85_owner, regress_dp_85_other;
