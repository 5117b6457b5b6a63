-- dp_ledger and dp_releases show a relation as regclass, and what it was called then.
\set VERBOSITY terse
CREATE SCHEMA t_ledger_names;
SET search_path = t_ledger_names, public;
SET client_min_messages = error;
CREATE TABLE visits (ward text NOT NULL CHECK (ward IN ('er', 'icu')));
CREATE TABLE gone (ward text NOT NULL CHECK (ward IN ('er', 'icu')));
SELECT dp_protect('visits', 10), dp_protect('gone', 10);
SELECT dp_release('visits', 'marginal', 1) > 0, dp_release('gone', 'marginal', 2) > 0;
DROP TABLE gone;
ALTER TABLE visits RENAME TO stays;
SELECT dp_release('stays', 'marginal', 4) > 0;
SELECT relation, relation_name, epsilon FROM dp_ledger WHERE relation = 'stays'::regclass ORDER BY id;
SELECT relation, relation_name, epsilon FROM dp_releases WHERE relation = 'stays'::regclass ORDER BY release;
SELECT relation, relation_name, epsilon FROM dp_ledger WHERE relation_name = 't_ledger_names.gone';
SELECT relation, relation_name, epsilon FROM dp_releases WHERE relation_name LIKE '%gone';
-- of a namesake that is protected anew, what was spent before is not lost
CREATE TABLE gone (ward text NOT NULL CHECK (ward IN ('er', 'icu')));
SELECT dp_protect('gone', 10);
SELECT relation, relation_name, epsilon FROM dp_ledger WHERE relation_name = 't_ledger_names.gone' ORDER BY id;
DROP SCHEMA t_ledger_names CASCADE;
