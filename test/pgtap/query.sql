-- dp_query: every type and measure, both relations, units and zeros, at an epsilon that leaves no noise.
SET client_min_messages = warning;
SELECT no_plan();
SET client_min_messages = error;
CREATE TABLE t (grp text NOT NULL CHECK (grp IN ('a', 'b')), person integer NOT NULL, i2 smallint, i4 integer NOT NULL, i8 bigint,
				num numeric, num2 numeric(9,2), f4 real, f8 double precision, d date, ts timestamp, tz timestamptz);
INSERT INTO t SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END, i % 500, i % 300 - 100, i % 300 - 100, (i % 300 - 100) * 1000000000::bigint,
	(i % 300 - 100) / 7.0, (i % 300 - 100) / 4.0, ((i % 300 - 100) / 4.0)::real, (i % 300 - 100) / 8.0, DATE '2020-01-01' + i % 300,
	TIMESTAMP '2020-01-01' + i % 300 * interval '1 hour', TIMESTAMPTZ '2020-01-01 00:00+00' + i % 300 * interval '1 hour'
  FROM generate_series(1, 2000) i;
UPDATE t SET i2 = NULL, f8 = 'NaN', f4 = 'Infinity' WHERE person % 50 = 0;

CREATE FUNCTION declare_all(relation regclass) RETURNS void LANGUAGE sql BEGIN ATOMIC
	SELECT dp_define_column(relation, 'i2', bins => '{-100,0,200}'), dp_define_column(relation, 'i4', bins => '{-100,0,200}'),
		   dp_define_column(relation, 'i8', bins => '{-100000000000,0,200000000000}'), dp_define_column(relation, 'num', bins => '{-20,0,30}'),
		   dp_define_column(relation, 'num2', bins => '{-25,0,50}'), dp_define_column(relation, 'f4', bins => '{-25,0,50}'),
		   dp_define_column(relation, 'f8', bins => '{-20,0,25}'), dp_define_column(relation, 'd', bins => '{2020-01-01,2020-06-01,2021-01-01}'),
		   dp_define_column(relation, 'ts', bins => '{2020-01-01,2020-01-07,2020-02-01}'),
		   dp_define_column(relation, 'tz', bins => '{2020-01-01 00:00+00,2020-01-07 00:00+00,2020-02-01 00:00+00}');
END;
SELECT dp_protect('t', 1000000, 0.0005);
SELECT declare_all('t');
-- a column's values as numbers; NaN and infinities are none
CREATE VIEW numbers AS
	SELECT grp, c.name, c.value FROM t, LATERAL (VALUES ('i2', i2::float8), ('i4', i4), ('i8', i8), ('num', num), ('num2', num2), ('f4', CASE WHEN f4 < 'Infinity' THEN f4 END),
		('f8', CASE WHEN f8 <> 'NaN' THEN f8 END), ('d', extract(epoch FROM d)), ('ts', extract(epoch FROM ts)), ('tz', extract(epoch FROM tz))) c(name, value);
CREATE FUNCTION truth(measure text, wanted text, of_group text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE r float8;
BEGIN
	EXECUTE format('SELECT %s FROM numbers WHERE name = %L AND grp = %L AND value IS NOT NULL',
		CASE measure WHEN 'count' THEN 'count(value)' WHEN 'sum' THEN 'sum(value)' WHEN 'avg' THEN 'avg(value)' WHEN 'var' THEN 'variance(value)'
					 WHEN 'stddev' THEN 'stddev(value)' WHEN 'median' THEN 'percentile_disc(0.5) WITHIN GROUP (ORDER BY value)' END, wanted, of_group) INTO r;
	RETURN r;
END $$;
CREATE TABLE answers AS
	SELECT c.name, split_part(q.measure, '(', 1) AS measure, q.cell ->> 'grp' AS grp, q.estimate, q.low, q.high
	  FROM unnest('{i2,i4,i8,num,num2,f4,f8,d,ts,tz}'::text[]) c(name),
	LATERAL dp_query(NULL::t, CASE WHEN c.name IN ('d', 'ts', 'tz') THEN '{}'::text[] ELSE ARRAY['sum(' || c.name || ')'] END
		|| ARRAY['count(' || c.name || ')', 'avg(' || c.name || ')', 'var(' || c.name || ')', 'stddev(' || c.name || ')', 'median(' || c.name || ')'], 3000, by => '{grp}') q;
-- a column's spread is the scale of what may be off
SELECT ok(abs(a.estimate - truth(a.measure, a.name, a.grp)) <= CASE a.measure WHEN 'count' THEN 2 WHEN 'sum' THEN 5 * s ELSE 0.02 * s END * CASE a.measure WHEN 'var' THEN s ELSE 1 END,
		  format('%s(%s) of %s: %s, truly %s', a.measure, a.name, a.grp, a.estimate, truth(a.measure, a.name, a.grp)))
  FROM answers a, LATERAL (SELECT max(value) - min(value) AS s FROM numbers n WHERE n.name = a.name) s;
SELECT is((SELECT string_agg(a::text, ' ') FROM answers a WHERE NOT (low <= estimate AND estimate <= high)), NULL, 'each interval holds its estimate');

-- replace_one, with and without groups
CREATE TABLE r AS SELECT * FROM t;
ALTER TABLE r ALTER grp SET NOT NULL, ALTER i4 SET NOT NULL, ADD CHECK (grp IN ('a', 'b'));
SELECT dp_protect('r', 1000000, 0, neighbours => 'replace_one');
SELECT declare_all('r');
SELECT ok(abs(estimate - (SELECT avg(i4) FROM r)) < 0.1, 'a mean under replace_one') FROM dp_query(NULL::r, '{avg(i4)}', 1000);
SELECT is((SELECT noise_stddev FROM dp_explain('r', 'query', 0.001, 0, '{"measures": ["sum(i4)"]}') WHERE step = 1)
		  > (SELECT noise_stddev FROM dp_explain('t', 'query', 0.001, 0, '{"measures": ["sum(i4)"]}') WHERE step = 1), true,
		  'of one group a sum has the noise of hi - lo = 300 under replace_one, of 200 under add_remove');
SELECT is(round((SELECT noise_stddev FROM dp_explain('r', 'query', 0.001, 0, '{"measures": ["sum(i4)"], "by": ["grp"]}') WHERE step = 1)
		  / (SELECT noise_stddev FROM dp_explain('t', 'query', 0.001, 0, '{"measures": ["sum(i4)"], "by": ["grp"]}') WHERE step = 1)), 2::double precision,
		  'and of groups twice that');

-- units: at most two rows of each person count
CREATE TABLE u AS SELECT * FROM t;
ALTER TABLE u ALTER grp SET NOT NULL, ADD CHECK (grp IN ('a', 'b'));
SELECT dp_protect('u', 1000000, 0, unit_column => 'person', max_rows_per_unit => 2);
SELECT declare_all('u');
SELECT is(estimate, 1000::double precision, 'two rows of each of 500 persons') FROM dp_query(NULL::u, '{count(*)}', 10000);
SELECT ok(noise_stddev BETWEEN 2 * 200 * 1.41 / 0.01 AND 2 * 200 * 1.42 / 0.01, 'noise is as wide as for two rows')
  FROM dp_explain('u', 'query', 0.01, 0, '{"measures": ["sum(i4)"], "max_rows_per_unit": 2}') WHERE step = 1;

-- combinations that cannot occur are no groups
CREATE TABLE z (a text NOT NULL CHECK (a IN ('x', 'y')), b text NOT NULL CHECK (b IN ('p', 'q')));
INSERT INTO z SELECT 'x', 'p' FROM generate_series(1, 10);
SELECT dp_protect('z', 100000);
SELECT dp_define_cells('z', '{a,b}', '{{y,q}}');
SELECT results_eq($$SELECT cell ->> 'a' || (cell ->> 'b') FROM dp_query(NULL::z, '{count(*)}', 1000, by => '{b,a}') ORDER BY 1$$,
				  $$VALUES ('xp'), ('xq'), ('yp')$$, 'an impossible group is left out');
SELECT ok((SELECT estimate IS NULL OR abs(estimate) < 5 FROM dp_query(NULL::t, '{count(*)}', 1000, filter => '{"i4": 200}')), 'a filter that nothing passes is answered');
-- a group without rows has no mean, and the whole range is possible, or that part which the filter leaves
SELECT is((low, high), (-25::double precision, 50::double precision), 'the mean of no rows can be anything')
  FROM dp_query(NULL::t, '{avg(num2)}', 1000, filter => '{"i4": 200}');
SELECT is((low, high), (200::double precision, 200::double precision), 'that the filter allows')
  FROM dp_query(NULL::t, '{avg(i4)}', 1000, filter => '{"i4": 200}');
SELECT * FROM finish();
