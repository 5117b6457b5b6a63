-- Relations whose owner wants whoever looks at them to wait. Each is granted to a role that did not
-- ask for it.
CREATE ROLE owner LOGIN;
CREATE ROLE victim LOGIN;
CREATE SCHEMA hostile AUTHORIZATION owner;
GRANT USAGE ON SCHEMA hostile TO victim;
SET ROLE owner;
SET search_path = hostile, public;
SET client_min_messages = error;
-- Runs a statement with %s in it for what stands n times, with the number in place of #.
CREATE FUNCTION made(statement text, item text, separator text, n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format(statement, (SELECT string_agg(replace(item, '#', i::text), separator) FROM generate_series(1, n) i));
END $$;
CREATE TABLE constant (a text CHECK (a IN ('x', left(repeat('y', 900000000), 1))));
CREATE TABLE bound (a text NOT NULL UNIQUE CHECK (a < left(repeat('y', 900000000), 1)));
CREATE TABLE computed (b int, g int GENERATED ALWAYS AS (length(repeat('y', 900000000)) + b) STORED);
CREATE DOMAIN slow AS text CHECK (VALUE <> rpad('y', 900000000, 'z'));
CREATE TABLE of_domain (a slow, b slow NOT NULL);
CREATE TABLE row_by_row (a text NOT NULL CHECK (length(repeat(a, 100000000)) > 0),
	b int NOT NULL DEFAULT length(repeat('z', 900000000)));
CREATE TABLE number (a numeric CHECK (a < 9.9 ^ 99999), b numeric CHECK (b <> exp(99999::numeric)),
	c numeric CHECK (c <> round(1.5, 1000) * round(2.5, 1000)));
CREATE TABLE matched (a text NOT NULL CHECK (a ~ '^(((a{1,9}){1,9}){1,9}b?){1,9}$'),
	b text NOT NULL UNIQUE CHECK (b ~ '^(x+)\1+y$'));
SELECT made('CREATE TYPE many AS ENUM (%s)', $$'label #'$$, ',', 20000);
SELECT made('CREATE TABLE enums (%s)', 'c# many', ',', 600);
SELECT made('CREATE TABLE list (a text CHECK (a IN (%s)), b int)', $$'label #'$$, ',', 100000);
SELECT made('CREATE TABLE wide (%s)', 'c# int CHECK (c# BETWEEN 0 AND 10)', ',', 1600);
SELECT made('CREATE TABLE mentions (%s)', 'c# int', ',', 1000);
SELECT made('ALTER TABLE mentions ' || (SELECT string_agg('ADD CHECK (%1$s)', ',') FROM generate_series(1, 20)), 'c# > #', ' OR ', 1000);
SELECT made('CREATE TABLE branches (a text NOT NULL UNIQUE CHECK (%s))', $$a ~ '^[a-z]{#}[0-9]{3}$'$$, ' OR ', 250);
SELECT made('CREATE TABLE deep (a int CHECK (%s 1' || repeat(')', 2000) || ' > 0))', '(a +', ' ', 2000);
CREATE DOMAIN d0 AS text CHECK (VALUE <> 'no');
SELECT made(format('CREATE DOMAIN d%s AS d%s CHECK (VALUE <> %%s)', i, i - 1), $$'no #'$$, ',', 1) FROM generate_series(1, 200) i;
SELECT made('CREATE TABLE chain (%s)', 'c# d200', ',', 300);
SELECT made('CREATE TABLE links (%s)', 'c# d20', ',', 600);
SELECT made('CREATE TABLE defaults (%s)', format('c# text NOT NULL DEFAULT %L', repeat('x', 20000)), ',', 300);
CREATE TABLE parted (a int, b int CHECK (b > 0)) PARTITION BY LIST (a);
SELECT made(format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES IN (%%s)', i), i::text, ',', 1) FROM generate_series(1, 200) i;
SELECT dp_protect(c.oid::regclass, 1), dp_grant(c.oid::regclass, 'victim', 0.5)
  FROM pg_class c WHERE c.relnamespace = 'hostile'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname !~ '^parted_';
