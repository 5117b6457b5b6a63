-- tables like the originals in a schema of the analyst's, who may read none of them
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t57;
CREATE ROLE regress_dp_57_owner;
CREATE ROLE regress_dp_57_analyst;
CREATE SCHEMA made57 AUTHORIZATION regress_dp_57_analyst;
CREATE SCHEMA closed57;
GRANT USAGE, CREATE ON SCHEMA t57 TO regress_dp_57_owner;
GRANT USAGE ON SCHEMA t57 TO regress_dp_57_analyst;
SET search_path = t57, public;
SET SESSION AUTHORIZATION regress_dp_57_owner;
SET client_min_messages = error;

CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent VALUES (1);
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TYPE other_mood AS ENUM ('good', 'bad');
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
-- code of the custodian's: whoever runs it is written down
CREATE FUNCTION watch(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'run by %', current_user; RETURN true; END $$;
CREATE DOMAIN watched AS text CHECK (watch(VALUE));
CREATE FUNCTION pick() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'run by %', current_user; RETURN 1; END $$;
CREATE TABLE t (
	gone int,
	id serial PRIMARY KEY,
	"The ""name""" text COLLATE "C" NOT NULL DEFAULT 'none' CHECK (watch("The ""name""")),
	flag boolean NOT NULL,
	sex char(1) CHECK (sex IN ('f', 'm')),
	mood mood NOT NULL,
	other_mood other_mood NOT NULL,
	n positive,
	w watched,
	parent int REFERENCES parent DEFAULT pick(),
	size int NOT NULL CHECK (size IN (1, 2, 3)),
	twice int GENERATED ALWAYS AS (2 * size) STORED,
	code uuid NOT NULL DEFAULT gen_random_uuid(),
	at timestamptz DEFAULT now(),
	CONSTRAINT not_awful CHECK (mood::text <> 'awful'),
	CONSTRAINT good_enum CHECK (other_mood::text <> 'awful'),
	CONSTRAINT small_and_f CHECK (size < 3 OR sex = 'f'),
	CONSTRAINT t_code UNIQUE (code) DEFERRABLE INITIALLY DEFERRED);
ALTER TABLE t DROP COLUMN gone;
CREATE INDEX ON t (lower("The ""name""")) WHERE flag;
CREATE INDEX watched_idx ON t (watch(w));
COMMENT ON TABLE t IS 'the original''s comment';
COMMENT ON COLUMN t.sex IS 'f or m';
INSERT INTO t ("The ""name""", flag, sex, mood, other_mood, n, size, parent) SELECT 'x', n % 2 = 0, (ARRAY['f', 'm'])[1 + n % 2], 'good', 'bad', n, 1 + n % 2, 1 FROM generate_series(1, 1000) n;
-- the words of a CHECK come to mean this, once it is there
CREATE FUNCTION words(mood) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'run by %', current_user; RETURN 'x'; END $$;
CREATE CAST (mood AS text) WITH FUNCTION words(mood) AS IMPLICIT;
SELECT dp_protect('t', 1000000, 0.1);
SELECT dp_define_column('t', 'n', bins => '{1,10,1000}'), dp_define_column('t', 'parent', fill => '{null}');
SELECT dp_grant('t', 'regress_dp_57_analyst', 1000, 0.01);
SET SESSION AUTHORIZATION regress_dp_57_analyst;
SET client_min_messages = warning;
SELECT * FROM dp_create_synthetic('{t}', 'made57', 100, options => '{"method": "sba", "dense_cells": 10000}', seed => 7);
SELECT attname, format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation, attgenerated, attidentity, pg_get_expr(adbin, adrelid)
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = 'made57.t'::regclass AND attnum > 0 ORDER BY attnum;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'made57.t'::regclass AND contype <> 'n' ORDER BY 1;
SELECT indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'made57.t'::regclass ORDER BY indexrelid::regclass::text COLLATE "C";
SELECT regexp_replace(obj_description('made57.t'::regclass), 'release \d+', 'release N'), col_description('made57.t'::regclass, 4);
SELECT count(*) BETWEEN 900 AND 1100, count(DISTINCT id) = count(*), bool_and(twice = 2 * size), count(n) > 900, count(parent), count(*) FILTER (WHERE size = 3 AND sex = 'm') FROM made57.t;
-- the same release and seed give the same rows again
SELECT count(*) FROM (SELECT id, sex, n, code FROM made57.t EXCEPT SELECT id, sex, n, code FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), seed => 7)) x;
INSERT INTO made57.t (flag, mood, other_mood, size) VALUES (true, 'good', 'good', 1) RETURNING id = (SELECT max(id) + 1 FROM made57.t), "The ""name""", twice;

-- nothing is spent for what cannot be made
SELECT epsilon_spent FROM dp_budgets \gset
\set VERBOSITY terse
SELECT * FROM dp_create_synthetic('{t}', 'made57', 1, options => '{"method": "sba", "dense_cells": 10000}');
SELECT * FROM dp_create_synthetic('{t}', 'closed57', 1, options => '{"method": "sba", "dense_cells": 10000}');
SELECT * FROM dp_create_synthetic('{t}', 'no such', 1, options => '{"method": "sba", "dense_cells": 10000}');
\set VERBOSITY default
SELECT * FROM dp_create_synthetic('{t,t}', 'made57', 1);
SELECT * FROM dp_create_synthetic('{}', 'made57', 1);
SELECT * FROM dp_create_synthetic('{t,NULL}', 'made57', 1);
SELECT * FROM dp_create_synthetic('{t}', 'made57', 1, options => '[]');
SELECT * FROM dp_create_synthetic('{parent}', 'made57', 1);
DROP TABLE made57.t;
SET client_min_messages = notice;
SELECT * FROM dp_create_synthetic('{t}', 'made57', 1, options => '{"method": "sbaa"}');
SET client_min_messages = warning;
SELECT * FROM dp_create_synthetic('{t}', 'made57', 1, options => '{"method": "sba", "sweeps": 3}');
SELECT * FROM dp_create_synthetic('{t}', 'made57', 100000, options => '{"method": "sba", "dense_cells": 10000}');
SELECT * FROM dp_create_synthetic('{t}', 'made57', 1, options => '{"method": "sba", "columns": ["sex"]}');
SELECT to_regclass('made57.t'), epsilon_spent = :epsilon_spent FROM dp_budgets;
-- what was paid for is stored, also if the table is rolled back
BEGIN;
SELECT relation, synthetic FROM dp_create_synthetic('{t}', 'made57', 100, options => '{"method": "sba", "dense_cells": 10000, "rows": 10}', seed => 1);
SELECT count(*) FROM made57.t;
ROLLBACK;
SELECT to_regclass('made57.t'), epsilon_spent - :epsilon_spent FROM dp_budgets;
SELECT count(*) FROM dp_sample(NULL::t, (SELECT max(release) FROM dp_releases), 10);

-- rows that break a CHECK, or repeat what is UNIQUE and modelled, are left out
SET SESSION AUTHORIZATION regress_dp_57_owner;
SET client_min_messages = error;
CREATE TABLE u (a int UNIQUE CHECK (a IN (1, 2, 3)), b int NOT NULL CHECK (b IN (1, 2)), UNIQUE (b, a), CHECK (a <> b));
CREATE UNIQUE INDEX u_both ON u ((a + b));
CREATE VIEW v AS SELECT a, b FROM u;
CREATE TABLE p (flag boolean NOT NULL, k int CHECK (k IN (1, 2)), PRIMARY KEY (flag, k)) PARTITION BY LIST (flag);
CREATE TABLE p_t PARTITION OF p FOR VALUES IN (true);
CREATE TABLE p_f PARTITION OF p FOR VALUES IN (false);
CREATE TABLE child (more boolean) INHERITS (u);
INSERT INTO u VALUES (1, 2), (3, 1);
INSERT INTO p VALUES (true, 1), (false, 2);
SELECT dp_protect(relation, 1000000) FROM unnest('{u,v,p,child}'::regclass[]) relation;
SELECT dp_grant(relation, 'regress_dp_57_analyst', 1000) FROM unnest('{u,v,p,child}'::regclass[]) relation;
SELECT dp_define_column('v', 'a', '{1,2,3}'), dp_define_column('v', 'b', '{1,2}');
SET SESSION AUTHORIZATION regress_dp_57_analyst;
CREATE TEMP TABLE made (relation regclass, synthetic regclass, rows bigint);
INSERT INTO made SELECT (dp_create_synthetic(relation, 'made57', 100, options => '{"method": "sba", "dense_cells": 1000, "rows": 200}')).* FROM unnest('{u,v,p}'::regclass[]) relation;
SELECT relation, synthetic, rows BETWEEN 1 AND 6, rows = 200 FROM made ORDER BY 1::text;
SELECT relation, synthetic FROM dp_create_synthetic('{child}', 'made57', 100, options => '{"method": "sba", "dense_cells": 1000, "rows": 200}');
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid IN ('made57.u'::regclass, 'made57.p'::regclass) AND contype <> 'n' ORDER BY conrelid, 1;
SELECT relkind, relispartition FROM pg_class WHERE oid IN ('made57.v'::regclass, 'made57.p'::regclass);
SELECT count(*) > 0, count(*) = count(DISTINCT a) FROM made57.u;
-- a copy of the same name is not taken for the relation that is protected
SELECT dp_query(NULL::made57.u, '{count(*)}', 1);
SET search_path = made57, t57, public;
SELECT dp_explain('u', 'flat', 1);
SET search_path = t57, public;
SELECT count(*) FROM made57.u WHERE a = b OR (SELECT count(*) FROM made57.u x WHERE x.a = u.a) > 1;

SET client_min_messages = error;
RESET SESSION AUTHORIZATION;
DROP SCHEMA made57 CASCADE;
DROP SCHEMA closed57;
DROP SCHEMA t57 CASCADE;
DROP OWNED BY regress_dp_57_analyst;
DROP ROLE regress_dp_57_owner;
DROP ROLE regress_dp_57_analyst;
