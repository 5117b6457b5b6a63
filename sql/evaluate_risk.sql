-- dp_evaluate_risk against numbers that were worked out by hand, and the bound on tests of membership
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t69;
SET search_path = t69, public;

CREATE TABLE original (sex text, smoker text, age int);
INSERT INTO original VALUES
	('f', 'yes', 20), ('f', 'yes', 20), ('f', 'no', 30), ('f', 'no', 30), ('f', 'no', 40), ('f', 'no', NULL),
	('m', 'yes', 30), ('m', 'yes', 40), ('m', 'yes', 40), ('m', 'yes', 50), ('m', 'no', 50), ('m', 'no', 60);
CREATE TABLE synthetic (age int, sex text, smoker text);
INSERT INTO synthetic VALUES
	(20, 'f', 'yes'), (40, 'f', 'no'), (30, 'm', 'yes'), (50, 'm', 'yes'), (50, 'm', 'no'), (60, 'm', NULL);
-- By sex and age: original f20 2, f30 2, f40 1, fNULL 1, m30 1, m40 2, m50 2, m60 1: 4 of 12 unique
--   synthetic f20 1, f40 1, m30 1, m50 2, m60 1: 4 of 6 unique; f40, m30 and m60 meet a unique person: 3,
--   where 6 4/12 = 2 rows drawn from the original would; 3 of the 4 persons, against 1 - (11/12)^6
-- Smoking, guessed: f20 yes (2 right), f30 none matches, so the commonest, yes (0), f40 no (1), fNULL yes (0),
--   m30 yes (1), m40 yes (2), m50 yes or no, the first of both is no (1), m60 NULL (0): 7/12;
--   without the rows no, the first of two that are equally common: 6/12
-- Of the unique persons f40 and m30 are right: 2/4; without the rows f40, fNULL, m60: 3/4
SELECT measure, round(value::numeric, 9), round(baseline::numeric, 9), detail
  FROM dp_evaluate_risk('original', 'synthetic', '{sex,age}', 'smoker') WHERE measure !~ 'closest';
-- By sex: women 30 on average, the first of 20 and 40; men 47.5, and 50
--   ages: women 20 20 30 30 40: off by 10 10 0 0 10; men 30 40 40 50 50 60: off by 17.5 7.5 7.5 2.5 2.5 12.5: 80/11
--   without the rows 410/11: off by 1240/121; two women are 20 and two men are 50: 4/12; 30 is the first of the commonest: 3/12
SELECT measure, round(value::numeric, 9), round(baseline::numeric, 9) FROM dp_evaluate_risk('original', 'synthetic', '{sex}', 'age')
 WHERE measure ~ 'intruder|unique';
-- The closest record: whichever of the two original rows is held out, it is 10/10 from the other in x and 0 in w,
-- so 1/2; the synthetic row differs in w, and is 5/10 away from both: 3/4. 30 is outside of the range: 1
CREATE TABLE pair (w text, x numeric);
INSERT INTO pair VALUES ('a', 0), ('a', 10);
CREATE TABLE near (x float8, w varchar);
INSERT INTO near VALUES (5, 'b');
CREATE TABLE far AS SELECT 30 AS x, 'a' AS w;
CREATE TABLE none AS SELECT NULL::int AS x, NULL AS w;
SELECT measure, value, baseline, detail FROM dp_evaluate_risk('pair', 'near', '{w}', 'x') WHERE measure ~ 'closest';
SELECT measure, value, baseline FROM dp_evaluate_risk('pair', 'far', '{w}', 'x') WHERE measure ~ 'closest';
SELECT measure, value, baseline FROM dp_evaluate_risk('pair', 'none', '{w}', 'x') WHERE measure ~ 'closest';
-- the range is the original's, so NULL is at 1 from any value, and at 0 from NULL
SELECT measure, value, baseline FROM dp_evaluate_risk('none', 'none', '{w}', 'x');
INSERT INTO none VALUES (NULL, NULL);
SELECT measure, value, baseline FROM dp_evaluate_risk('none', 'none', '{w}', 'x');
-- the same seed, the same rows
CREATE TABLE rows AS SELECT i % 10 AS a, i * i % 101 AS b, i % 7 AS c FROM generate_series(1, 1000) i;
CREATE TABLE fakes AS SELECT i % 10 AS a, i * i % 97 AS b, i % 5 AS c FROM generate_series(1, 700) i;
SELECT count(*) FROM (SELECT * FROM dp_evaluate_risk('rows', 'fakes', '{a,b}', 'c', '{"sample": 50}')
					  EXCEPT SELECT * FROM dp_evaluate_risk('rows', 'fakes', '{a,b}', 'c', '{"sample": 50}')) d;
-- the original itself as synthetic rows: the unique are all met
SELECT measure, value, baseline FROM dp_evaluate_risk('rows', 'rows', '{a,b}', 'c') WHERE measure IN ('unique_original', 'unique_met');

SELECT count(*) FROM dp_evaluate_risk('original', 'synthetic', '{}', 'age');
SELECT count(*) FROM dp_evaluate_risk('original', 'synthetic', '{sex,age}', 'age');
SELECT count(*) FROM dp_evaluate_risk('original', 'synthetic', '{nix}', 'age');
SELECT count(*) FROM dp_evaluate_risk('original', 'synthetic', NULL, 'age');
SELECT count(*) FROM dp_evaluate_risk('original', 'synthetic', '{sex}', 'age', '{"sample": 0}');
CREATE TABLE other (sex text, age text);
INSERT INTO other VALUES ('f', '20');
SELECT count(*) FROM dp_evaluate_risk('original', 'other', '{sex}', 'age');

-- (e - 1)/(e + 1), with delta (e - 1 + .2)/(e + 1), none at 0, and never more than 1
SELECT round(dp_evaluate_risk(1)::numeric, 12), round(dp_evaluate_risk(1, 0.1)::numeric, 12), dp_evaluate_risk(0), dp_evaluate_risk(0, 0.25), dp_evaluate_risk(800, 1), dp_evaluate_risk(1e-9);
SELECT dp_evaluate_risk(-1);
CREATE TABLE kept (a boolean NOT NULL);
SELECT dp_protect('kept', 10, 1e-6);
SELECT step, stage, epsilon_total, delta_total, round(membership_bound::numeric, 12) FROM dp_explain('kept', 'sba', 1, 1e-6);

\set VERBOSITY terse
SET client_min_messages = warning;
SELECT dp_unprotect('kept');
DROP SCHEMA t69 CASCADE;
