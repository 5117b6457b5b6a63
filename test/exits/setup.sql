-- What the calls of calls.py are about: tables of a role that is no superuser, with CHECKs and
-- generated columns that fail for some rows, releases of them, and a role that may draw.
CREATE EXTENSION dpsyn;
CREATE ROLE boss LOGIN;
CREATE ROLE ann LOGIN;
CREATE ROLE bob LOGIN;
CREATE SCHEMA lab AUTHORIZATION boss;
CREATE SCHEMA own;
CREATE SCHEMA made AUTHORIZATION boss;
GRANT USAGE ON SCHEMA lab TO ann, bob;
GRANT ALL ON SCHEMA own, made TO boss, ann;
CREATE TABLE own.mark (number bigint);
GRANT ALL ON own.mark TO boss, ann;
-- Cuts nothing short itself: takes the errors that others let a statement end with.
CREATE FUNCTION own.caught(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN query_canceled OR OTHERS THEN
	RETURN SQLSTATE;
END
$$;
SET ROLE boss;
SET search_path = lab, public;
SET client_min_messages = error;
CREATE DOMAIN lab.grade AS text CHECK (VALUE IN ('low', 'mid', 'high'));
CREATE TABLE people (
	id int PRIMARY KEY,
	sex text NOT NULL CHECK (sex IN ('f', 'm')),
	age int NOT NULL CHECK (age BETWEEN 0 AND 99),
	visits int NOT NULL CHECK (visits BETWEEN 0 AND 20),
	grade grade,
	city text,
	note text,
	rate int GENERATED ALWAYS AS (1000 / (visits - 7)) STORED,
	CONSTRAINT shared_out CHECK (age / (visits - 7) < 1000 AND 1 = 1 * 1),
	CONSTRAINT no_value CHECK (age >= 0 OR 1 / (visits * 0) > 1));
INSERT INTO people SELECT i, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 100, i * 7 % 21,
	   (ARRAY['low', 'mid', 'high'])[1 + i % 3], (ARRAY['rome', 'oslo', 'bern'])[1 + i % 3], 'x' || i
  FROM generate_series(1, 2000) i WHERE i * 7 % 21 <> 7;
CREATE TABLE stays (
	person int NOT NULL REFERENCES people,
	ward text NOT NULL CHECK (ward IN ('a', 'b', 'c')),
	nights int NOT NULL CHECK (nights BETWEEN 0 AND 30),
	CONSTRAINT divided CHECK (60 / (nights - 5) < 100));
INSERT INTO stays SELECT id, (ARRAY['a', 'b', 'c'])[1 + id % 3], id % 31 FROM people WHERE id % 31 <> 5;
SELECT dp_protect('people', 1000000, 1e-3, unit_column => 'id');
SELECT dp_protect('stays', parent => 'people', max_rows_per_unit => 2);
SELECT dp_define_column('people', 'city', categories => '{rome,oslo,bern}');
SELECT dp_define_column('stays', 'nights', bins => '{0,5,10,20,30}');
SELECT dp_grant('people', 'ann', 500000, 1e-4);
SELECT dp_release('people', 'mst', 100, 1e-7) AS flat \gset
SELECT dp_release('{people,stays}', 'mst', 100, 1e-7) AS tree \gset
SELECT dp_release('people', 'query', 10, 0, '{"measures": ["count(*)"], "by": ["sex"]}') AS query \gset
SELECT dp_grant(:flat, 'ann'), dp_grant(:tree, 'ann'), dp_grant(:query, 'ann');
CREATE TABLE fake AS SELECT * FROM dp_sample(NULL::people, :flat, 500, 1);
CREATE TABLE fake_stays AS SELECT * FROM dp_sample(NULL::stays, :tree, seed => 1);
CREATE TABLE fake_roots AS SELECT * FROM dp_sample(NULL::people, :tree, seed => 1);
CREATE TABLE spare (a int NOT NULL CHECK (a IN (1, 2, 3)), b text NOT NULL CHECK (b IN ('x', 'y')));
INSERT INTO spare SELECT 1 + i % 3, CASE WHEN i % 5 = 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 300) i;
CREATE TABLE loose (a int NOT NULL CHECK (a IN (1, 2, 3)));
INSERT INTO loose SELECT 1 + i % 3 FROM generate_series(1, 30) i;
CREATE TABLE kept AS SELECT * FROM loose;
SELECT dp_protect('kept', 1);
CREATE TABLE counts_rho AS SELECT * FROM loose;
SELECT dp_protect('counts_rho', 10, 1e-6, accountant => 'zcdp');
SELECT dp_protect('spare', 1000000, 1e-3);
SELECT dp_grant('spare', 'ann', 500000, 1e-4);
CREATE TABLE cells (attributes text[], "values" text[], count numeric, variance float8);
INSERT INTO cells SELECT '{a,b}', ARRAY[a::text, b], count(*), 1 FROM spare GROUP BY a, b;
CREATE TABLE spec AS
	SELECT dp_marginal_spec(domains => '[{"name": "a", "categories": [1, 2, 3]}, {"name": "b", "categories": ["x", "y"]}]') AS two,
		   dp_marginal_spec(domains => '[{"name": "a", "categories": [1, 2, 3]}]', ways => 1) AS one;
CREATE TABLE counted AS SELECT dp_marginals((SELECT two FROM spec), a, b) AS c FROM spare;
SELECT dp_release('spare', 'sbhg', 100, 1e-7) AS chain \gset
SELECT count(*) FROM dp_histogram(NULL::spare, '{a}', 100);
SELECT max(release) AS histogram FROM dp_releases WHERE method = 'histogram' \gset
SELECT dp_grant(:chain, 'ann'), dp_grant(:histogram, 'ann');
CREATE TABLE number AS SELECT :flat::bigint AS flat, :tree::bigint AS tree, :query::bigint AS query,
	   :chain::bigint AS chain, :histogram::bigint AS histogram;
GRANT SELECT ON ALL TABLES IN SCHEMA lab TO ann;
