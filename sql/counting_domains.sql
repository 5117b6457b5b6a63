-- What dp_marginals counts, beyond types: values outside a complete domain,
-- collations, types of users, many sets, and who needs which right.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
SET client_min_messages = warning;
CREATE SCHEMA t22;
CREATE SCHEMA t22_types;
SET search_path = t22, public;

-- a complete domain has no level for other values: in a user's own rows they are an error, which
-- quotes none
CREATE TABLE t (a int, b text);
INSERT INTO t SELECT 1 + i % 2, chr(97 + i % 2) FROM generate_series(1, 5000) i;
SELECT dp_marginal_spec(domains => '[{"name": "a", "categories": [1, 2], "type": "integer", "other": false},
							   {"name": "b", "categories": ["a", "b"], "type": "text", "other": false}]') AS complete \gset
SELECT sum(count) FROM dp_cells((SELECT dp_marginals(:'complete', a, b) FROM t));
INSERT INTO t VALUES (77, 'a');
SELECT dp_marginals(:'complete', a, b) FROM t;
SELECT dp_marginals(:'complete', ARRAY[a::text, b]) FROM t;
SELECT dp_marginals(:'complete', ROW(t.*)) FROM t;
UPDATE t SET a = NULL WHERE a = 77;
SELECT dp_marginals(:'complete', a, b) FROM t;
UPDATE t SET a = 1, b = 'secret' WHERE a IS NULL;
SELECT dp_marginals(:'complete', a, b) FROM t;
SELECT dp_marginals(:'complete', a, 'secret'::text) FROM t;
SELECT dp_marginals(:'complete', ARRAY[a::text, b]) FROM t WHERE b = 'secret'; -- one row, too
-- values of the column's own type: integers that are looked up in a table, and bins
SELECT dp_marginal_spec(domains => '[{"name": "a", "levels": 3, "other": false}]', ways => 1) AS low \gset
SELECT dp_marginals(:'low', ARRAY[3]);
SELECT dp_marginals(:'low', ARRAY[-1]);
SELECT dp_marginals(:'low', ARRAY[NULL]::int[]);
SELECT cell, count FROM dp_cells((SELECT dp_marginals(:'low', ARRAY[2])));
SELECT dp_marginal_spec(domains => '[{"name": "a", "bins": [0, 10, 20], "type": "integer", "other": false}]', ways => 1) AS bins \gset
-- the outer bins hold the values beyond them
SELECT cell, count FROM dp_cells((SELECT dp_marginals(:'bins', v) FROM unnest('{-5,50,20}'::int[]) v));
SELECT dp_marginals(:'bins', NULL::int);

-- a release does not tell of such a value: it counts as the first level
CREATE ROLE regress_dp_22_owner;
CREATE ROLE regress_dp_22_ann;
GRANT USAGE, CREATE ON SCHEMA t22 TO public;
SET ROLE regress_dp_22_owner;
CREATE TABLE people (sex text, smoker boolean NOT NULL);
INSERT INTO people SELECT CASE WHEN i % 4 = 0 THEN 'secret' WHEN i % 4 = 1 THEN NULL ELSE 'm' END, true FROM generate_series(1, 4000) i;
SELECT dp_protect('people', 1000);
SELECT dp_define_column('people', 'sex', categories => '{f,m}', complete => true);
SELECT dp_grant('people', 'regress_dp_22_ann', 500);
SELECT dp_marginals(dp_marginal_spec('people'), sex, smoker) FROM people;
SET ROLE regress_dp_22_ann;
SELECT dp_release('people', 'sba', 300, 0, '{"dense_cells": 99}') AS release \gset
SELECT sex, count(*) BETWEEN 1900 AND 2100 FROM dp_sample(NULL::people, :release, 4000, 1) GROUP BY sex ORDER BY sex;
-- the plan reckons with the tables of the aggregate, and those of each parallel worker
SET max_parallel_workers_per_gather = 0;
SELECT memory_bytes AS serial FROM dp_explain('people', 'sba', 1, 0, '{"dense_cells": 99}') WHERE stage = 'total' \gset
SET max_parallel_workers_per_gather = 1;
SELECT memory_bytes AS parallel FROM dp_explain('people', 'sba', 1, 0, '{"dense_cells": 99}') WHERE stage = 'total' \gset
SET max_parallel_workers_per_gather = 3;
SELECT :serial > 0, :parallel > :serial, memory_bytes > :parallel FROM dp_explain('people', 'sba', 1, 0, '{"dense_cells": 99}') WHERE stage = 'total';
RESET max_parallel_workers_per_gather;
RESET ROLE;

-- the owner counts, so the owner needs USAGE on the schema of dpsyn; without it nothing is spent
CREATE SCHEMA t22_lib;
SELECT n.oid::regnamespace::text AS lib FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'dpsyn' \gset
REVOKE USAGE ON SCHEMA :lib FROM public;
GRANT USAGE ON SCHEMA :lib TO regress_dp_22_ann;
SET ROLE regress_dp_22_ann;
SELECT dp_release('people', 'sba', 1, 0, '{"dense_cells": 99}');
SELECT dp_explain('people', 'sba', 1, 0, '{"dense_cells": 99}');
RESET ROLE;
GRANT USAGE ON SCHEMA :lib TO regress_dp_22_owner;
SET ROLE regress_dp_22_ann;
SELECT dp_release('people', 'sba', 1, 0, '{"dense_cells": 99}') > :release;
SELECT epsilon_spent FROM dp_datasets WHERE relation = 'people'::regclass;
RESET ROLE;
GRANT USAGE ON SCHEMA :lib TO public;
REVOKE USAGE ON SCHEMA :lib FROM regress_dp_22_owner, regress_dp_22_ann;

-- collations under which different texts are equal: named in a spec, or refused
CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE folded AS SELECT (array['a', 'A', 'b', 'B', 'c'])[1 + i % 5] COLLATE anycase AS w, i FROM generate_series(1, 500) i;
SELECT dp_marginal_spec(domains => '[{"name": "w", "categories": ["a", "b"]}]', ways => 1) AS plain \gset
SELECT dp_marginals(:'plain', w) FROM folded;
SELECT dp_marginals(:'plain', ARRAY[w]) FROM folded;
SELECT dp_marginals(:'plain', ROW(w)) FROM folded;
SELECT dp_catalog.dp_marginals_transition(NULL, :'plain', w) FROM folded LIMIT 1;
SELECT cell, count FROM dp_cells((SELECT dp_marginals(:'plain', w COLLATE "C") FROM folded));
SELECT dp_marginal_spec(domains => '[{"name": "w", "categories": ["a", "b"], "collation": "t22.anycase"}]', ways => 1) AS named \gset
SELECT cell, count FROM dp_cells((SELECT dp_marginals(:'named', w) FROM folded));
SELECT dp_marginals(:'named', w)::text = dp_marginals(:'named', ARRAY[w])::text, dp_marginals(:'named', w)::text = dp_marginals(:'named', ROW(w))::text FROM folded;
-- a collation needs its schema
SELECT dp_marginal_spec(domains => '[{"name": "w", "categories": ["a", "b"], "collation": "anycase"}]', ways => 1);
SELECT dp_marginal_spec(domains => '[{"name": "w", "categories": ["a", "b"], "collation": "no.such"}]', ways => 1);
SELECT dp_marginal_spec(domains => '[{"name": "w", "categories": ["a", "b"], "collation": "a b"}]', ways => 1);
SELECT dp_marginal_spec(domains => '[{"name": "w", "categories": ["a", "b"], "collation": ["C"]}]', ways => 1);
-- collation "C" changes nothing
SELECT dp_marginal_spec(domains => '[{"name": "w", "categories": ["a", "b"], "collation": "\"C\""}]', ways => 1) = :'plain';

-- types of users have their schema in a spec: the same wherever it is made
CREATE TYPE t22_types.mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE moods (m t22_types.mood, p char(3), c name);
INSERT INTO moods SELECT (enum_range(NULL::t22_types.mood))[1 + i % 3], CASE WHEN i % 2 = 0 THEN 'x' END, 'n' FROM generate_series(1, 30) i;
SELECT dp_marginal_spec('moods', columns => '{m}', ways => 1) AS moods \gset
SET search_path = t22, t22_types, public;
SELECT dp_marginal_spec('moods', columns => '{m}', ways => 1) = :'moods', position('t22_types.mood' IN encode(:'moods'::bytea, 'escape')) > 0;
SELECT dp_marginals(:'moods', m)::text = dp_marginals(:'moods', ARRAY[m::text])::text FROM moods;
SELECT dp_marginals(:'moods', 7);
SELECT dp_marginals(:'moods', 'sad'::text); -- a text is no mood
RESET search_path;
SET search_path = t22, public;
-- texts of a fixed length and of types that no list has: the same counts in either form
SELECT dp_marginal_spec(domains => '[{"name": "p", "categories": ["x  "], "type": "character"}, {"name": "u", "categories": ["{00000000-0000-0000-0000-00000000000A}"], "type": "uuid"}]') AS forms \gset
SELECT dp_marginals(:'forms', p, u)::text = dp_marginals(:'forms', ARRAY[p::text, u::text])::text, dp_merge(NULL) IS NULL,
	   max(c) FROM (SELECT p, '00000000-0000-0000-0000-00000000000a'::uuid AS u, 1 AS c FROM moods) m;
SELECT cell, count FROM dp_cells((SELECT dp_marginals(:'forms', ARRAY[p::text, '00000000-0000-0000-0000-00000000000a']) FROM moods));
-- bins are of types with an order of their own: an enum's is not that of its bits
SELECT dp_marginal_spec(domains => '[{"name": "m", "bins": ["sad", "happy"], "type": "t22_types.mood"}]', ways => 1);

-- very many sets: a cancel is answered at every step
SET dpsyn.counting_memory = '4GB';
CREATE TABLE many AS SELECT dp_marginal_spec(domains => jsonb_agg(jsonb_build_object('name', 'c' || i, 'levels', 2)), ways => 3) AS spec,
	   array_agg(0) AS zeros, jsonb_agg(jsonb_build_object('name', 'c' || i, 'levels', 2)) AS columns,
	   (SELECT jsonb_agg(jsonb_build_array('c' || a, 'c' || b)) FROM generate_series(1, 180) a, generate_series(1, 180) b, generate_series(1, 30) WHERE a < b) AS sets
  FROM generate_series(1, 180) i;
CREATE TABLE counts AS SELECT dp_marginals(spec, zeros) AS c FROM many;
SELECT (SELECT count(*) FROM dp_catalog.dp_sets(c)) FROM counts;
CREATE PROCEDURE began() LANGUAGE sql AS $$ SELECT set_config('t22.began', clock_timestamp()::text, false) $$;
CREATE FUNCTION in_time() RETURNS boolean LANGUAGE sql AS $$ SELECT clock_timestamp() - current_setting('t22.began')::timestamptz < '3 s' $$;
CALL began();
SET statement_timeout = '10ms';
SELECT length(dp_marginal_spec(domains => columns, ways => 3)) FROM many;
RESET statement_timeout;
SELECT in_time();
CALL began();
SET statement_timeout = '10ms';
SELECT length(dp_marginal_spec(domains => columns, sets => sets)) FROM many;
RESET statement_timeout;
SELECT in_time();
CALL began();
SET statement_timeout = '10ms';
SELECT dp_marginals(spec, zeros) IS NULL FROM many;
RESET statement_timeout;
SELECT in_time();
CALL began();
SET statement_timeout = '10ms';
SELECT octet_length(dp_merge(c)::text) FROM (SELECT c FROM counts UNION ALL SELECT c FROM counts) twice;
RESET statement_timeout;
SELECT in_time();
CALL began();
SET statement_timeout = '10ms';
SELECT c::text::dp_counts IS NULL FROM counts;
RESET statement_timeout;
SELECT in_time();
CALL began();
SET statement_timeout = '10ms';
SELECT count(*) FROM counts, dp_cells(c);
RESET statement_timeout;
SELECT in_time();
RESET dpsyn.counting_memory;

DROP SCHEMA t22_lib;
DROP SCHEMA t22, t22_types CASCADE;
DROP ROLE regress_dp_22_owner, regress_dp_22_ann;
