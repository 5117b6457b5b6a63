-- The policy of a relation about false positives: values in a sparse histogram that nobody has.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t89;
CREATE ROLE regress_dp_89_other;
GRANT USAGE ON SCHEMA t89 TO regress_dp_89_other;
SET search_path = t89, public;
SET client_min_messages = error;
CREATE TABLE t (town text, sex boolean NOT NULL);
INSERT INTO t SELECT 'a', i % 2 = 0 FROM generate_series(1, 100) i;
SELECT dp_protect('t', 100, 0.1);
SELECT dp_define_column('t', 'town', open => true, domain => '{"alphabet": "abc", "length": 8}');
CREATE VIEW asked AS SELECT o.options, stage, mechanism FROM (VALUES (1, 'histogram', '{}'), (2, 'histogram', '{"no_false_positives": 0.5}'), (3, 'histogram', '{"no_false_positives": 0.99}'),
	(4, 'marginal', '{}')) o (n, method, options), dp_explain('t', o.method, 1, 0, o.options::jsonb) WHERE mechanism LIKE 'sparse%' ORDER BY n;
SELECT * FROM asked;
-- without a word a release has the larger one of both
SELECT dp_alter_protection('t', no_false_positives => 0.8);
SELECT dp_alter_protection('t', no_false_positives => 0.95);
SELECT no_false_positives FROM dp_datasets WHERE relation = 't'::regclass;
SELECT stage, mechanism FROM dp_explain('t', 'histogram', 1, 0, '{}') WHERE mechanism LIKE 'sparse%';
SELECT stage, mechanism FROM dp_explain('t', 'marginal', 1, 0, '{}') WHERE mechanism LIKE 'sparse%';
SELECT stage, mechanism FROM dp_explain('t', 'histogram', 1, 0, '{"no_false_positives": 0.99}') WHERE mechanism LIKE 'sparse%';
SELECT stage, mechanism, threshold FROM dp_explain('t', 'flat', 1, 0, '{"dense_cells": 0, "no_false_positives": 0.99, "columns": ["sex"]}') WHERE threshold IS NOT NULL;
-- a sparse table of any method follows it
SELECT e.threshold > d.threshold FROM dp_explain('t', 'flat', 0.01, 0, '{"dense_cells": 0, "no_false_positives": 0.99999, "columns": ["sex"]}') e,
	dp_explain('t', 'flat', 0.01, 0, '{"dense_cells": 0, "columns": ["sex"]}') d WHERE e.threshold IS NOT NULL AND d.threshold IS NOT NULL;
SELECT dp_release('t', 'flat', 1, 0, '{"dense_cells": 0, "no_false_positives": 0.5, "columns": ["sex"]}');
-- less is refused before anything is spent
SELECT dp_release('t', 'histogram', 1, 0, '{"no_false_positives": 0.5}');
SELECT dp_release('t', 'marginal', 1, 0, '{"open_no_false_positives": 0.949999999}');
SELECT count(*) FROM dp_ledger WHERE relation_name = 't89.t';
SELECT dp_release('t', 'histogram', 1, 0, '{"no_false_positives": 0.95}') > 0;
SELECT dp_alter_protection('t', no_false_positives => 0);
SELECT * FROM asked;

SELECT dp_alter_protection('t', no_false_positives => 1);
SELECT dp_alter_protection('t', no_false_positives => 1e-10);
SELECT dp_alter_protection(NULL, no_false_positives => 0.5);
SET SESSION AUTHORIZATION regress_dp_89_other;
SELECT dp_alter_protection('t89.t', no_false_positives => 0.5);
RESET SESSION AUTHORIZATION;
SET client_min_messages = error;
DROP SCHEMA t89 CASCADE;
DROP ROLE regress_dp_89_other;
