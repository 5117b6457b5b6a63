-- dp_marginals of columns, without groups, is counted by a node of its own: the same counts and errors.
CREATE SCHEMA t_counting_scan;
SET search_path = t_counting_scan, public;
CREATE TABLE visit (id int, sex text, age smallint, town varchar(10), score numeric, day date) WITH (autovacuum_enabled = off);
INSERT INTO visit
SELECT i, CASE i % 3 WHEN 0 THEN 'f' WHEN 1 THEN 'm' END, i % 7, 'town' || i % 4, (i % 5)::numeric, '2024-01-01'::date + i % 3
FROM generate_series(1, 5000) i;
UPDATE visit SET town = NULL WHERE id % 11 = 0;
ALTER TABLE visit DROP COLUMN id, ADD COLUMN note text DEFAULT 'x';
UPDATE visit SET note = repeat('long ', 1000) WHERE age = 3;
ALTER TABLE visit ALTER COLUMN note SET STORAGE EXTERNAL;
SELECT dp_marginal_spec(domains => '[{"name": "sex", "type": "text", "categories": ["f", "m"], "other": true},
	{"name": "age", "type": "smallint", "bins": ["0", "2", "5", "7"], "other": true},
	{"name": "town", "type": "character varying", "categories": ["town0", "town1"], "other": true},
	{"name": "score", "type": "numeric", "categories": ["0", "1", "2.0"], "other": true},
	{"name": "note", "type": "text", "categories": ["x"], "other": true}]', ways => 2) AS spec \gset
SET max_parallel_workers_per_gather = 0;

-- where it stands, and where it does not: a condition of the aggregate keeps PostgreSQL's own way
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		RETURN NEXT regexp_replace(line, '''\\x[0-9a-f]*''', '...');
	END LOOP;
END $$;
SELECT plan(format('SELECT dp_marginals(%L, sex, age, town, score, note) FROM visit', :'spec'));
SELECT plan(format('SELECT dp_marginals(%L, sex, age, town, score, note)::text FROM visit WHERE age > 1', :'spec'));
SELECT plan(format('SELECT dp_marginals(%L, sex, age, town, score, note) FILTER (WHERE age > 1) FROM visit', :'spec'));
SELECT plan(format('SELECT age, dp_marginals(%L, sex, age, town, score, note) FROM visit GROUP BY age', :'spec'));
SELECT plan(format('SELECT dp_marginals(%L, sex, age, town, score, note), count(*) FROM visit', :'spec'));
SELECT plan('SELECT dp_marginals(dp_marginal_spec(''visit'', columns => ''{age}''), age) FROM visit');
SELECT plan(format('SELECT dp_marginals(set_byte(%L, 0, age), sex, age, town, score, note) FROM visit', :'spec'));
SELECT plan(format('SELECT dp_marginals(%L, upper(sex), age, town, score, note) FROM visit', :'spec'));

-- the same counts: rows as they are, columns in another order, of a join, of a sub-query, of partitions
CREATE TABLE part (LIKE visit) PARTITION BY RANGE (age);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (3);
CREATE TABLE part_high (note text, town varchar(10), day date, sex text, score numeric, age smallint);
ALTER TABLE part ATTACH PARTITION part_high FOR VALUES FROM (3) TO (10);
INSERT INTO part SELECT * FROM visit;
CREATE TABLE counted (what text, counts text);
INSERT INTO counted SELECT 'aggregate', dp_marginals(:'spec', sex, age, town, score, note) FILTER (WHERE true)::text FROM visit;
INSERT INTO counted SELECT 'scan', dp_marginals(:'spec', sex, age, town, score, note)::text FROM visit;
INSERT INTO counted SELECT 'partitions', dp_marginals(:'spec', sex, age, town, score, note)::text FROM part;
INSERT INTO counted SELECT 'sub-query', dp_marginals(:'spec', s, age, town, score, note)::text FROM (SELECT note, score, age, town, lower(sex) AS s FROM visit OFFSET 0) v;
INSERT INTO counted SELECT 'join', dp_marginals(:'spec', v.sex, v.age, v.town, v.score, v.note)::text FROM visit v JOIN (VALUES (1), (2)) one(n) ON n = 1 + v.age * 0;
INSERT INTO counted SELECT 'initplan', dp_marginals((SELECT :'spec'::bytea OFFSET 0), sex, age, town, score, note)::text FROM visit;
PREPARE with_spec(bytea) AS INSERT INTO counted SELECT 'parameter', dp_marginals($1, sex, age, town, score, note)::text FROM visit;
SET plan_cache_mode = force_generic_plan;
EXECUTE with_spec(:'spec');
RESET plan_cache_mode;
SELECT what, counts = first_value(counts) OVER () AS same FROM counted;
SELECT count(*), sum(count) FROM dp_cells((SELECT dp_marginals(:'spec', sex, age, town, score, note) FROM visit));

-- columns before those of variable length are read where they are in a tuple, but where it has NULLs
-- or lacks columns that were added later, and in each partition as that has them
CREATE TABLE fixed (flag boolean, a smallint, b bigint, id uuid, c int, note text) PARTITION BY RANGE (a);
CREATE TABLE fixed_low PARTITION OF fixed FOR VALUES FROM (MINVALUE) TO (3);
CREATE TABLE fixed_high (gone int, c int, b bigint, a smallint, id uuid, flag boolean, note text);
ALTER TABLE fixed_high DROP COLUMN gone;
ALTER TABLE fixed ATTACH PARTITION fixed_high FOR VALUES FROM (3) TO (MAXVALUE);
INSERT INTO fixed
SELECT CASE WHEN i % 10 > 0 THEN i % 3 = 0 END, i % 7, i % 5, CASE i % 2 WHEN 0 THEN '00000000-0000-0000-0000-000000000001'::uuid
	ELSE '00000000-0000-0000-0000-000000000002' END, i % 11, repeat('n', i % 4)
FROM generate_series(1, 3000) i;
ALTER TABLE fixed ADD COLUMN late int DEFAULT 4, ADD COLUMN never int;
INSERT INTO fixed SELECT flag, a, b, id, c, note, 5, 1 FROM fixed WHERE c = 3;
SELECT dp_marginal_spec(domains => '[{"name": "c", "type": "integer", "categories": ["1", "2", "3"], "other": true},
	{"name": "id", "type": "uuid", "categories": ["00000000-0000-0000-0000-000000000001"], "other": true},
	{"name": "a", "type": "smallint", "bins": ["0", "2", "5", "7"], "other": true},
	{"name": "flag", "type": "boolean", "categories": ["f", "t"], "other": true},
	{"name": "b", "type": "bigint", "categories": ["1", "2"], "other": true}]', ways => 3) AS fixed \gset
SELECT dp_marginal_spec(domains => '[{"name": "late", "type": "integer", "categories": ["4", "5"], "other": true},
	{"name": "never", "type": "integer", "categories": ["1"], "other": true}]', ways => 2) AS late \gset
SELECT relation, dp_marginals(:'fixed', c, id, a, flag, b) FILTER (WHERE true)::text = (SELECT dp_marginals(:'fixed', c, id, a, flag, b)::text FROM fixed) AS all_rows,
	   dp_marginals(:'fixed', c, id, a, flag, b) FILTER (WHERE a < 3)::text = (SELECT dp_marginals(:'fixed', c, id, a, flag, b)::text FROM fixed_low) AS low,
	   dp_marginals(:'fixed', c, id, a, flag, b) FILTER (WHERE a >= 3)::text = (SELECT dp_marginals(:'fixed', c, id, a, flag, b)::text FROM fixed_high) AS high,
	   dp_marginals(:'late', late, never) FILTER (WHERE true)::text = (SELECT dp_marginals(:'late', late, never)::text FROM fixed) AS late
FROM fixed, (VALUES ('fixed')) r(relation) GROUP BY relation;
SELECT cell, count FROM dp_cells((SELECT dp_marginals(:'late', late, never) FROM fixed)) ORDER BY 1;

-- an aggregate of one's own that begins or ends in another way is PostgreSQL's
CREATE FUNCTION ended(dp_counts) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 7';
CREATE AGGREGATE ends(bytea, VARIADIC "any") (SFUNC = dp_catalog.dp_marginals_transition, STYPE = dp_counts, FINALFUNC = ended);
CREATE AGGREGATE stays(bytea, VARIADIC "any") (SFUNC = dp_catalog.dp_marginals_transition, STYPE = dp_counts);
SELECT dp_marginals(:'late', late, never)::text AS begun FROM fixed \gset
CREATE AGGREGATE begins(bytea, VARIADIC "any") (SFUNC = dp_catalog.dp_marginals_transition, STYPE = dp_counts,
	FINALFUNC = dp_catalog.dp_counts_final, INITCOND = :'begun');
SELECT ends(:'late', late, never) FROM fixed;
SELECT stays(:'late', late, never)::text = :'begun' AS same FROM fixed;
SELECT (SELECT sum(count) FROM dp_cells(c)) AS twice FROM (SELECT begins(:'late', late, never) AS c FROM fixed) v;

-- for each row of another query, anew; no row is no count
SELECT least, (SELECT sum(count) FROM dp_cells(c) WHERE set_number = 1) AS rows
FROM (VALUES (0), (3), (6), (7)) l(least), LATERAL (SELECT dp_marginals(:'spec', sex, age, town, score, note) AS c FROM visit WHERE age >= least OFFSET 0) v;
BEGIN;
DECLARE counting SCROLL CURSOR FOR SELECT dp_marginals(:'spec', sex, age, town, score, note) IS NULL AS none FROM visit WHERE age > 100;
FETCH counting;
FETCH counting;
FETCH BACKWARD counting;
COMMIT;

-- the same errors
SELECT dp_marginals(NULL::bytea, sex, age, town, score, note) FROM visit;
SELECT dp_marginals(NULL::bytea, sex, age, town, score, note) FROM visit WHERE false;
SELECT dp_marginals(:'spec', sex, age) FROM visit;
SELECT dp_marginals(:'spec', age, sex, town, score, note) FROM visit;
SELECT dp_marginals('\x00', sex, age, town, score, note) FROM visit;
SELECT dp_marginal_spec(domains => '[{"name": "age", "type": "smallint", "categories": ["0", "1"], "other": false}]', ways => 1) AS complete \gset
SELECT dp_marginals(:'complete', age) FROM visit;
SET dpsyn.counting_memory = '1kB';
SELECT dp_marginals(:'spec', sex, age, town, score, note) FROM visit;
RESET dpsyn.counting_memory;
CREATE ROLE regress_dp_counting_scan;
GRANT USAGE ON SCHEMA t_counting_scan TO regress_dp_counting_scan;
GRANT SELECT (age) ON visit TO regress_dp_counting_scan;
SELECT dp_marginal_spec(domains => '[{"name": "age", "type": "smallint", "categories": ["0", "1"], "other": true}]', ways => 1) AS ages \gset
SET ROLE regress_dp_counting_scan;
SELECT dp_marginals(:'ages', age) IS NOT NULL AS counts FROM visit;
SELECT dp_marginals(:'spec', sex, age, town, score, note) FROM visit;
RESET ROLE;
BEGIN;
REVOKE EXECUTE ON FUNCTION dp_marginals(bytea, VARIADIC "any") FROM public;
SET LOCAL ROLE regress_dp_counting_scan;
SELECT dp_marginals(:'ages', age) FROM visit;
ROLLBACK;
SET client_min_messages = warning;
DROP SCHEMA t_counting_scan CASCADE;
DROP ROLE regress_dp_counting_scan;
