-- Tables of which nothing is modelled but how many rows there are, and public tables that are empty.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = error;
CREATE SCHEMA t_bare;
CREATE SCHEMA t_bare_made;
CREATE TABLE t_bare.account (id integer PRIMARY KEY, label text);
CREATE TABLE t_bare.entry (id serial PRIMARY KEY, account integer NOT NULL REFERENCES t_bare.account, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TABLE t_bare.device (id integer PRIMARY KEY, serves integer GENERATED ALWAYS AS (id * 7) STORED);
INSERT INTO t_bare.account SELECT i, 'account ' || i FROM generate_series(1, 300) i;
INSERT INTO t_bare.entry (account, kind) SELECT i, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END FROM generate_series(1, 300) i, generate_series(1, 3) k WHERE k <= i % 4;
INSERT INTO t_bare.device SELECT i FROM generate_series(1, 500) i;
SELECT dp_protect('t_bare.account', epsilon => 200, delta => 1e-6);
SELECT dp_protect('t_bare.entry', parent => 't_bare.account', max_rows_per_unit => 3);
SELECT dp_protect('t_bare.device', epsilon => 200, delta => 1e-6);
SELECT dp_define_column('t_bare.account', 'label', fill => 'account {n}');
SELECT relation, rows BETWEEN 250 AND 550 AS near FROM dp_create_synthetic('t_bare', 't_bare_made', 20, 1e-9, seed => 1);
SELECT count(*) = count(DISTINCT id) AS differ, bool_and(serves = id * 7) AS computed FROM t_bare_made.device;
SELECT count(*) = count(a.id) AS of_some, count(DISTINCT a.label) > 150 AS labels FROM t_bare_made.entry e LEFT JOIN t_bare_made.account a ON a.id = e.account;
-- one relation by itself, by any method, and what else there is of it
SELECT method, (SELECT count(*) BETWEEN 400 AND 600 FROM dp_sample(NULL::t_bare.device, r.release)) AS near
  FROM (SELECT m AS method, dp_release('t_bare.device', m, 10, 1e-7) AS release FROM unnest('{aim,mst,sbhg,flat,sba,mwem,cipher,privbayes}'::text[]) m) r;
SELECT stage FROM dp_explain('t_bare.device', 'mst', 1);
SET client_min_messages = notice;
SELECT dp_release('t_bare.device', 'flat', 1) > 0 AS released;
SET client_min_messages = error;
SELECT max(release) AS release FROM dp_releases \gset
SELECT round(estimate::numeric, -2) FROM dp_answer(:release, '{}');
SELECT dp_report(:release) ~ 't_bare' AS page;
-- where a column would be NULL in each row, nothing is to be had of the relation
CREATE TABLE t_bare.silent (id integer PRIMARY KEY, words text);
SELECT dp_protect('t_bare.silent', epsilon => 9);
SELECT dp_release('t_bare.silent', 'flat', 1);

-- public tables without rows: what can refer to none does, what must has no rows, and all of it is said first
CREATE SCHEMA t_void;
CREATE SCHEMA t_void_made;
CREATE TABLE t_void.tag (id integer PRIMARY KEY, site integer, no integer, UNIQUE (site, no));
CREATE TABLE t_void.person (id integer PRIMARY KEY, age integer NOT NULL CHECK (age BETWEEN 1 AND 90), tag integer REFERENCES t_void.tag, site integer, no integer,
	FOREIGN KEY (site, no) REFERENCES t_void.tag (site, no));
CREATE TABLE t_void.tagged (person integer REFERENCES t_void.person, tag integer REFERENCES t_void.tag, PRIMARY KEY (person, tag));
CREATE TABLE t_void.voted (id serial PRIMARY KEY, person integer, tag integer, up boolean, FOREIGN KEY (person, tag) REFERENCES t_void.tagged);
INSERT INTO t_void.person SELECT i, 1 + i % 89 FROM generate_series(1, 300) i;
CREATE TEMP TABLE script AS SELECT line, n FROM dp_suggest_protection('t_void') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|public\(|tag' ORDER BY n;
SELECT replace(line, 'epsilon => 10,', 'epsilon => 1000,') FROM script WHERE line LIKE 'SELECT%' ORDER BY n
\gexec
SELECT column_name, kind, source, labels FROM dp_columns WHERE relation = 't_void.tagged'::regclass ORDER BY ordinal;
SET client_min_messages = notice;
\set VERBOSITY terse
SELECT count(*) FROM dp_explain('{t_void.person,t_void.tagged,t_void.voted}', 'aim', 5, 1e-9);
SET client_min_messages = error;
SELECT relation, rows > 0 AS rows FROM dp_create_synthetic('t_void', 't_void_made', 500, 1e-9, seed => 1);
SELECT conrelid::regclass, replace(pg_get_constraintdef(oid), 't_void_made.', '') FROM pg_constraint WHERE connamespace = 't_void_made'::regnamespace AND contype = 'f' ORDER BY 1, 2;
SELECT count(tag) + count(site) < 4 AS few_refer FROM t_void_made.person;
-- of a key of two columns the one refers to nothing that can be NULL: a domain says that the other cannot
CREATE SCHEMA t_void_guests;
CREATE DOMAIN t_void.place AS integer NOT NULL;
CREATE TABLE t_void.guest (id integer PRIMARY KEY, site t_void.place CHECK (site BETWEEN 1 AND 9), no integer, FOREIGN KEY (site, no) REFERENCES t_void.tag (site, no));
INSERT INTO t_void.guest SELECT i, 1 + i % 9 FROM generate_series(1, 300) i;
SELECT dp_protect('t_void.guest', epsilon => 1000);
SELECT dp_define_column('t_void.guest', 'no', fill => '2');
SELECT relation, rows > 0 AS rows FROM dp_create_synthetic('{t_void.tag,t_void.guest}', 't_void_guests', 500, 1e-9, seed => 1);
SELECT conrelid::regclass, replace(pg_get_constraintdef(oid), 't_void_guests.', '') FROM pg_constraint WHERE connamespace = 't_void_guests'::regnamespace AND contype = 'f' ORDER BY 1, 2;
DROP SCHEMA t_bare_made, t_bare, t_void_made, t_void_guests, t_void CASCADE;
