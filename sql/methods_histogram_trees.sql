-- steps, uh and flat: plans, releases, options, errors
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t30;
CREATE ROLE regress_dp_30_owner;
CREATE ROLE regress_dp_30_analyst;
GRANT USAGE, CREATE ON SCHEMA t30 TO regress_dp_30_owner;
GRANT USAGE ON SCHEMA t30 TO regress_dp_30_analyst;
SET search_path = t30, public;
SET SESSION AUTHORIZATION regress_dp_30_owner;
CREATE TABLE t (a int NOT NULL CHECK (a IN (1, 2, 3)), b boolean NOT NULL, c text NOT NULL CHECK (c IN ('x', 'y')),
				d text NOT NULL CHECK (d IN ('p', 'q', 'r', 's')));
INSERT INTO t SELECT 1 + i % 3, i % 3 = 0, CASE WHEN i % 5 = 0 THEN 'x' ELSE 'y' END, (ARRAY['p', 'q', 'r', 's'])[1 + i % 4]
  FROM generate_series(1, 1200) i;
SELECT dp_protect('t', 1000000);
SELECT dp_grant('t', 'regress_dp_30_analyst', 100000);
SET SESSION AUTHORIZATION regress_dp_30_analyst;
SET client_min_messages = warning;

-- what each costs, before anything is spent: the layers share epsilon equally
CREATE TEMP VIEW plans AS
SELECT o.method, o.options, e.step, e.stage, e.mechanism, e.tables, e.epsilon_each, e.epsilon_total, e.delta_total, e.threshold, e.cells,
	   e.false_positives > 0 AS random, e.scans
  FROM (VALUES ('flat', '{}'), ('flat', '{"dense_cells": 0}'), ('flat', '{"dense_cells": 47}'), ('flat', '{"dense_cells": 48}'),
			   ('uh', '{}'), ('uh', '{"layers": 1, "order_seed": 7}'),
			   ('steps', '{}'), ('steps', '{"column_order": ["a", "b"]}'), ('steps', '{"groups": {"2": ["b"], "1": ["a", "c"]}}'),
			   ('steps', '{"branches": "own", "layers": 1, "selection_share": 0.5}'), ('steps', '{"layers": 0}'),
			   ('steps', '{"column_order": ["d", "a"], "dense_cells": 12}')) o (method, options),
	   LATERAL dp_explain('t', o.method, 1, 0, o.options::jsonb) e;
SELECT * FROM plans;
-- a smaller no_false_positives is a smaller threshold, and more cells that are only noise
SELECT s.threshold > l.threshold, s.false_positives < 0.11, l.false_positives BETWEEN 1 AND 7
  FROM dp_explain('t', 'flat', 0.1, 0, '{"dense_cells": 0}') s, dp_explain('t', 'flat', 0.1, 0, '{"dense_cells": 0, "no_false_positives": 0.001}') l
 WHERE s.step = 2 AND l.step = 2;

-- with an epsilon that hides nothing every tree gives the table back
CREATE FUNCTION pg_temp.off(id bigint) RETURNS numeric LANGUAGE sql AS $$
	SELECT round(sum(abs(coalesce(s.n, 0) - coalesce(o.n, 0))) / 2 / 120000, 2)
	  FROM (SELECT a, b, c, d, count(*) AS n FROM dp_sample(NULL::t30.t, id, 120000, 3) GROUP BY 1, 2, 3, 4) s
	  FULL JOIN (SELECT a, b, c, d, n FROM (VALUES (1, true), (2, false), (3, false)) ab (a, b), -- as i % 3 says
						LATERAL (SELECT c, d, count(*) * 100 AS n
								   FROM (SELECT CASE WHEN i % 5 = 0 THEN 'x' ELSE 'y' END AS c, (ARRAY['p', 'q', 'r', 's'])[1 + i % 4] AS d
										   FROM generate_series(1, 1200) i WHERE 1 + i % 3 = a) r GROUP BY c, d) cd) o USING (a, b, c, d) $$;
SELECT method, options, pg_temp.off(dp_release('t', method, 2000, 0, options::jsonb)) <= 0.02
  FROM (VALUES ('flat', '{}'), ('flat', '{"dense_cells": 0}'), ('uh', '{}'), ('uh', '{"dense_cells": 10}'), ('steps', '{}'),
			   ('steps', '{"score": "dependence", "layers": 3}'), ('steps', '{"branches": "own"}'),
			   ('steps', '{"branches": "clusters"}'), ('steps', '{"branches": "clusters", "dense_cells": 5, "score": "dependence"}'),
			   ('steps', '{"score": "bic"}'), ('steps', '{"branches": "own", "score": "bic"}'),
			   ('steps', '{"branches": "own", "score": "dependence", "layers": 3}'), ('steps', '{"branches": "own", "dense_cells": 20}'),
			   ('steps', '{"groups": {"1": ["a", "c"], "2": ["b"]}}'), ('steps', '{"column_order": ["d", "c", "b", "a"], "layers": 4}'),
			   ('steps', '{"layers": 1, "layer_width": 2, "branches": "own"}')) o (method, options);

-- the wrappers and their options
SELECT count(*), count(DISTINCT a) FROM dp_synthesize_steps(NULL::t, 100, rows => 500);
SELECT count(*) FROM dp_synthesize_steps(NULL::t, 1, 0, 20, layers => 3, layer_width => 1, branches => 'own', score => 'dependence',
										 selection_share => 0.2, columns => '{a,b,c,d}', count_share => 0.1, dense_cells => 1000,
										 no_false_positives => 0.5, sets => 3, seed => 5);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*), count(d) FROM dp_synthesize_steps(NULL::t, 1, 0, 20, column_order => '{b,a}', columns => '{a,b,c}');
SELECT count(*) FROM dp_synthesize_steps(NULL::t, 1, 0, 20, groups => '{"1": ["c", "d"]}');
SELECT count(*) FROM dp_synthesize_uh(NULL::t, 1, 0, 20, layers => 2, layer_width => 2, order_seed => 3, columns => '{a,b,c}',
									  count_share => 0.1, dense_cells => 5, no_false_positives => 0.5, sets => 2, seed => 5);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_flat(NULL::t, 1, 0, 20, columns => '{a,b}', count_share => 0.1, dense_cells => 5, no_false_positives => 0.5,
										sets => 2, seed => 5);
SELECT options, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
-- no delta is ever charged
SELECT bool_and(delta = 0) FROM dp_releases WHERE method IN ('steps', 'uh', 'flat');
SELECT method, guarantee FROM dp_methods WHERE method IN ('steps', 'uh', 'flat') ORDER BY 1;

-- errors, all of them before anything is spent
SELECT epsilon_spent AS spent FROM dp_budgets WHERE relation = 't'::regclass \gset
SELECT dp_release('t', 'steps', 1, 0, '{"column_order": ["a", "nobody"]}');
SELECT dp_release('t', 'steps', 1, 0, '{"column_order": ["a"], "groups": {"1": ["b"]}}');
SELECT dp_release('t', 'steps', 1, 0, '{"groups": {"1": ["a"], "3": ["b"]}}');
SELECT dp_release('t', 'steps', 1, 0, '{"groups": {"1": ["a"], "2": ["a"]}}');
SELECT dp_release('t', 'steps', 1, 0, '{"branches": "many"}');
SELECT dp_release('t', 'steps', 1, 0, '{"branches": "clusters", "column_order": ["a"]}');
SELECT dp_release('t', 'steps', 1, 0, '{"branches": "clusters", "dense_cells": 1}');
SELECT dp_release('t', 'steps', 1, 0, '{"branches": "own", "dense_cells": 10}');
SELECT dp_release('t', 'steps', 0.000000005, 0);
SELECT dp_release('t', 'flat', 0.000000001, 0, '{"dense_cells": 0}');
SELECT dp_release('t', 'flat', 1, 0, '{"no_false_positives": 1}');
SELECT dp_release('t', 'uh', 1, 0, '{"order_seed": -1}');
SELECT epsilon_spent - :spent FROM dp_budgets WHERE relation = 't'::regclass;

RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA t30 CASCADE;
DROP OWNED BY regress_dp_30_analyst;
DROP ROLE regress_dp_30_owner, regress_dp_30_analyst;
