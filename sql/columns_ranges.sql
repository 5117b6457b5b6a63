-- Columns with a public range: where it comes from, what is declared, what a release makes of it.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t53;
CREATE ROLE regress_dp_53_owner;
CREATE ROLE regress_dp_53_analyst;
GRANT USAGE, CREATE ON SCHEMA t53 TO regress_dp_53_owner;
GRANT USAGE ON SCHEMA t53 TO regress_dp_53_analyst;
SET search_path = t53, public;
CREATE FOREIGN DATA WRAPPER regress_dp_53_fdw;
CREATE SERVER regress_dp_53_server FOREIGN DATA WRAPPER regress_dp_53_fdw;
GRANT USAGE ON FOREIGN SERVER regress_dp_53_server TO regress_dp_53_owner;
SET SESSION AUTHORIZATION regress_dp_53_owner;
SET client_min_messages = warning;

-- protects a relation and prints its domains
CREATE FUNCTION facts(regclass)
	RETURNS TABLE (column_name name, kind text, source text, labels text[], has_other boolean, resolution text)
	LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL client_min_messages = error;
	PERFORM dp_protect($1, 1000, 0.1);
	SET LOCAL client_min_messages = warning;
	RETURN QUERY SELECT c.column_name, c.kind, c.source, c.labels, c.has_other, c.resolution
				   FROM dp_columns c WHERE c.relation = $1 ORDER BY ordinal;
END
$$;

-- ---- the type itself
CREATE TABLE types (
	i2 smallint, i4 integer NOT NULL, i8 bigint, n5 numeric(5,2), n0 numeric(3), n_3 numeric(2,-3), n35 numeric(3,5), n18 numeric(18,4),
	n19 numeric(19,4), n numeric, r real, f double precision, m money, d date, ts timestamp, ts0 timestamp(0), ts3 timestamp(3), tz timestamptz,
	t time, t1 time(1), tt timetz, iv interval, iv0 interval(0), dm interval day to minute, ym interval year to month, t_ text, u uuid, b bytea);
SELECT * FROM facts('types');

-- ---- what is not modelled by its type, and why
CREATE TABLE given (
	id serial PRIMARY KEY, code integer UNIQUE, a integer, b integer, always integer GENERATED ALWAYS AS IDENTITY,
	numbered bigint DEFAULT nextval('given_id_seq') , twice integer GENERATED ALWAYS AS (2 * a) STORED, tagged integer DEFAULT 7,
	partial integer, UNIQUE (a, b));
CREATE UNIQUE INDEX ON given (partial) WHERE partial > 0;
SELECT * FROM facts('given');
CREATE TABLE linked (a integer, b integer, c integer, PRIMARY KEY (a, b));
SELECT * FROM facts('linked');
CREATE TABLE visits (patient integer NOT NULL, cost integer NOT NULL);
SELECT dp_protect('visits', 1, unit_column => 'patient', max_rows_per_unit => 2);
SELECT column_name, kind, source FROM dp_columns WHERE relation = 'visits'::regclass;
-- unless it is declared
SELECT dp_define_column('given', 'id', range => '{1,1000}'), dp_define_column('visits', 'patient', range => '{1,10}');
SELECT column_name, kind, source, labels FROM dp_columns WHERE column_name IN ('id', 'patient') ORDER BY 1;

-- ---- CHECK by type
CREATE TABLE checks (
	i2 smallint CHECK (i2 > 0), i4 integer CHECK (i4 BETWEEN -5 AND 5), i8 bigint CHECK (i8 <= 10),
	n5 numeric(5,2) CHECK (n5 >= 0.005 AND n5 < 1.5), n numeric CHECK (n >= 0 AND n <= 1000), half numeric CHECK (half >= 0),
	r real CHECK (r > 0.1 AND r <= 0.7), f double precision CHECK (f >= -1 AND f <= 1), m money CHECK (m >= '0'::money),
	d date CHECK (d >= '1900-01-01' AND d < DATE '2100-01-01'), ts timestamp CHECK (ts > '2000-01-01'),
	tz timestamptz CHECK (tz >= '2000-01-01 00:00+00'), t time CHECK (t >= '08:00' AND t < '17:30'),
	tt timetz CHECK (tt <= '17:30+00'), iv interval CHECK (iv >= '0' AND iv <= '90 days'));
SELECT * FROM facts('checks');

-- ---- shapes of expressions
CREATE TABLE shapes (
	turned integer CHECK (0 <= turned AND 120 >= turned),
	apart integer CONSTRAINT a CHECK (apart >= 0) CONSTRAINT b CHECK (apart >= 3) CONSTRAINT c CHECK (apart < 9 AND apart <= 8),
	negated integer CHECK (NOT (negated < 0) AND NOT negated > 9),
	either integer CHECK (either BETWEEN 1 AND 3 OR either BETWEEN 7 AND 9),
	or_null integer CHECK (or_null IS NULL OR or_null BETWEEN 1 AND 3),
	wider smallint CHECK (wider >= 1.5 AND wider <= 8::bigint),
	computed integer CHECK (computed >= 2 * 3 + 1 AND computed <= -(-9)),
	listed integer CHECK (listed BETWEEN 2 AND 4 AND listed IN (1, 2, 3)),
	other integer CHECK (other >= 0 AND other <= turned AND (other < 5 OR apart > 2)),
	-- these bound nothing
	one_end integer CHECK (one_end >= 5 OR one_end <= -5),
	rounded numeric(4,1) CHECK (rounded::integer <= 5),
	shifted integer CHECK (shifted + 1 <= 5),
	called integer CHECK (abs(called) <= 5),
	zoned date CHECK (zoned <= TIMESTAMPTZ '2020-01-01 00:00+00'),
	differs integer CHECK (differs <> 5),
	unknown_or integer CHECK (unknown_or <= 5 OR random() > 2),
	with_null integer CHECK (with_null <= NULL),
	never_infinite double precision CHECK (never_infinite > '-Infinity' AND never_infinite < 'Infinity'),
	divided integer CHECK (divided <= 1 / 0));
SELECT column_name, source, labels FROM facts('shapes');

-- ---- an operator that somebody wrote says nothing, whatever it is called
CREATE FUNCTION less(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR t53.<= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = less);
CREATE FUNCTION limit_of() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 5';
CREATE TABLE owners (a integer CHECK (a OPERATOR(t53.<=) 5), b integer CHECK (b <= limit_of()));
SELECT column_name, source, labels FROM facts('owners');

-- ---- only what PostgreSQL enforces
CREATE TABLE loose (a integer, b integer CHECK (b <= 5) NO INHERIT, c integer CHECK (c <= 5));
ALTER TABLE loose ADD CONSTRAINT late CHECK (a <= 5) NOT VALID;
SELECT column_name, source, labels FROM facts('loose');
ALTER TABLE loose VALIDATE CONSTRAINT late;
SELECT column_name, source, labels FROM dp_columns WHERE relation = 'loose'::regclass ORDER BY ordinal;
CREATE FOREIGN TABLE far (a integer NOT NULL CHECK (a <= 5), n numeric(3,1)) SERVER regress_dp_53_server;
SELECT column_name, source, labels, has_other FROM facts('far');
CREATE VIEW seen AS SELECT c, 1.5::numeric(3,1) AS n FROM loose;
SELECT column_name, source, labels FROM facts('seen');

-- ---- domain types, over each other
CREATE DOMAIN amount AS numeric(8,2) CHECK (VALUE >= 0);
CREATE DOMAIN fee AS amount NOT NULL CHECK (VALUE <= 99.50);
CREATE DOMAIN unsure AS integer;
ALTER DOMAIN unsure ADD CHECK (VALUE <= 5) NOT VALID;
CREATE TABLE domains (a amount, f fee CHECK (f > 10), u unsure);
SELECT * FROM facts('domains');

-- ---- what is declared
CREATE TABLE t (age integer NOT NULL CHECK (age >= 0), f double precision, n numeric, p numeric(4,1), d date, ts timestamptz, t time, iv interval, ym interval year to month, m money, s text, flag boolean, born fee);
SELECT dp_protect('t', 1);
CREATE FUNCTION shown(name) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', kind, source, labels, resolution) FROM dp_columns WHERE relation = 't53.t'::regclass AND column_name = $1
$$;
SELECT shown('age'), dp_define_column('t', 'age', range => '{0,120}'), shown('age');
SELECT dp_define_column('t', 'age', range => '{0,120}', resolution => '5', bins_max => 10), shown('age');
-- less what CHECKs forbid, at the declared resolution; where nothing would be left, it is as declared
CREATE DOMAIN fee_or_none AS amount CHECK (VALUE <= 99.50);
CREATE TABLE narrowed (a integer CHECK (a > 0 AND a <= 120), n numeric CHECK (n < 99.9), r real CHECK (r > 0.1), f fee_or_none,
	d date CHECK (d >= '2000-01-03'), tz timestamptz CHECK (tz < '2020-01-01 00:00+00'), within integer CHECK (within BETWEEN -5 AND 500),
	apart integer CHECK (apart > 1000), late integer);
ALTER TABLE narrowed ADD CHECK (late <= 5) NOT VALID;
SELECT dp_protect('narrowed', 100000);
SELECT dp_define_column('narrowed', c, range => '{0,1000}', resolution => '5') FROM unnest('{a,within,apart,late}'::name[]) c;
SELECT dp_define_column('narrowed', c, range => '{0,200}', resolution => '0.5') FROM unnest('{n,r,f}'::name[]) c;
SELECT dp_define_column('narrowed', c, range => '{1990-01-01,2030-01-01}', resolution => '7 days') FROM unnest('{d,tz}'::name[]) c;
SELECT column_name, source, labels, resolution FROM dp_columns WHERE relation = 'narrowed'::regclass ORDER BY ordinal;
INSERT INTO narrowed (a, n) SELECT 1 + i % 120, 99.8 FROM generate_series(1, 2000) i;
SELECT min(a), max(a), max(n) FROM dp_synthesize_marginal(NULL::narrowed, 10000, columns => '{a,n}', seed => 1);
-- an end that is missing is assumed for a type without limits, unless the other one lies further out
CREATE TABLE assumed (n19 numeric(19,4), n20 numeric(20,10), low numeric CHECK (low >= -1e12), far numeric CHECK (far <= -1e13),
	f float8 CHECK (f <= 5), both_ends float8 CHECK (both_ends BETWEEN -1e15 AND 1e15), r real);
SELECT column_name, source, labels, resolution FROM facts('assumed');
INSERT INTO assumed (f, r, n20, low) SELECT i % 5 + 0.25, 1e15, 7.123456789, i % 7 / 4.0 FROM generate_series(1, 2000) i;
INSERT INTO assumed (f, r, n20) SELECT '-Infinity', 'NaN', NULL FROM generate_series(1, 500) i;
-- without noise (a leaf that is counted at epsilon 56 has any once in 1e24): what a cell of the grid does not tell apart is its roundest number
CREATE TABLE drawn AS SELECT * FROM dp_synthesize_marginal(NULL::assumed, 900, columns => '{f,r,n20,low}', range_share => 0.5, seed => 1);
SELECT f, count(*) > 300 FROM drawn GROUP BY f ORDER BY f;
SELECT r, count(*) > 300 FROM drawn GROUP BY r ORDER BY r;
SELECT low, count(*) > 200 FROM drawn GROUP BY low ORDER BY low;
SELECT min(n20) > 7.1234, max(n20) < 7.124, count(*) - count(n20) > 300 FROM drawn;
SELECT dp_define_column('t', 'f', range => '{0,120}'), shown('f');
SELECT dp_define_column('t', 'f', range => '{-1e3,1e3}', resolution => '0.250'), shown('f');
SELECT dp_define_column('t', 'n', range => '{0,1000000}'), shown('n');
SELECT dp_define_column('t', 'p', range => '{0,99}', resolution => '.5'), shown('p');
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'Europe/Berlin';
SET IntervalStyle = sql_standard;
SELECT dp_define_column('t', 'd', range => '{01/02/2000,31/12/2030}', resolution => '7'), shown('d');
SELECT dp_define_column('t', 'ts', range => '{01/02/2000 01:00,31/12/2030}', resolution => '15 minutes'), shown('ts');
SELECT dp_define_column('t', 'iv', range => '{0,90 0:00}', resolution => '1 0:00'), shown('iv');
RESET DateStyle; RESET TimeZone; RESET IntervalStyle;
SELECT shown('d'), shown('ts'), shown('iv');
SELECT dp_define_column('t', 'm', range => '{0,100.50}'), shown('m');
SELECT dp_define_column('t', 't', range => '{08:00,18:00}', resolution => '1 min'), shown('t');
SELECT dp_define_column('t', 'born', range => '{0,50}'), shown('born'); -- 0 itself need not pass the domain's CHECK
-- removal: what the schema says comes back
SELECT dp_define_column('t', 'age'), shown('age');

-- ---- errors
SELECT dp_define_column('t', 'age', range => '{0}');
SELECT dp_define_column('t', 'age', range => '{0,NULL}');
SELECT dp_define_column('t', 'age', range => '{5,5}');
SELECT dp_define_column('t', 'age', range => '{9,5}');
SELECT dp_define_column('t', 'age', range => '{0,a}');
SELECT dp_define_column('t', 'age', range => '{0,3000000000}');
SELECT dp_define_column('t', 'age', range => '{0,120}', resolution => '0.5');
SELECT dp_define_column('t', 'age', range => '{0,120}', resolution => '0');
SELECT dp_define_column('t', 'age', range => '{0,120}', resolution => 'NaN');
SELECT dp_define_column('t', 'age', range => '{1,3}', resolution => '10');
SELECT dp_define_column('t', 'age', range => '{0,120}', bins_max => 1);
SELECT dp_define_column('t', 'age', range => '{0,120}', bins_max => 100000);
SELECT dp_define_column('t', 'f', range => '{0,Infinity}');
SELECT dp_define_column('t', 'f', range => '{0,NaN}');
SELECT dp_define_column('t', 'f', range => '{0,1e300}');
SELECT dp_define_column('t', 'f', range => '{0,1e10}', resolution => '1e-9');
SELECT dp_define_column('t', 'f', range => '{0,1}', resolution => '1e-40');
SELECT dp_define_column('t', 'p', range => '{0,99}', resolution => '0.05');
SELECT dp_define_column('t', 'p', range => '{0,1000}');
SELECT dp_define_column('t', 'd', range => '{2000-01-01,infinity}');
SELECT dp_define_column('t', 'd', range => '{2000-01-01,2001-01-01}', resolution => '1 hour');
SELECT dp_define_column('t', 'd', range => '{2000-01-01,2001-01-01}', resolution => '1 month');
SELECT dp_define_column('t', 'ts', range => '{2000-01-01,2001-01-01}', resolution => '-1 s');
SELECT dp_define_column('t', 'ym', range => '{0,5 years}');
SELECT dp_define_column('t', 's', range => '{a,b}');
SELECT dp_define_column('t', 'flag', range => '{f,t}');
SELECT dp_define_column('t', 'age', '{1,2}', range => '{0,120}');
SELECT dp_define_column('t', 'age', range => '{0,120}', other => '5');
SELECT dp_define_column('t', 'age', range => '{0,120}', complete => true);
SELECT dp_define_column('t', 'age', range => '{0,120}', domain => '[1]');
SELECT dp_define_column('t', 'age', '{1,2}', resolution => '5');
SELECT dp_define_column('t', 'age', bins => '{1,2}', bins_max => 5);
SELECT dp_define_column('t', 'age', resolution => '5');
SELECT dp_define_column('t', 'nix', range => '{0,120}');
SELECT dp_define_cells('t', '{age}', '{1}');
SELECT dp_define_cells('t', '{age}', '{1}', '{1}', 0.1);

-- ---- a declaration that no longer fits
SELECT dp_define_column('t', 'p', range => '{0,99}', resolution => '.5');
ALTER TABLE t ALTER p TYPE numeric(4,3);
SELECT column_name, kind, source FROM dp_columns WHERE relation = 't'::regclass AND column_name = 'p';
SELECT dp_release('t', 'sba', 1, 1e-6);
ALTER TABLE t DROP p;
SELECT dp_define_column('t', 'p');

-- ---- exact aggregates have no use for bins that are found later
SELECT dp_marginal_spec('visits');
SELECT dp_catalog.dp_marginal_columns(dp_marginal_spec('t', ways => 1));

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t53 CASCADE;
DROP FOREIGN DATA WRAPPER regress_dp_53_fdw CASCADE;
DROP ROLE regress_dp_53_owner, regress_dp_53_analyst;
