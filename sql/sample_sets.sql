-- Several sets: from one measurement, which costs nothing more, or each from its own.
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t33;
SET search_path = t33, public;
SET client_min_messages = warning;
CREATE TABLE t (a int NOT NULL, b int NOT NULL);
INSERT INTO t SELECT i % 5, i % 7 FROM generate_series(1, 3500) i;
CREATE TABLE o (a int NOT NULL, w text);
INSERT INTO o SELECT i % 5, 'w' || i % 2 FROM generate_series(1, 3500) i;
SELECT dp_protect('t', 1000000, 0.5), dp_protect('o', 1000000, 0.5);
SELECT dp_define_column('t', 'a', '{0,1,2,3,4}', complete => true), dp_define_column('t', 'b', '{0,1,2,3,4,5,6}', complete => true);
SELECT dp_define_column('o', 'a', '{0,1,2,3,4}', complete => true), dp_define_column('o', 'w', open => true);

-- the budget is split; every method can
SELECT method, e.stage, e.tables, e.epsilon_each, e.epsilon_total, e.delta_total, e.scans
  FROM (VALUES ('sba'), ('sbhg'), ('steps'), ('uh'), ('flat'), ('privbayes')) m (method),
	   LATERAL dp_explain('t', method, 1, CASE WHEN method = 'sba' THEN 1e-6 ELSE 0 END, '{"independent_sets": true}', 4) e;
SELECT e.stage, e.tables, e.epsilon_each FROM dp_explain('t', 'flat', 1, 0, '{"independent_sets": true}') e;
SELECT e.stage, e.tables, e.epsilon_each FROM dp_explain('t', 'flat', 1, 0, '{}', 4) e;
-- open values are found once
SELECT e.stage, e.tables, e.epsilon_each, e.scans FROM dp_explain('o', 'flat', 1, 1e-6, '{"independent_sets": true}', 3) e;

CREATE TABLE released AS
	SELECT method, dp_release('t', method, 2000, 0.01, '{"independent_sets": true}', 3) AS id
	  FROM (VALUES ('sba'), ('sbhg'), ('steps'), ('uh'), ('flat'), ('privbayes')) m (method)
	UNION ALL SELECT 'open', dp_release('o', 'sbhg', 2000, 0.01, '{"independent_sets": true}', 3);
-- each set is about the table, and rows come from each
SELECT method, set, count(*), max(abs(n - 700)) < 150
  FROM released, generate_series(1, 3) set,
	   LATERAL (SELECT s.a, count(*) AS n FROM dp_sample(NULL::t, id, 3500, 1, set) s GROUP BY 1) s
 WHERE method <> 'open' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT set, count(DISTINCT w) FROM released, generate_series(1, 3) set, LATERAL dp_sample(NULL::o, id, 500, 1, set) WHERE method = 'open' GROUP BY 1 ORDER BY 1;
\set VERBOSITY sqlstate
SELECT dp_sample(NULL::t, (SELECT id FROM released WHERE method = 'flat'), 1, 1, 4) IS NULL;
\set VERBOSITY default
-- sets have noise of their own: at a small epsilon their rows differ; those of sets from one
-- measurement do not
CREATE FUNCTION rows_by_set(id bigint) RETURNS int LANGUAGE sql AS $$
	SELECT count(DISTINCT n)::int FROM generate_series(1, 5) set, LATERAL (SELECT count(*) AS n FROM dp_sample(NULL::t33.t, id, set => set)) s $$;
SELECT rows_by_set(dp_release('t', 'flat', 0.5, 0, '{"independent_sets": true}', 5)) > 1, rows_by_set(dp_release('t', 'flat', 0.5, 0, '{}', 5));
SELECT epsilon, sets FROM dp_releases ORDER BY release DESC LIMIT 1;
SELECT count(*) FROM dp_synthesize_flat(NULL::t, 1, 0, 50, sets => 3, independent_sets => true);
SELECT count(*) FROM dp_synthesize_privbayes(NULL::t, 1, 0, 50, sets => 3, independent_sets => true);
SELECT dp_explain('t', 'flat', 1, 0, '{"independent_sets": true}', 1001);
SELECT dp_explain('t', 'flat', 1, 0, '{"independent_sets": 3}', 2);

-- combining rules
SELECT round(estimate::numeric, 6), round(standard_error::numeric, 6), round(df::numeric, 4), round(low::numeric, 4), round(high::numeric, 4)
  FROM dp_combine_estimates('{1,2,3,6}', '{1,1,2,2}');
SELECT round(estimate::numeric, 6), round(standard_error::numeric, 6), round(df::numeric, 4), round(low::numeric, 4), round(high::numeric, 4)
  FROM dp_combine_estimates('{1,2,3,6}', '{1,1,2,2}', 0.9, 'fully_synthetic');
SELECT df, round(high::numeric, 5) FROM dp_combine_estimates('{0,0,0}', '{1,1,1}');
SELECT round(statistic::numeric, 6), df1, round(df2::numeric, 6), round(p::numeric, 6) FROM dp_combine_chi_square('{4,9,16}', 3);
SELECT dp_combine_estimates('{1}', '{1}');
SELECT dp_combine_estimates('{1,2}', '{1}');
SELECT dp_combine_estimates('{1,NULL}', '{1,1}');
SELECT dp_combine_estimates('{1,2}', '{1,-1}');
SELECT dp_combine_estimates('{1,2}', '{1,1}', 1);
SELECT dp_combine_estimates('{1,2}', '{1,1}', rule => 'rubin');
SELECT dp_combine_chi_square('{1,2}', 0);
SELECT dp_combine_estimates(NULL, '{1,1}') IS NULL;
-- an example: the mean of a, over the sets of a release
SELECT estimate BETWEEN 1.8 AND 2.2, low < estimate AND estimate < high
  FROM (SELECT array_agg(m ORDER BY set) AS m, array_agg(se ORDER BY set) AS se
		  FROM (SELECT set, avg(a)::float8 AS m, (stddev_samp(a) / sqrt(count(*)))::float8 AS se
				  FROM released, generate_series(1, 3) set, LATERAL dp_sample(NULL::t, id, 3500, 1, set) WHERE method = 'steps' GROUP BY set) x) y,
	   LATERAL dp_combine_estimates(m, se);
DROP SCHEMA t33 CASCADE;
