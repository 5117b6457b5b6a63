-- mst: plans, a tree that holds what pairs say, options, pure epsilon, open columns, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t44;
CREATE ROLE regress_dp_44_owner;
GRANT USAGE, CREATE ON SCHEMA t44 TO regress_dp_44_owner;
SET search_path = t44, public;
SET SESSION AUTHORIZATION regress_dp_44_owner;
SET client_min_messages = warning;
-- a determines b, b determines c, and d is independent; e has one value but in two rows
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, e int NOT NULL);
INSERT INTO t SELECT i % 3, i % 3 * 2 % 3, (i % 3 + 1) % 3, i / 3 % 2, CASE i WHEN 0 THEN 1 WHEN 1 THEN 2 ELSE 0 END
  FROM generate_series(0, 8999) i;
CREATE TABLE r (LIKE t);
INSERT INTO r SELECT * FROM t;
SELECT dp_protect('t', 1000000, 0.9), dp_protect('r', 1000000, 0.9, 'replace_one');
SELECT relation, dp_define_column(relation, c, '{0,1,2}', complete => true)
  FROM unnest('{a,b,c,e}'::name[]) c, (VALUES ('t'::regclass), ('r')) x (relation);
SELECT dp_define_column('t', 'd', '{0,1}', complete => true), dp_define_column('r', 'd', '{0,1}', complete => true);

-- with a delta the stages are charged in rho alone, without one in epsilon alone
SELECT relation, delta, e.stage, e.mechanism, e.tables, e.epsilon_total, round(e.noise_stddev::numeric, 3) AS noise, e.scans
  FROM (VALUES ('t'::regclass, 0), ('t', 1e-9), ('r', 1e-9)) o (relation, delta), LATERAL dp_explain(relation, 'mst', 1, delta) e;

CREATE FUNCTION kept(id bigint) RETURNS TABLE (b_kept boolean, c_kept boolean, d_even boolean, e_rare boolean, rows bigint) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE b = a * 2 % 3) > 8500, count(*) FILTER (WHERE c = (a + 1) % 3) > 8500,
		   count(*) FILTER (WHERE d = 0) BETWEEN 4250 AND 4750, count(*) FILTER (WHERE e > 0) < 200, count(*)
	  FROM dp_sample(NULL::t44.t, id, 9000, 1) $$;
SELECT relation, delta, options, k.* FROM (VALUES ('t'::regclass, 0, '{}'), ('t', 1e-9, '{}'), ('r', 0, '{}'), ('r', 1e-9, '{}'),
				('t', 1e-9, '{"generation": "independent"}'), ('t', 1e-9, '{"group_rare": false}')) o (relation, delta, options),
	   LATERAL kept(dp_release(relation, 'mst', 20, delta, options::jsonb)) k;
SELECT r.rows = 9000 FROM dp_releases r WHERE relation = 't44.r'::regclass;

-- systematic rows are as even as they can be, in any number and in any order of blocks; at this
-- epsilon the noise is 0
SELECT dp_release('r', 'mst', 2000, 1e-9) AS exact \gset
SELECT max(n) - min(n) <= 3 FROM (SELECT count(*) n FROM dp_sample(NULL::t, :exact, 3000, 1) GROUP BY a) s;
SELECT count(*), count(DISTINCT a) FROM dp_synthesize_mst(NULL::t, 10, 1e-9, rows => 5000);
SELECT count(*) FROM dp_synthesize_mst(NULL::t, 1, 1e-9, 20, 0.3, 0.3, 'b', 'distance', 1, false, 'independent', 'best', '5', '{a,b,c}', sets => 2, seed => 4);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) > 8500 FROM dp_synthesize_mst(NULL::t, 1, columns => '{a}');
SELECT count(*) = count(DISTINCT md5(s.x)) FROM (SELECT string_agg(t::text, ',') x FROM generate_series(1, 3) g, LATERAL dp_sample(NULL::t, dp_release('t', 'mst', 3, 1e-6, '{"independent_sets": true}', 3), 50, 1, g) t GROUP BY g) s;

-- a column that is to be predicted: b and c belong together most, and each tells something of d
CREATE TABLE told (b int NOT NULL, c int NOT NULL, d int NOT NULL);
INSERT INTO told SELECT b, c, CASE WHEN i / 90 % 10 < 4 THEN b WHEN i / 90 % 10 < 6 THEN c ELSE i / 900 % 3 END
  FROM (SELECT i, i % 3 AS b, CASE WHEN i / 3 % 10 < 6 THEN i % 3 ELSE i / 30 % 3 END AS c FROM generate_series(0, 8999) i) t;
SELECT dp_protect('told', 1000000, 0.9);
SELECT dp_define_column('told', c, '{0,1,2}', complete => true) FROM unnest('{b,c,d}'::name[]) c;
CREATE FUNCTION pairs_of(id bigint) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(array_to_string(columns, '+'), ' ' ORDER BY columns) FROM dp_release_tables(id) WHERE cardinality(columns) = 2 $$;
SELECT predict, pairs_of(dp_release('told', 'mst', 1000, 1e-9, jsonb_strip_nulls(jsonb_build_object('predict', predict, 'trees', 1))))
  FROM (VALUES (NULL), ('d')) v (predict);
-- where noise is small beside the rows, further trees; none without a delta
SELECT pairs_of(dp_release('told', 'mst', 1000, 1e-9)), pairs_of(dp_release('told', 'mst', 1000)), length(pairs_of(dp_release('told', 'mst', 0.01, 1e-9)));
-- d lies further from what was expected with c than with b, but through b more is told of c and d than through c of b and d
CREATE TABLE scored (b int NOT NULL, c int NOT NULL, d int NOT NULL);
INSERT INTO scored SELECT b, c, d FROM (VALUES (0, 1, 1, 7), (0, 2, 0, 7), (0, 2, 1, 5), (0, 2, 2, 7), (1, 2, 0, 1), (1, 2, 1, 3),
	(1, 2, 2, 9), (2, 0, 1, 9), (2, 1, 0, 5), (2, 1, 2, 8)) v (b, c, d, n), generate_series(1, 150 * n);
SELECT dp_protect('scored', 1000000, 0.9);
SELECT dp_define_column('scored', c, '{0,1,2}', complete => true) FROM unnest('{b,c,d}'::name[]) c;
SELECT score, pairs_of(dp_release('scored', 'mst', 1000, 1e-9, jsonb_build_object('score', score, 'trees', 1)))
  FROM (VALUES ('gain'), ('distance')) v (score);
SELECT dp_release('told', 'mst', 1, 1e-9, '{"predict": "e"}');
SELECT dp_release('told', 'sba', 1, 1e-9, '{"predict": "d"}');
SELECT count(*) FROM dp_synthesize(NULL::told, 10, 1e-9, rows => 100, options => '{"predict": "d"}');
SELECT method, options FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize(NULL::told, 10, rows => 100, options => '{"predict": "d", "columns": ["c", "d"]}');
SELECT method, options FROM dp_releases ORDER BY release DESC LIMIT 1;

-- the setting travels with the request
SET dpsyn.model_memory = '12MB';
SELECT dp_release('t', 'mst', 1, 1e-9) > 0;
SELECT options FROM dp_releases ORDER BY release DESC LIMIT 1;
\set VERBOSITY sqlstate
SET dpsyn.model_memory = 1;
\set VERBOSITY default
RESET dpsyn.model_memory;

CREATE TABLE opened (a boolean NOT NULL, w text);
INSERT INTO opened SELECT i % 2 = 0, CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END FROM generate_series(1, 4000) i;
SELECT dp_protect('opened', 1000, 0.5);
SELECT dp_define_column('opened', 'w', open => true);
SELECT count(*) FILTER (WHERE (w = 'even') = a) > 3600 FROM dp_synthesize_mst(NULL::opened, 10, 1e-6, rows => 4000, seed => 1);

SELECT dp_release('t', 'mst', 0.000000002);
SELECT dp_release('t', 'mst', 0.0000001, 1e-18);
SELECT dp_release('t', 'mst', 1, 0, '{"margin_share": 0.6, "selection_share": 0.6}');
SELECT dp_release('t', 'mst', 1, 0, '{"generation": "sorted"}');
SELECT dp_release('t', 'mst', 1, 0, '{"max_model_memory": 1}');

RESET SESSION AUTHORIZATION;
DROP SCHEMA t44 CASCADE;
DROP ROLE regress_dp_44_owner;
