-- What a role may do today with the rights of others, and what their types may run tomorrow.
SET client_min_messages = error;
\pset null NULL
\set VERBOSITY terse
\set SHOW_CONTEXT never
CREATE SCHEMA rights_later;
CREATE SCHEMA rights_later_made;
CREATE ROLE regress_dp_later_owner;
CREATE ROLE regress_dp_later_member IN ROLE regress_dp_later_owner;
GRANT USAGE, CREATE ON SCHEMA rights_later, rights_later_made TO regress_dp_later_owner, regress_dp_later_member;
SET search_path = rights_later, public;

-- ---- a domain that runs nothing yet gives way wherever its owner is not the table's -------------------
SET SESSION AUTHORIZATION regress_dp_later_owner;
CREATE DOMAIN small AS integer;
CREATE DOMAIN "Of two" AS text CHECK (value IN ('a', 'b'));
CREATE TYPE span AS RANGE (SUBTYPE = integer);
CREATE TABLE people (n small NOT NULL CHECK (n BETWEEN 0 AND 3), t "Of two" NOT NULL, ns small[], r span);
INSERT INTO people SELECT i % 4, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, ARRAY[i % 4], span(0, 1 + i % 4)
  FROM generate_series(1, 400) i;
SELECT dp_protect('people', 10, 0.1);
SELECT dp_define_column('people', c, fill => '{null}') FROM unnest('{ns,r}'::text[]) c;
CREATE FUNCTION types_made() RETURNS text LANGUAGE sql AS $$
	SELECT pg_catalog.string_agg(pg_catalog.format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
	  FROM pg_catalog.pg_attribute WHERE attrelid = pg_catalog.to_regclass('rights_later_made.people') AND attnum > 0 $$;
SELECT count(*) FROM dp_create_synthetic('{people}', 'rights_later_made', 1, options => '{"method": "marginal"}');
SELECT 'the owner' AS who, types_made();
DROP TABLE rights_later_made.people;
RESET SESSION AUTHORIZATION;
-- a superuser has the rights of the types' owner, and is not the owner
SELECT count(*) FROM dp_create_synthetic('{people}', 'rights_later_made', 1, options => '{"method": "marginal"}');
SELECT 'a superuser' AS who, types_made();
-- a CHECK that the owner adds afterwards does not run as the superuser
SET SESSION AUTHORIZATION regress_dp_later_owner;
CREATE FUNCTION who_ran() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'ran as %', current_user; END $$;
ALTER DOMAIN small ADD CONSTRAINT later CHECK (who_ran()) NOT VALID;
ALTER DOMAIN "Of two" ADD CONSTRAINT later CHECK (who_ran()) NOT VALID;
RESET SESSION AUTHORIZATION;
INSERT INTO rights_later_made.people (n, t) VALUES (1, 'a');
DROP TABLE rights_later_made.people;
ALTER DOMAIN small DROP CONSTRAINT later;
ALTER DOMAIN "Of two" DROP CONSTRAINT later;
-- a member has the owner's rights, and the owner has not the member's
SET SESSION AUTHORIZATION regress_dp_later_member;
SELECT count(*) FROM dp_create_synthetic('{people}', 'rights_later_made', 1, options => '{"method": "marginal"}');
SELECT 'a member' AS who, types_made();
DROP TABLE rights_later_made.people;
RESET SESSION AUTHORIZATION;

-- ---- who has a role's privileges and cannot become it does not run its code as it -----------------------
-- Without SET FALSE, which 16 brings, the membership itself is missing.
SELECT current_setting('server_version_num')::integer >= 160000 AS can_inherit_alone \gset
CREATE ROLE regress_dp_later_heir;
\if :can_inherit_alone
GRANT regress_dp_later_owner TO regress_dp_later_heir WITH INHERIT TRUE, SET FALSE;
\endif
GRANT USAGE, CREATE ON SCHEMA rights_later, rights_later_made TO regress_dp_later_heir;
SET SESSION AUTHORIZATION regress_dp_later_heir;
SET ROLE regress_dp_later_owner;
SELECT * FROM dp_catalog.dp_statement('SELECT current_user', ARRAY['people'::regclass::oid]);
SET SESSION AUTHORIZATION regress_dp_later_member;
SELECT * FROM dp_catalog.dp_statement('SELECT current_user', ARRAY['people'::regclass::oid]);
RESET SESSION AUTHORIZATION;

-- what such a custodian declares is read as the type below: no CHECK of the owner's domain runs as the heir
CREATE ROLE regress_dp_later_second;
\if :can_inherit_alone
GRANT regress_dp_later_owner TO regress_dp_later_second WITH INHERIT TRUE, SET FALSE;
\else
GRANT regress_dp_later_owner TO regress_dp_later_second;
\endif
GRANT USAGE ON SCHEMA rights_later TO regress_dp_later_second;
SET SESSION AUTHORIZATION regress_dp_later_owner;
CREATE FUNCTION not_the_heir() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF current_user = 'regress_dp_later_second' THEN RAISE 'ran as the heir'; END IF;
	RETURN true;
END $$;
ALTER DOMAIN small ADD CONSTRAINT heir CHECK (not_the_heir()) NOT VALID;
ALTER DOMAIN "Of two" ADD CONSTRAINT heir CHECK (not_the_heir());
SET SESSION AUTHORIZATION regress_dp_later_second;
SELECT dp_define_column('people', 't', categories => '{a,b}', complete => true);
SELECT dp_define_column('people', 'n', bins => '{0,2,4}');
SELECT dp_define_column('people', 'ns', fill => '{null}');
-- or its columns are not known to the heir
DO $$ BEGIN PERFORM dp_define_cells('people', '{n,t}', '{{1,a}}'); EXCEPTION WHEN undefined_column THEN NULL; END $$;
DO $$ BEGIN PERFORM dp_define_cells('people', '{n}', '{{1},{3}}', '{10,20}'); EXCEPTION WHEN undefined_column THEN NULL; END $$;
RESET SESSION AUTHORIZATION;

SET client_min_messages = error;
DROP SCHEMA rights_later, rights_later_made CASCADE;
DROP OWNED BY regress_dp_later_owner, regress_dp_later_member, regress_dp_later_heir, regress_dp_later_second;
DROP ROLE regress_dp_later_second, regress_dp_later_member, regress_dp_later_heir, regress_dp_later_owner;
