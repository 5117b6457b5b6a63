-- What the schema itself says about a column is its public domain. The view dp_columns shows it.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t04;
CREATE ROLE regress_dp_04_owner;
GRANT ALL ON SCHEMA t04 TO regress_dp_04_owner;
SET search_path = t04, public;
CREATE FOREIGN DATA WRAPPER regress_dp_04_fdw;
CREATE SERVER regress_dp_04_server FOREIGN DATA WRAPPER regress_dp_04_fdw;
GRANT USAGE ON FOREIGN SERVER regress_dp_04_server TO regress_dp_04_owner;
SET SESSION AUTHORIZATION regress_dp_04_owner;

-- protects a relation and prints its domains
CREATE FUNCTION facts(regclass)
	RETURNS TABLE (column_name name, kind text, source text, levels int, labels text[], has_other boolean)
	LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dp_protect($1, 1);
	RETURN QUERY SELECT c.column_name, c.kind, c.source, c.levels, c.labels, c.has_other
				   FROM dp_columns c WHERE c.relation = $1 ORDER BY ordinal;
END
$$;

-- boolean, enum, NOT NULL
CREATE TYPE size AS ENUM ('small', 'medium', 'large');
CREATE TYPE void_enum AS ENUM ();
ALTER TYPE size ADD VALUE 'tiny' BEFORE 'small';
CREATE TABLE types (flag boolean, flag2 boolean NOT NULL, s size, s2 size NOT NULL, e void_enum,
					i int, i2 int NOT NULL, t text, a boolean[], PRIMARY KEY (i));
SELECT * FROM facts('types');

-- CHECK (column IN (...)) by type
CREATE TABLE checks (
	t text CHECK (t IN ('a', 'b', 'c')),
	v varchar(5) CHECK (v IN ('a', 'b')),
	v2 varchar CHECK (v2 = ANY (ARRAY['x', 'y'])),
	c char(3) CHECK (c IN ('a', 'bb')),
	i int NOT NULL CHECK (i IN (1, 2, 3)),
	s smallint CHECK (s IN (1, 2, 70000)),
	b bigint CHECK (b IN (1, 2)),
	n numeric(4,1) CHECK (n IN (1, 2.50, 2.55, 1000)),
	d date CHECK (d IN ('2020-01-01', DATE '2020-02-01')),
	u uuid CHECK (u IN ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')),
	m name CHECK (m IN ('m')),
	e size CHECK (e IN ('small', 'large')),
	f boolean CHECK (f = true),
	f2 boolean CHECK (f2),
	f3 boolean CHECK (NOT f3),
	ch "char" CHECK (ch IN ('a', 'b')),
	w varchar(2) CHECK (w IN ('aa', 'aaa', 'b  ')));
SELECT * FROM facts('checks');

-- shapes of expressions
CREATE TABLE shapes (
	one text CHECK (one = 'a'),
	turned text CHECK ('a' = turned),
	alternatives text CHECK (alternatives = 'a' OR alternatives IN ('b', 'c') OR 'd' = alternatives),
	restricted int CHECK (restricted IN (1, 2, 3) AND restricted <> 2),
	nested int CHECK (restricted > 0 AND (nested = 1 OR (nested = 2 AND nested > 1))),
	twice text CHECK (twice IN ('a', 'a', 'b')),
	several text CONSTRAINT several_a CHECK (several IN ('a', 'b')) CONSTRAINT several_b CHECK (several IN ('b', 'c')),
	folded int CHECK (folded IN (1 + 1, 3)),
	casted text CHECK (casted::text = ANY (('{p,q}'::text[])::text[])),
	wider int CHECK (wider = 1::bigint OR wider = 3000000000),
	-- these tell nothing about the column
	ranged int CHECK (ranged BETWEEN 1 AND 3),
	negated text CHECK (negated NOT IN ('a', 'b')),
	all_of text CHECK (all_of <> ALL (ARRAY['a', 'b'])),
	equal_all text CHECK (equal_all = ALL (ARRAY['a'])),
	differs text CHECK (differs <> 'a'),
	half_open text CHECK (half_open = 'a' OR half_open LIKE 'b%'),
	with_null text CHECK (with_null IN ('a', NULL)),
	is_null text CHECK (is_null IN ('a') OR is_null IS NULL),
	other_column text CHECK (one IN ('x') OR other_column IN ('y')),
	two_columns text CHECK (two_columns = one),
	computed text CHECK (lower(computed) IN ('a', 'b')),
	converted text CHECK (converted::int IN (1, 2)),
	nothing text CHECK (nothing = NULL),
	not_this text CHECK (NOT (not_this = 'a')),
	zoned date CHECK (zoned = TIMESTAMPTZ '2020-01-01 00:00+00'),
	collated text CHECK (collated COLLATE "C" IN ('a')));
SELECT * FROM facts('shapes');

-- a constraint that is not enforced for every row tells nothing
CREATE TABLE loose (a text, b text CHECK (b IN ('x')) NO INHERIT, c text CHECK (c IN ('x')));
ALTER TABLE loose ADD CONSTRAINT late CHECK (a IN ('x', 'y')) NOT VALID;
SELECT * FROM facts('loose');
ALTER TABLE loose VALIDATE CONSTRAINT late;
SELECT column_name, labels FROM dp_columns WHERE relation = 'loose'::regclass;
ALTER TABLE loose DROP CONSTRAINT late;
SELECT column_name, labels FROM dp_columns WHERE relation = 'loose'::regclass;

-- domains: over each other, with a NOT NULL, with a CHECK of any form
CREATE DOMAIN grade AS text CHECK (VALUE IN ('A', 'B', 'C'));
CREATE DOMAIN pass AS grade CHECK (VALUE <> 'C');
CREATE DOMAIN three AS char(3) CHECK (VALUE IN ('x', 'yyy'));
CREATE DOMAIN short AS varchar(2) CHECK (VALUE IN ('ab', 'abc'));
CREATE DOMAIN yes AS boolean CHECK (VALUE);
CREATE DOMAIN colour AS size;
CREATE DOMAIN not_large AS size CHECK (VALUE <> 'large');
CREATE DOMAIN digit AS int CHECK (VALUE = 1 OR VALUE = 2);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN present AS boolean NOT NULL;
CREATE DOMAIN unsure AS text;
ALTER DOMAIN unsure ADD CHECK (VALUE IN ('q')) NOT VALID;
CREATE TABLE domains (g grade, p pass, t three, s short, y yes, c colour, c2 not_large, d digit, q positive, n present, u unsure,
					  both_say grade CHECK (both_say IN ('B', 'C', 'D')));
SELECT * FROM facts('domains');

-- inheritance: a child has its parents' constraints, a parent reads its children
CREATE TABLE parent (a text CHECK (a IN ('x', 'y')), b boolean NOT NULL);
CREATE TABLE child (c text CHECK (c IN ('z'))) INHERITS (parent);
SELECT * FROM facts('parent');
SELECT * FROM facts('child');

-- partitions: the partition bound itself is not a CHECK
CREATE TABLE parted (a text CHECK (a IN ('x', 'y', 'z')), b int NOT NULL CHECK (b IN (1, 2))) PARTITION BY LIST (a);
CREATE TABLE parted_x PARTITION OF parted FOR VALUES IN ('x');
SELECT * FROM facts('parted');
SELECT * FROM facts('parted_x');

-- views and materialized views have what their types say
CREATE VIEW seen AS SELECT flag2, s2, i2, t FROM types;
SELECT * FROM facts('seen');
CREATE MATERIALIZED VIEW kept AS SELECT flag2, s2, i2, t FROM types;
SELECT * FROM facts('kept');

-- a foreign table's constraints are promises that nobody checks; its types are not
CREATE FOREIGN TABLE far (flag boolean NOT NULL, s size, t text CHECK (t IN ('a')), g grade) SERVER regress_dp_04_server;
SELECT * FROM facts('far');

-- a table without columns
CREATE TABLE hollow ();
SELECT * FROM facts('hollow');
SELECT dp_release('hollow', 'sba', 0.1);
CREATE TABLE only_text (t text);
SELECT * FROM facts('only_text');
SELECT dp_release('only_text', 'sba', 0.1);
SELECT * FROM dp_explain('only_text', 'sba', 0.1);
SELECT count(*) FROM dp_ledger;

-- a declaration goes before a fact
SELECT dp_define_column('types', 's', '{tiny,large}');
SELECT labels, source FROM dp_columns WHERE relation = 'types'::regclass AND column_name = 's';
SELECT dp_define_column('types', 's');
SELECT labels, source FROM dp_columns WHERE relation = 'types'::regclass AND column_name = 's';

-- drawn values pass every constraint
INSERT INTO domains SELECT 'A', 'B', 'x', 'ab', true, 'tiny', 'tiny', 1, 1, true, 'q', 'B' FROM generate_series(1, 50);
INSERT INTO checks (i, t, w) SELECT 1, 'a', 'aa' FROM generate_series(1, 50);
SET client_min_messages = warning;
ALTER TABLE checks DROP CONSTRAINT checks_f3_check; -- which is no list
INSERT INTO checks SELECT * FROM dp_synthesize_sbhg(NULL::checks, 0.5, 0, 500);
SELECT count(*) FROM checks;
CREATE TABLE domains_drawn AS SELECT * FROM dp_synthesize_sbhg(NULL::domains, 0.5, 0, 500);
SELECT count(*), count(*) FILTER (WHERE g::text NOT IN ('A', 'B', 'C')), count(*) FILTER (WHERE p::text NOT IN ('A', 'B')),
	   count(*) FILTER (WHERE s::text <> 'ab'), count(*) FILTER (WHERE NOT y), count(*) FILTER (WHERE c2::text = 'large')
  FROM domains_drawn;

RESET SESSION AUTHORIZATION;
DROP SCHEMA t04 CASCADE;
DROP FOREIGN DATA WRAPPER regress_dp_04_fdw CASCADE;
DROP ROLE regress_dp_04_owner;
