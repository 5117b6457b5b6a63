-- What is said to somebody who mistook a name, a type or a table: each message names the column.
\pset null NULL
\t on
\pset format unaligned
CREATE SCHEMA t82;
CREATE ROLE regress_dp_82_owner;
GRANT USAGE, CREATE ON SCHEMA t82 TO regress_dp_82_owner;
SET search_path = t82, public;
SET SESSION AUTHORIZATION regress_dp_82_owner;
SET client_min_messages = error;
CREATE TABLE patients (id integer, income integer, sex text, born date, mood text);
INSERT INTO patients SELECT i, i * 10, 'f', '2000-01-01', 'good' FROM generate_series(1, 100) i;
CREATE TABLE visits (ward text NOT NULL CHECK (ward IN ('icu', 'surgery')), n integer NOT NULL CHECK (n IN (0, 1, 2, 3)));
INSERT INTO visits SELECT 'icu', 1 FROM generate_series(1, 100);
SELECT dp_protect('patients', 1000, 0.1);
SELECT dp_protect('visits', 1000, 0.1);
RESET client_min_messages;

-- ---- a column that does not exist
SELECT dp_define_column('patients', 'incme', bins => '{0,500,1000}');
SELECT dp_define_column('patients', 'incme', '{1,2}');
SELECT dp_define_column('patients', 'incme', open => true);
SELECT dp_define_column('patients', 'incme', range => '{0,1000}');
SELECT dp_define_column('patients', 'incme', key => true);
SELECT dp_define_column('patients', 'nothing_like_it', bins => '{0,500,1000}');
-- neighbours that change places are one edit, and case is none
SELECT dp_define_column('patients', 'moodd', '{good,bad}');
SELECT dp_define_column('patients', 'MODO', '{good,bad}');
-- nor is there a declaration to drop
SELECT dp_define_column('patients', 'incme');

-- ---- methods, options and columns that are misspelt
SELECT dp_release('visits', 'mts', 1);
SELECT * FROM dp_explain('visits', 'Marginal', 1);
SELECT * FROM dp_explain('visits', 'mwen', std_error => 20);
SELECT dp_release('visits', 'ato', 1);
SELECT dp_release('visits', 'best', 1);
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"colums": ["ward"]}');
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"colour": "blue"}');
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"columns": ["wrad", "n"]}');
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"columns": ["beds"]}');
SELECT dp_release('visits', 'mst', 1, 1e-9, '{"predict": "wrd"}');
SELECT * FROM dp_evaluate('visits', 'visits', '{"way": 2}');
-- ---- categories, edges and ends that the column's type does not take
SELECT dp_define_column('patients', 'income', '{low,high}');
SELECT dp_define_column('patients', 'income', bins => '{0,many}');
SELECT dp_define_column('patients', 'born', '{soon}');
SELECT dp_define_column('patients', 'income', '{1,2}', other => 'none');
SELECT dp_define_column('patients', 'income', range => '{0,many}');

-- ---- a release drawn into other types and other tables
\set VERBOSITY terse
SELECT dp_release('visits', 'marginal', 100) AS r \gset
\set VERBOSITY default
CREATE TABLE wrong (ward integer, n integer);
SELECT count(*) FROM dp_sample(NULL::wrong, :r, 5, seed => 1);
SELECT count(*) FROM dp_sample('visits', :r, 5, seed => 1) AS t(ward integer);
CREATE TABLE half (ward text, beds integer, "Floor" text, n integer);
SELECT count(ward), count(beds) FROM dp_sample(NULL::half, :r, 5, seed => 1);
SELECT count(ward) FROM dp_sample('visits', :r, 5, seed => 1) AS t(ward text, wrad text);
SELECT count(*) FROM dp_sample(NULL::patients, :r, 5, seed => 1);
-- none for the relation's own row type
SELECT count(ward) FROM dp_sample(NULL::visits, :r, 5, seed => 1);

-- ---- rows without a seed are others at each read, which is said once a session
SELECT count(*) FROM dp_sample(NULL::visits, :r, 5);
SELECT count(*) FROM dp_sample(NULL::visits, :r, 5);
SELECT count(*) FROM dp_sample(NULL::visits, :r, 5);

-- ---- what a plan says of stages that are paid in rho
SELECT stage, epsilon_each, epsilon_total, rho_total > 0 AS rho, tables > 0 AS tables
  FROM dp_explain('visits', 'aim', 1, 1e-9) ORDER BY step;

-- ---- a method that was chosen
SELECT stage FROM dp_explain('visits', 'auto', 10);

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t82 CASCADE;
DROP ROLE regress_dp_82_owner;
