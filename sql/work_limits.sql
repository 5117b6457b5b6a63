-- what is read and evaluated of somebody's expressions has limits: what is beyond them is not looked
-- at, in no time. Computed, each of the constants below would take some gigabytes, or hours.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t_work;
CREATE ROLE regress_dp_work_owner;
CREATE ROLE regress_dp_work_victim;
GRANT ALL ON SCHEMA t_work TO regress_dp_work_owner;
GRANT USAGE ON SCHEMA t_work TO regress_dp_work_victim;
SET search_path = t_work, public;
SET client_min_messages = error;
SET SESSION AUTHORIZATION regress_dp_work_owner;
CREATE DOMAIN padded AS text CHECK (VALUE <> lpad('y', 1000000000, 'z'));
CREATE DOMAIN fine AS text CHECK (VALUE IN ('a', 'b'));
CREATE TYPE colour AS ENUM ('red', 'green');
CREATE TABLE constants (
	listed text CHECK (listed IN ('x', left(repeat(repeat('y', 30000), 30000), 1))),
	below int CHECK (below < length(repeat(repeat('y', 30000), 30000)) AND below > 3),
	power numeric CHECK (power < 9.9 ^ (9.9 ^ 4.9)),
	padded padded,
	padded_key padded NOT NULL UNIQUE,
	filled text NOT NULL CHECK (filled <> repeat(repeat('y', 30000), 30000)),
	nested text CHECK (nested ~ '^(((x{1,99}){1,99}){1,99}){1,99}$' AND nested IN ('xx', 'xxx')),
	back text CHECK (back ~ '^(x+x+)+\1y$'),
	computed int GENERATED ALWAYS AS (length(repeat(repeat('y', 30000), 30000))) STORED,
	defaulted int NOT NULL DEFAULT length(repeat(repeat('y', 30000), 30000)),
	-- and these are looked at
	plain text CHECK (plain IN ('p', 'q')), ranged int CHECK (ranged BETWEEN 1 AND 1 + 2 * 3), fine fine, colour colour,
	email text NOT NULL CHECK (email ~ '^[a-z0-9._-]{1,64}@[a-z0-9.-]{1,100}\.[a-z]{2,8}$'),
	number uuid CHECK (number::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'),
	CHECK (ranged < below OR plain = 'p'), CHECK (length(plain) < ranged));
SELECT dp_protect('constants', 100, 1e-3);
SELECT dp_grant('constants', 'regress_dp_work_victim', 50, 1e-4);
SET SESSION AUTHORIZATION regress_dp_work_victim;
SET statement_timeout = '60s';
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 't_work.constants'::regclass ORDER BY ordinal;
-- a rule that is not evaluated is named
SET client_min_messages = notice;
\set VERBOSITY terse
SELECT count(*) > 0 FROM dp_explain('t_work.constants'::regclass, 'mst', 1, 1e-6);
SELECT dp_release('t_work.constants', 'mst', 10, 1e-6, '{"columns": ["plain", "ranged", "below"]}') > 0;
\set VERBOSITY default
SET client_min_messages = error;
SELECT max(release) AS r FROM dp_releases \gset
-- rows are drawn into the row type, without what takes long
SELECT count(*), count(*) FILTER (WHERE length(plain) >= ranged), count(computed) FROM dp_sample(NULL::t_work.constants, :r, 100, 1);
-- tables that are made of it do without, too
RESET SESSION AUTHORIZATION;
SET client_min_messages = notice;
SELECT count(*) FROM dp_catalog.dp_synthetic_constraints('t_work.constants') c WHERE c.left_out IS NOT NULL;
SET client_min_messages = error;

-- more than is read: what comes first is, and the rest is not
SET SESSION AUTHORIZATION regress_dp_work_owner;
SET client_min_messages = error;
DO $$ BEGIN EXECUTE 'CREATE TABLE t_work.long (a text CHECK (a IN (''x'', ''y'')), b text CHECK (b IN (' || (SELECT string_agg(quote_literal('label ' || i), ',') FROM generate_series(1, 80000) i) || ')), c text CHECK (c IN (''z'')), d int)'; END $$;
DO $$ BEGIN EXECUTE 'CREATE TYPE t_work.many AS ENUM (' || (SELECT string_agg(quote_literal(i), ',') FROM generate_series(1, 10000) i) || ')'; END $$;
DO $$ BEGIN EXECUTE 'CREATE TABLE t_work.enums (' || (SELECT string_agg(format('c%s t_work.many', i), ',') FROM generate_series(1, 50) i) || ')'; END $$;
DO $$ BEGIN EXECUTE 'CREATE TABLE t_work.deep (a int CHECK (' || repeat('(a + ', 1000) || '1' || repeat(')', 1000) || ' > 0), b int CHECK (b IN (1, 2)))'; END $$;
CREATE DOMAIN over_0 AS text CHECK (VALUE IN ('a', 'b'));
DO $$ BEGIN FOR i IN 1..40 LOOP EXECUTE format('CREATE DOMAIN t_work.over_%s AS t_work.over_%s', i, i - 1); END LOOP; END $$;
CREATE TABLE domains (a over_0, b over_20, c over_40, d over_40 NOT NULL);
SELECT dp_protect(r, 1), dp_grant(r, 'regress_dp_work_victim', 0.5) FROM unnest('{long,enums,deep,domains}'::regclass[]) r;
SET SESSION AUTHORIZATION regress_dp_work_victim;
SELECT relation, column_name, kind, source, cardinality(labels) FROM dp_columns WHERE relation::text ~ '(long|deep|domains)$' ORDER BY relation::text, ordinal;
SELECT source, count(*) FROM dp_columns WHERE relation::text ~ 'enums$' GROUP BY source ORDER BY source;
-- as many columns and CHECKs as PostgreSQL allows are within the limits
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_dp_work_owner;
DO $$ BEGIN EXECUTE 'CREATE TABLE t_work.widest (' || (SELECT string_agg(format('c%s int CHECK (c%s BETWEEN 0 AND 10)', i, i), ',') FROM generate_series(1, 1600) i) || ')'; END $$;
SELECT dp_protect('widest', 1);
SELECT source, count(*) FROM dp_catalog.dp_column_domains('widest') GROUP BY source;
-- a value that does not repeat, and labels in the order in which they are given
CREATE TABLE twice (a text CHECK (a IN ('c', 'a', 'b', 'a', 'c')));
SELECT dp_protect('twice', 1);
SELECT labels FROM dp_catalog.dp_column_domains('twice');
RESET SESSION AUTHORIZATION;
DROP SCHEMA t_work CASCADE;
DROP ROLE regress_dp_work_owner, regress_dp_work_victim;
