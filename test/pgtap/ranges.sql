-- Columns of every type that has ranges, from the table to the drawn rows: every value lies in its
-- range and on its grid, NULL (and NaN, and infinities) have the share that they have in the data,
-- and what is NOT NULL is never NULL.
--
-- 4000 rows and a large epsilon: the noise of a count has a standard deviation below 10 rows, and
-- 20,000 rows are drawn, so a share is off by more than .03 with probability below 1e-9.
SET client_min_messages = warning;
SELECT plan(120);

CREATE TABLE every_type (
	i2 smallint, i4 integer, i8 bigint, n numeric, n2 numeric(7,2), n_2 numeric(5,-2), r real, f double precision, m money,
	d date, ts timestamp, tz timestamptz, t time, tt timetz, iv interval, s2 smallint NOT NULL, sn numeric(4,1) NOT NULL,
	sf double precision NOT NULL, sd date NOT NULL, checked integer CHECK (checked BETWEEN 10 AND 20), dom integer);
-- every fourth value is missing: NULL, and NaN or an infinity where the type has them
INSERT INTO every_type
SELECT CASE WHEN there THEN i % 200 - 100 END, CASE WHEN there THEN i * 1000 END, CASE WHEN there THEN i * 1000000000::bigint END,
	   CASE WHEN there THEN i / 8.0 WHEN odd THEN 'NaN' WHEN i % 3 = 0 THEN 'Infinity' END, CASE WHEN there THEN i / 4.0 END,
	   CASE WHEN there THEN i % 90 * 100 END, CASE WHEN there THEN i / 10.0 WHEN odd THEN 'Infinity' END,
	   CASE WHEN there THEN i / 100.0 WHEN odd THEN 'NaN' ELSE '-Infinity' END, CASE WHEN there THEN (i / 4.0)::numeric::money END,
	   CASE WHEN there THEN DATE '2000-01-01' + i WHEN odd THEN 'infinity' END,
	   CASE WHEN there THEN TIMESTAMP '2000-01-01' + i * interval '10 min' WHEN odd THEN '-infinity' END,
	   CASE WHEN there THEN TIMESTAMPTZ '2000-01-01 00:00+00' + i * interval '10 min' WHEN odd THEN 'infinity' END,
	   CASE WHEN there THEN TIME '08:00' + i * interval '7 seconds' END,
	   CASE WHEN there THEN TIMETZ '08:00-05' + i * interval '7 seconds' END,
	   CASE WHEN there THEN i * interval '1 hour' END, i % 100, i % 100 / 2.0, i % 100, DATE '2000-01-01' + i % 100,
	   CASE WHEN there THEN 10 + i % 11 END, CASE WHEN there THEN i END
  FROM (SELECT i, i % 4 > 0 AS there, i % 8 = 0 AS odd FROM generate_series(1, 4000) i) g;
SELECT dp_protect('every_type', 100000);
SELECT dp_define_column('every_type', c, range => r::text[], resolution => s)
  FROM (VALUES ('i2', '{-100,99}', NULL), ('i4', '{0,4000000}', '500'), ('i8', '{0,5000000000000}', NULL), ('n', '{0,500}', '0.125'),
			   ('n2', '{0,1000}', NULL), ('n_2', '{0,9000}', NULL), ('r', '{0,400}', '0.1'), ('f', '{0,40}', '0.01'), ('m', '{0,1000}', '0.25'),
			   ('d', '{2000-01-01,2010-12-31}', NULL), ('ts', '{2000-01-01,2000-02-01}', '10 min'), ('tz', '{2000-01-01,2000-02-01}', '10 min'),
			   ('t', '{08:00,16:00}', NULL), ('tt', '{13:00+00,21:00+00}', NULL), ('iv', '{0,4001 hours}', '1 hour'),
			   ('sf', '{0,99}', '1')) v (c, r, s);
CREATE TABLE kinds AS SELECT column_name AS c, labels[1] AS low, labels[2] AS high, resolution AS step, has_other FROM dp_columns WHERE relation = 'every_type'::regclass;

CREATE TABLE drawn AS
SELECT * FROM dp_sample(NULL::every_type, dp_release('every_type', 'marginal', 10000), 20000, 7);

-- of a column of either table: the share of rows that are NULL or not finite, the rows outside of
-- the range, and the rows beside the grid
CREATE FUNCTION look(source text, c text, OUT missing float8, OUT out_of bigint, OUT beside bigint) LANGUAGE plpgsql AS $$
DECLARE
	k kinds;
	type text := (SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'every_type'::regclass AND attname = look.c);
BEGIN
	SELECT * INTO k FROM kinds WHERE kinds.c = look.c;
	EXECUTE format('SELECT avg((%1$I IS NULL OR %1$I::text IN (''NaN'', ''Infinity'', ''-Infinity'', ''infinity'', ''-infinity''))::int),
						   count(*) FILTER (WHERE NOT %1$I BETWEEN %2$L::%3$s AND %4$L::%3$s),
						   count(*) FILTER (WHERE dp_catalog.dp_on_grid(%1$I, ARRAY[%2$L, %4$L], %5$L) <> %1$I) FROM %6$I',
				   c, k.low, type, k.high, k.step, source) INTO missing, out_of, beside;
END
$$;

SELECT is((look('drawn', c::text)).out_of, 0::bigint, 'values of ' || c || ' are in their range') FROM kinds;
SELECT is((look('drawn', c::text)).beside, 0::bigint, 'values of ' || c || ' are on their grid') FROM kinds;
SELECT cmp_ok(abs((look('drawn', c::text)).missing - (look('every_type', c::text)).missing), '<', 0.03::float8, 'missing values of ' || c || ' have their share')
  FROM kinds;
SELECT is((look('drawn', c::text)).missing, 0::float8, c || ' is never NULL') FROM kinds WHERE NOT has_other;
SELECT is(has_other, c::text NOT IN ('s2', 'sn', 'sf', 'sd'), c || ' has a level for NULL if it may be NULL') FROM kinds;
-- nothing that is drawn is NaN or infinite: that is NULL
SELECT is(count(*), 0::bigint, 'nothing drawn is NaN or infinite') FROM drawn
 WHERE n::text ~ 'N|I' OR r::text ~ 'N|I' OR f::text ~ 'N|I' OR d::text ~ 'inf' OR ts::text ~ 'inf' OR tz::text ~ 'inf';

-- the median of the data has the same rank among the drawn values
CREATE FUNCTION middle(source text, c text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	rank float8;
	finite text := format('%I IS NOT NULL AND %I::text !~* ''nan|inf''', c, c);
BEGIN
	EXECUTE format('SELECT avg((%1$I < (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$I) FROM every_type WHERE %2$s))::int) FROM %3$I WHERE %2$s',
				   c, finite, source) INTO rank;
	RETURN rank;
END
$$;
SELECT cmp_ok(abs(middle('drawn', c::text) - middle('every_type', c::text)), '<', 0.05::float8, 'the median of ' || c || ' is that of the data')
  FROM kinds;
-- missing values depend on other columns as in the data, 80 % of the one half and 10 % of the
-- other: of a range, of bins, of values that are listed, and of values that the schema knows
CREATE TABLE absent (g text NOT NULL CHECK (g IN ('a', 'b')), ranged integer, binned integer, listed text, enumerated boolean,
					 steady double precision NOT NULL);
INSERT INTO absent
SELECT CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END, CASE WHEN there THEN i % 100 END, CASE WHEN there THEN i % 100 END,
	   CASE WHEN there THEN 'x' END, CASE WHEN there THEN i % 3 = 0 END, CASE WHEN i % 5 = 0 THEN 'NaN'::float8 ELSE i % 100 END
  FROM (SELECT i, i / 2 % 10 >= CASE WHEN i % 2 = 0 THEN 8 ELSE 1 END AS there FROM generate_series(1, 4000) i) g;
SELECT dp_protect('absent', 100000, 0.1);
SELECT dp_define_column('absent', 'ranged', range => '{0,99}'), dp_define_column('absent', 'binned', bins => '{0,50,100}'),
	   dp_define_column('absent', 'listed', '{x}'), dp_define_column('absent', 'steady', range => '{0,99}', resolution => '1');
CREATE TABLE absent_drawn AS
SELECT * FROM dp_sample(NULL::absent, dp_release('absent', 'sbhg', 10000, 1e-6,
	'{"network": {"g": [], "ranged": ["g"], "binned": ["g"], "listed": ["g"], "enumerated": ["g"], "steady": []}}'), 20000, 7);
CREATE FUNCTION missing_of(c name, g text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	share float8;
BEGIN
	EXECUTE format('SELECT avg((%I IS NULL)::int) FROM absent_drawn WHERE g = $1', c) INTO share USING g;
	RETURN share;
END
$$;
SELECT cmp_ok(abs(missing_of(c, g) - share), '<', 0.03::float8, format('missing values of %s where g is %s', c, g))
  FROM unnest('{ranged,binned,listed,enumerated}'::name[]) c, (VALUES ('a', 0.8::float8), ('b', 0.1)) v (g, share);
-- NaN has no level in a column that is NOT NULL: it counts as the lower end
SELECT is(count(*), 0::bigint, 'a NOT NULL column with NaN is never NULL') FROM absent_drawn WHERE steady IS NULL;
SELECT cmp_ok(avg((steady = 0)::int), '>', 0.17::numeric, 'NaN counts as the lower end') FROM absent_drawn;
SELECT * FROM finish();
