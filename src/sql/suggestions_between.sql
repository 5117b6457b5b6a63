
-- 5b. What holds between columns in all rows, for the custodian to read
------------------------------------------------------------------------------

-- The columns that are looked at: those that a release models or could model, with their types below domains.
CREATE FUNCTION dp_catalog.dp_suggest_looked_at(relation regclass, OUT number integer, OUT name name, OUT type regtype,
												OUT class "char", OUT digits integer, OUT nullable boolean)
	RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE base AS (
	SELECT a.attnum, a.attname, a.atttypid AS type, a.atttypmod AS typmod, NOT a.attnotnull AS nullable
	  FROM pg_attribute a JOIN dp_catalog.dp_column_roles(relation) c ON c.ordinal = a.attnum AND c.column_name = a.attname
	 WHERE a.attrelid = relation AND a.attnum > 0 AND coalesce(c.kind, '') NOT IN ('key', 'computed')
	   AND c.source NOT IN ('primary key', 'unique', 'sequence', 'foreign key', 'generated', 'unit', 'fields', 'public table')
	UNION ALL
	SELECT b.attnum, b.attname, t.typbasetype, t.typtypmod, b.nullable AND NOT t.typnotnull
	  FROM base b JOIN pg_type t ON t.oid = b.type AND t.typtype = 'd')
SELECT b.attnum, b.attname, b.type::regtype,
	   CASE WHEN b.type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'numeric'::regtype) THEN 'n'
			WHEN b.type IN ('real'::regtype, 'double precision'::regtype) THEN 'f'
			WHEN b.type IN ('date'::regtype, 'timestamp'::regtype) THEN 't'
			WHEN b.type IN ('timestamptz'::regtype, 'time'::regtype) THEN 'z'
			WHEN b.type = 'interval'::regtype THEN 'i' WHEN b.type = 'boolean'::regtype THEN 'b'
			WHEN b.type IN ('text'::regtype, 'varchar'::regtype) THEN 'x' ELSE 'o' END::"char",
	   CASE WHEN b.type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN 0
			WHEN b.type = 'numeric'::regtype AND b.typmod >= 4 THEN ((b.typmod - 4) & 2047 # 1024) - 1024 END,
	   b.nullable
  FROM base b JOIN pg_type t ON t.oid = b.type AND t.typtype <> 'd'
 ORDER BY b.attnum LIMIT 60
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_looked_at(regclass) IS
	'internal: columns between which something may hold; class: n numbers, f floating point, t times, z those with a zone and of a day, i intervals, b booleans, x texts, o others';

-- Whether a number is what an expression gives, once that is written into its column.
CREATE FUNCTION dp_catalog.dp_suggest_is(target name, class "char", digits integer, words text, exact text, floats boolean) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
SELECT CASE WHEN digits IS NOT NULL THEN format('%I IS NOT DISTINCT FROM round((%s)::numeric, %s)', target, exact, digits)
			WHEN class = 'f' OR floats THEN format('abs(%1$I - (%2$s)) <= greatest(1e-6 * abs(%1$I), 1e-9) AND (%1$I NOT IN (''NaN'', ''Infinity'', ''-Infinity'') OR %1$I::float8 = (%2$s)::float8)'
										 ' OR (%1$I IS NULL AND (%2$s) IS NULL)', target, words)
			ELSE format('%I IS NOT DISTINCT FROM (%s)', target, exact) END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_is(name, "char", integer, text, text, boolean) IS
	'internal: a condition that tells whether a column of numbers holds an expression, rounded as the column rounds';

-- The number of the fewest digits in an interval, and of these the one in the middle.
CREATE FUNCTION dp_catalog.dp_suggest_shortest(low numeric, high numeric) RETURNS numeric
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
SELECT trim_scale(greatest(ceil(low * u), least(floor(high * u), round((low + high) / 2 * u))) / u) FROM generate_series(-6, 15) k, LATERAL (SELECT 10.0 ^ k) l(u)
 WHERE ceil(low * u) / u <= high ORDER BY k LIMIT 1
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_shortest(numeric, numeric) IS
	'internal: the number of the fewest digits that is not below one number and not above another';

-- Pounds of kilograms, degrees of other degrees: a number times a constant, plus a constant, rounded. Each row bounds
-- what a constant can be; the shortest number within all bounds is it. A factor alone is tried first. NaN and infinities
-- bound nothing.
CREATE FUNCTION dp_catalog.dp_suggest_units(relation regclass, OUT target name, OUT part name, OUT expression text)
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	pairs name[]; -- {column, of column}
	near boolean[]; -- they lie on a line, nearly
	pair name[];
	off text; -- by rounding, at most
	bound record;
	factor numeric;
	added numeric;
	read text; -- of a pair
	source text;
	sources text[]; -- first a sample
BEGIN
	SELECT t.source, CASE WHEN t.scale > 1 THEN ARRAY[t.source, relation::text] ELSE ARRAY[t.source] END INTO source, sources FROM dp_catalog.dp_rows_taken(relation) t;
	WITH c AS (SELECT l.*, row_number() OVER (ORDER BY l.number) AS place FROM dp_catalog.dp_suggest_looked_at(relation) l WHERE l.class IN ('n', 'f'))
	SELECT array_agg(ARRAY[x.name, y.name] ORDER BY x.number, y.number) INTO pairs
	  FROM c x JOIN c y ON x.number <> y.number AND x.place <= 16 AND y.place <= 16;
	SELECT r.near INTO near FROM dp_catalog.dp_read_as_owner(relation, format('SELECT ARRAY[%s]::boolean[] FROM (SELECT %s FROM %s LIMIT 500) s',
		(SELECT string_agg(format('regr_r2(%1$I, %2$I) > .99', pairs[n][1], pairs[n][2]), ', ' ORDER BY n) FROM generate_subscripts(pairs, 1) n),
		(SELECT string_agg(DISTINCT format('CASE WHEN abs(%1$I::float8) < ''Infinity'' THEN %1$I::float8 END AS %1$I', c), ', ') FROM unnest(pairs) c), source))
		AS r(near boolean[]);
	FOR pair IN SELECT ARRAY[pairs[n][1], pairs[n][2]] FROM generate_subscripts(pairs, 1) n WHERE near[n] ORDER BY n LOOP
		SELECT coalesce((.5 * 10.0 ^ -l.digits)::text, format('1e-9 * abs(%I::numeric)', l.name)) INTO off
		  FROM dp_catalog.dp_suggest_looked_at(relation) l WHERE l.name = pair[1];
		FOREACH source IN ARRAY sources LOOP
			read := format('SELECT %1$I::numeric AS x, %2$I::numeric AS y, %3$s AS h FROM %4$s WHERE abs(%1$I::numeric) < ''Infinity'' AND abs(%2$I::numeric) < ''Infinity''', pair[1], pair[2], off, source);
			SELECT r.* INTO bound FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT max((x - sign(y) * h) / nullif(y, 0)), min((x + sign(y) * h) / nullif(y, 0)), regr_slope(x::float8, y::float8)::numeric, 2 * max(h) / nullif(max(y) - min(y), 0)
				   FROM (%s) s', read)) AS r(low numeric, high numeric, slope numeric, width numeric);
			factor := dp_catalog.dp_suggest_shortest(bound.low, bound.high);
			added := 0;
			IF factor IS NULL THEN
				factor := dp_catalog.dp_suggest_shortest(bound.slope - bound.width, bound.slope + bound.width);
				EXIT WHEN factor IS NULL; -- all values are the same
				SELECT dp_catalog.dp_suggest_shortest(r.low, r.high) INTO added FROM dp_catalog.dp_read_as_owner(relation,
					format('SELECT max(x - h - y * %1$s), min(x + h - y * %1$s) FROM (%2$s) s', factor, read)) AS r(low numeric, high numeric);
			END IF;
			EXIT WHEN factor IS NULL OR added IS NULL;
		END LOOP;
		target := pair[1];
		part := pair[2];
		expression := CASE factor WHEN 1 THEN format('%I', part) WHEN -1 THEN format('%s - %I', added, part) ELSE format('%I * %s', part, factor) END
			|| CASE WHEN factor = -1 OR added = 0 THEN '' WHEN added < 0 THEN format(' - %s', -added) ELSE format(' + %s', added) END;
		IF factor <> 0 AND added IS NOT NULL THEN
			RETURN NEXT;
		END IF;
	END LOOP;
EXCEPTION WHEN data_exception THEN
	RETURN; -- beyond what can be counted with
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_units(regclass) IS
	'internal: columns of numbers that could be a multiple of another, or that and a constant; read off the data for dp_suggest_columns';

-- What a number could be of two others, as a few rows say: most of what many columns could be is not so in any row.
CREATE FUNCTION dp_catalog.dp_suggest_of_two(relation regclass, OUT target name, OUT parts name[], OUT kind integer, OUT words text, OUT exact text)
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	rows float8[]; -- of each row the value of each column
	numbers name[] := ARRAY(SELECT l.name FROM dp_catalog.dp_suggest_looked_at(relation) l WHERE l.class IN ('n', 'f') ORDER BY l.number LIMIT 24);
BEGIN
	-- rows in which most is known
	SELECT r.rows INTO rows FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT array_agg(ARRAY[%s]::float8[]) FROM (SELECT * FROM (SELECT * FROM %s LIMIT 1000) t ORDER BY num_nonnulls(NULL%s) DESC LIMIT 5) s',
		(SELECT string_agg(format('CASE WHEN abs(%1$I) < 1e100 THEN %1$I END', name), ', ' ORDER BY n) FROM unnest(numbers) WITH ORDINALITY u(name, n)),
		(SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t), (SELECT string_agg(format(', %I', name), '') FROM unnest(numbers) name)))
		AS r(rows float8[]);
	RETURN QUERY
	WITH v AS MATERIALIZED (
		SELECT l.name, u.at, l.nullable, row, rows[row][u.at] AS v, abs(rows[row][u.at]) * 1e-6 + coalesce(.51 * 10.0 ^ -l.digits, 0) AS off
		  FROM unnest(numbers) WITH ORDINALITY u(name, at) JOIN dp_catalog.dp_suggest_looked_at(relation) l ON l.name = u.name, generate_subscripts(rows, 1) row),
	-- the first row says that most are not
	maybe AS MATERIALIZED (
		SELECT x.at AS x, y.at AS y, z.at AS z FROM v x JOIN v y ON y.row = 1 AND y.at <> x.at JOIN v z ON z.row = 1 AND z.at NOT IN (x.at, y.at)
		 WHERE x.row = 1 AND (x.v IS NULL OR y.v IS NULL OR z.v IS NULL OR z.v = 0
				OR y.at < z.at AND least(abs(x.v - (y.v + z.v)), abs(x.v - (y.v + z.v) / 2), abs(x.v - y.v * z.v), abs(x.v - y.v), abs(x.v - z.v), abs(x.v - y.v * z.v / 100)) <= x.off
				OR least(abs(x.v - y.v * (1 + z.v)), abs(x.v - y.v * (1 - z.v)), abs(x.v - y.v * (1 + z.v / 100)), abs(x.v - y.v * (1 - z.v / 100)), abs(x.v - y.v / z.v)) <= x.off)),
	near AS (
		SELECT x.name AS x, y.name AS y, z.name AS z, y.at < z.at AS once, y.nullable AS y_nullable, z.nullable AS z_nullable,
			   bool_and(abs(x.v - (y.v + z.v)) <= x.off) AS added, bool_and(abs(x.v - (coalesce(y.v, 0) + coalesce(z.v, 0))) <= x.off) AS added_known,
			   bool_and(abs(x.v - (y.v + z.v) / 2) <= x.off) AS halved, bool_and(abs(x.v - y.v * z.v) <= x.off) AS times,
			   bool_and(abs(x.v - greatest(y.v, z.v)) <= x.off) AS larger, bool_and(abs(x.v - least(y.v, z.v)) <= x.off) AS smaller,
			   bool_and(abs(x.v - y.v * (1 + z.v)) <= x.off) AS more, bool_and(abs(x.v - y.v * (1 - z.v)) <= x.off) AS less,
			   bool_and(abs(x.v - y.v * z.v / 100) <= x.off) AS percent, bool_and(abs(x.v - y.v * (1 + z.v / 100)) <= x.off) AS percent_more,
			   bool_and(abs(x.v - y.v * (1 - z.v / 100)) <= x.off) AS percent_less, bool_and(abs(x.v - y.v / nullif(z.v, 0)) <= x.off) AS each
		  FROM maybe m JOIN v x ON x.at = m.x JOIN v y ON y.row = x.row AND y.at = m.y JOIN v z ON z.row = x.row AND z.at = m.z
		 GROUP BY x.name, y.name, z.name, y.at < z.at, y.nullable, z.nullable)
	SELECT n.x, ARRAY[n.y, n.z], f.kind, format(f.words, n.y, n.z), format(coalesce(f.exact, f.words), n.y, n.z)
	  FROM near n, LATERAL (VALUES
			(6, larger AND once, 'greatest(%I, %I)', NULL), (6, smaller AND once, 'least(%I, %I)', NULL),
			(7, added AND once, '%I + %I', '%I::numeric + %I::numeric'), (7, halved AND once, '(%I + %I) / 2.0', NULL), (7, times AND once, '%I * %I', '%I::numeric * %I::numeric'),
			-- with what is NULL for 0 where that can be
			(8, added_known AND once AND (y_nullable OR z_nullable), CASE WHEN y_nullable THEN 'coalesce(%I, 0)' ELSE '%I' END || ' + ' || CASE WHEN z_nullable THEN 'coalesce(%I, 0)' ELSE '%I' END,
			 'coalesce(%I, 0)::numeric + coalesce(%I, 0)::numeric'),
			-- by a rate, which is added or taken off, and may be in percent
			(9, more, '%I * (1 + %I)', NULL), (9, less, '%I * (1 - %I)', NULL), (9, percent AND once, '%I * %I / 100.0', NULL),
			(9, percent_more, '%I * (1 + %I / 100.0)', NULL), (9, percent_less, '%I * (1 - %I / 100.0)', NULL), (9, each, '%I / nullif(%I, 0)::numeric', NULL))
			f(kind, near, words, exact)
	 WHERE f.near;
	-- the sum of three or more that stand side by side, and what these lack to one or a hundred
	RETURN QUERY
	WITH v AS MATERIALIZED (
		SELECT u.name, u.at, row, rows[row][u.at] AS v, abs(rows[row][u.at]) * 1e-6 + coalesce(.51 * 10.0 ^ -l.digits, 1e-9) AS off,
			   sum(rows[row][u.at]) OVER upto AS upto, count(rows[row][u.at]) OVER upto AS known
		  FROM unnest(numbers) WITH ORDINALITY u(name, at) JOIN dp_catalog.dp_suggest_looked_at(relation) l ON l.name = u.name, generate_subscripts(rows, 1) row
		WINDOW upto AS (PARTITION BY row ORDER BY u.at))
	SELECT x.name, numbers[a.at:z.at], 7, w.whole_words, w.whole_words
	  FROM v a JOIN v z ON z.row = a.row AND z.at >= a.at + 1 JOIN v x ON x.row = a.row AND x.at NOT BETWEEN a.at AND z.at,
		   LATERAL (SELECT CASE WHEN z.known - a.known = z.at - a.at AND a.v IS NOT NULL THEN z.upto - a.upto + a.v END) s(sum),
		   unnest('{0,1,100}'::integer[]) whole,
		   LATERAL (SELECT string_agg(format('%I', n), ' + ' ORDER BY k) FROM unnest(numbers[a.at:z.at]) WITH ORDINALITY p(n, k)) p(added),
		   LATERAL (SELECT CASE whole WHEN 0 THEN p.added ELSE format('%s - (%s)', whole, p.added) END) w(whole_words)
	 WHERE CASE whole WHEN 0 THEN z.at > a.at + 1 ELSE x.at = z.at + 1 END
	 GROUP BY x.name, x.at, a.at, z.at, whole, w.whole_words
	HAVING bool_and(abs(x.v - CASE whole WHEN 0 THEN s.sum ELSE whole - s.sum END) <= x.off) AND max(x.v) > min(x.v);
	-- the square of one, the first digits of a whole number, and one whose first and last digits are columns
	RETURN QUERY
	WITH v AS MATERIALIZED (
		SELECT l.name, u.at, row, rows[row][u.at] AS v, l.digits, abs(rows[row][u.at]) * 1e-6 + coalesce(.51 * 10.0 ^ -l.digits, 1e-9) AS off
		  FROM unnest(numbers) WITH ORDINALITY u(name, at) JOIN dp_catalog.dp_suggest_looked_at(relation) l ON l.name = u.name, generate_subscripts(rows, 1) row),
	cut AS MATERIALIZED (
		SELECT v.*, (10 ^ k)::bigint AS step, trunc(v / 10 ^ k) AS head FROM v, generate_series(1, 9) k WHERE digits = 0 AND v >= 0)
	SELECT x.name, ARRAY[y.name], 7, format('%1$I * %1$I', y.name), format('%1$I::numeric * %1$I::numeric', y.name)
	  FROM v x JOIN v y ON y.row = x.row AND y.at <> x.at
	 GROUP BY x.name, y.name HAVING bool_and(abs(x.v - y.v * y.v) <= x.off)
	 UNION ALL
	-- and the logarithm of one
	SELECT x.name, ARRAY[y.name], 7, w.words, w.words
	  FROM v x JOIN v y ON y.row = x.row AND y.at <> x.at AND x.digits IS NULL, LATERAL format('CASE WHEN %1$I > 0 THEN ln(%1$I) END', y.name) w(words)
	 GROUP BY x.name, w.words, y.name HAVING bool_and(abs(x.v - ln(CASE WHEN y.v > 0 THEN y.v END)) <= x.off)
	 UNION ALL
	SELECT x.name, ARRAY[y.name, z.name], 0, format('%I * %s + %I', y.name, x.step, z.name), format('%I::numeric * %s + %I', y.name, x.step, z.name)
	  FROM cut x JOIN v y ON y.row = x.row AND y.v = x.head AND y.digits = 0 JOIN v z ON z.row = x.row AND z.v = x.v - x.head * x.step AND z.digits = 0
	 WHERE x.at NOT IN (y.at, z.at) AND y.at <> z.at
	 GROUP BY x.name, x.step, y.name, z.name HAVING count(*) = array_length(rows, 1)
	 UNION ALL
	SELECT x.name, ARRAY[y.name], 1, format('div(%I, %s)', y.name, y.step), format('div(%I, %s)', y.name, y.step)
	  FROM cut y JOIN v x ON x.row = y.row AND x.v = y.head AND x.digits = 0 AND x.at <> y.at
	 GROUP BY x.name, y.name, y.step HAVING count(*) = array_length(rows, 1) AND max(y.head) > 0;
EXCEPTION WHEN data_exception THEN
	RETURN; -- beyond what can be counted with
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_of_two(regclass) IS
	'internal: what columns of numbers could be of one or two others, or of some side by side, as a few rows say; read off the data for '
	'dp_suggest_columns';

-- What a column could be, and how that is tested. At most so many of each kind.
CREATE FUNCTION dp_catalog.dp_suggest_expressions(relation regclass, OUT target name, OUT parts name[], OUT expression text, OUT test text)
	RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
WITH c AS MATERIALIZED (SELECT l.*, row_number() OVER (PARTITION BY l.class ORDER BY l.number) AS place,
						  row_number() OVER (PARTITION BY l.type ORDER BY l.number) AS of_type FROM dp_catalog.dp_suggest_looked_at(relation) l),
made AS (
	-- the day of a time, and the time of the day
	SELECT 0 AS kind, b.name AS target, ARRAY[a.name] AS parts, format('%s::%s', v.words, b.type) AS expression, NULL::text AS test
	  FROM c a JOIN c b ON b.type IN ('date'::regtype, 'time'::regtype) AND a.type IN ('timestamp'::regtype, 'timestamptz'::regtype),
		   LATERAL (SELECT format('%I', a.name) AS words WHERE a.type = 'timestamp'::regtype
					 UNION SELECT format('(%I AT TIME ZONE %L)', a.name, zone) FROM (SELECT 'UTC' UNION SELECT s.reset_val FROM pg_settings s WHERE s.name = 'TimeZone') z (zone)
					 WHERE a.type = 'timestamptz'::regtype) v
	UNION ALL -- equal columns
	SELECT 1, b.name, ARRAY[a.name], format('%I', a.name), NULL
	  FROM c a JOIN c b ON a.number < b.number AND a.type = b.type AND a.class <> 'o'
	UNION ALL -- of a time
	SELECT 4, b.name, ARRAY[a.name], format('extract(%s from %I)', f, a.name), format('%I::numeric = extract(%s from %I)', b.name, f, a.name)
	  FROM c a JOIN c b ON a.class = 't' AND b.class = 'n',
		   unnest('{hour,minute,day,month,year,isodow,dow,doy,quarter,week}'::text[]) f
	 WHERE a.type <> 'date'::regtype OR f NOT IN ('hour', 'minute')
	UNION ALL
	SELECT 4, b.name, ARRAY[a.name], format(f, a.name), NULL
	  FROM c a JOIN c b ON a.class = 't' AND b.class = 't' AND a.number <> b.number,
		   unnest(ARRAY['date_trunc(''hour'', %I)', 'date_trunc(''month'', %I)::date', 'date_trunc(''year'', %I)::date']) f
	 WHERE (f LIKE '%date' AND b.type = 'date'::regtype)
		OR (f LIKE '%)' AND b.type = 'timestamp'::regtype AND a.type = b.type)
	UNION ALL -- of a text
	SELECT 5, b.name, ARRAY[a.name], format(f, a.name), NULL
	  FROM unnest(ARRAY['lower(%I)', 'upper(%I)', '"left"(%I, 1)', '"left"(%I, 2)', '"left"(%I, 3)', '"left"(%I, 4)', 'length(%I)']) f
	  JOIN c a ON a.class = 'x' JOIN c b ON b.class = CASE WHEN f LIKE 'length%' THEN 'n' ELSE 'x' END::"char" AND a.number <> b.number
	 WHERE a.place <= 12 AND b.place <= 12
	UNION ALL -- the later, the earlier, and whether one of two, both, or just one
	SELECT 6, x.name, ARRAY[y.name, z.name], format(o.words, y.name, z.name), NULL
	  FROM c x JOIN c y ON x.type = y.type AND x.number <> y.number AND x.of_type <= 12 AND y.of_type <= 12
	  JOIN c z ON x.type = z.type AND z.number > y.number AND z.number <> x.number AND z.of_type <= 12
	  JOIN (VALUES ('greatest(%I, %I)', '{t}'::"char"[]), ('least(%I, %I)', '{t}'), ('%I <> %I', '{b}'), ('%I AND %I', '{b}'), ('%I OR %I', '{b}')) o(words, classes)
		ON x.class = ANY (o.classes)
	UNION ALL -- two numbers
	SELECT e.kind, x.name, e.parts, e.words, dp_catalog.dp_suggest_is(x.name, x.class, x.digits, e.words, e.exact, EXISTS (SELECT FROM c y WHERE y.name = ANY (e.parts) AND y.class = 'f'))
	  FROM dp_catalog.dp_suggest_of_two(relation) e JOIN c x ON x.name = e.target
	UNION ALL -- years and days between two times
	SELECT 10, x.name, ARRAY[y.name, z.name], format(e, y.name, z.name), format('%I::numeric = ' || e, x.name, y.name, z.name)
	  FROM c x JOIN c y ON x.class = 'n' AND y.class = 't' JOIN c z ON z.class = 't' AND z.number <> y.number,
		   unnest(ARRAY['extract(year from age(%I::timestamp, %I::timestamp))', 'extract(day from %I::timestamp - %I::timestamp)']) e
	 WHERE strpos(e, 'age') > 0 OR 'timestamp'::regtype IN (y.type, z.type)
	UNION ALL -- a number in another unit
	SELECT CASE y.class WHEN 'n' THEN 2 ELSE 3 END, u.target, ARRAY[u.part], u.expression, dp_catalog.dp_suggest_is(u.target, x.class, x.digits, u.expression, u.expression, y.class = 'f')
	  FROM dp_catalog.dp_suggest_units(relation) u JOIN c x ON x.name = u.target JOIN c y ON y.name = u.part
	UNION ALL -- by where another lies, or by the list of its values
	SELECT 12, o.target, o.parts, o.expression, NULL FROM dp_catalog.dp_suggest_of_one(relation) o
	UNION ALL -- times that are apart by another column
	SELECT 11, x.name, ARRAY[y.name, d.name], format('%I + %I', y.name, d.name), NULL
	  FROM c x JOIN c y ON x.class = 't' AND x.type = y.type AND x.number <> y.number
	  JOIN c d ON d.type = CASE x.type WHEN 'date'::regtype THEN 'integer'::regtype ELSE 'interval'::regtype END)
SELECT m.target, m.parts, m.expression, coalesce(m.test, format('%I IS NOT DISTINCT FROM (%s)', m.target, m.expression))
  FROM made m
 ORDER BY m.kind, CASE WHEN m.kind IN (2, 3) THEN length(m.expression) END, m.target, m.parts, m.expression LIMIT 8000
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_expressions(regclass) IS
	'internal: what columns could be by others of the row, and conditions that tell whether they are';

-- What a column of few values could be by one other: by the list of that one's values, or by where these lie in an order.
-- Only what so many rows would not show by chance.
CREATE FUNCTION dp_catalog.dp_suggest_of_one(relation regclass, OUT target name, OUT parts name[], OUT expression text)
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
DECLARE
	pair record;
	source constant text := (SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t);
	literal text; -- of a value of the target
BEGIN
	FOR pair IN
		WITH looked AS MATERIALIZED (
			SELECT l.*, s.n, s.rows, s.missing, l.type <> 'numeric'::regtype OR l.digits IS NOT NULL AS has_digits
			  FROM dp_catalog.dp_suggest_looked_at(relation) l, LATERAL dp_catalog.dp_repeats(relation, l.name, 1) s
			 WHERE l.class IN ('x', 'b', 'n', 'f', 't') AND s.n >= 2
				   -- nor values that are equal in two spellings, and numbers of rows
				   AND NOT EXISTS (SELECT FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation WHERE a.attrelid = relation AND a.attnum = l.number AND NOT c.collisdeterministic)
				   AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = relation AND f.contype = 'f' AND l.number = ANY (f.conkey))),
		parts AS MATERIALIZED (
			SELECT l.*, l.class IN ('x', 'b') OR l.n <= 40 AND l.class = 'n' AS listed FROM looked l WHERE l.has_digits OR l.nullable ORDER BY l.number LIMIT 32),
		pairs AS MATERIALIZED (
			SELECT p.name AS part, p.number, p.class AS part_class, p.type AS part_type, p.nullable, p.listed, o.name AS of, o.number AS of_number, o.class AS of_class, o.type AS of_type,
				   -- of two values one where the other column is NULL
				   NOT p.listed AND p.missing > 0 AND o.n = 2 AS may_miss, p.has_digits
			  FROM parts p JOIN looked o ON o.name <> p.name AND o.class IN ('x', 'b', 'n') AND o.has_digits
				   AND o.n <= CASE WHEN p.listed THEN p.n ELSE least(12, p.n - 1) END AND (o.n < p.n OR o.number > p.number)
			 WHERE NOT (p.listed AND (p.n > 256 OR p.n * 5 > p.rows)))
		SELECT *, may_miss AND dp_catalog.dp_decides(relation, part, of, 'missing') AS misses FROM pairs
		 WHERE may_miss AND dp_catalog.dp_decides(relation, part, of, 'missing') OR has_digits AND dp_catalog.dp_decides(relation, part, of, CASE WHEN listed THEN 'value' ELSE 'order' END)
		 ORDER BY number, of_number
	LOOP
		literal := CASE pair.of_class WHEN 'n' THEN '%s' WHEN 'x' THEN '%L' ELSE format('%%L::%s', pair.of_type) END;
		expression := NULL;
		IF pair.misses THEN
			SELECT r.words INTO expression FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT CASE WHEN min(rows) >= 20 THEN format(''CASE WHEN %%I IS NULL THEN %%s ELSE %%s END'', %1$L, max(v) FILTER (WHERE missing), max(v) FILTER (WHERE NOT missing)) END
				   FROM (SELECT %1$I IS NULL AS missing, min(format(%3$L, %2$I)) AS v, count(*) AS rows FROM %4$s GROUP BY 1) g',
				pair.part, pair.of, literal, source)) AS r(words text);
		END IF;
		IF expression IS NOT NULL THEN
			NULL;
		ELSIF NOT pair.has_digits OR pair.misses AND NOT dp_catalog.dp_decides(relation, pair.part, pair.of, 'order') THEN
			CONTINUE;
		ELSIF pair.listed THEN
			-- how improbable it is that all rows of a value agree, were the columns independent
			SELECT r.words INTO expression FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT CASE WHEN sum(rest * -ln(of_value / all_rows)) >= 20 THEN
						string_agg(DISTINCT branch, '' '') || '' ELSE '' || max(others) || '' END'' END
				   FROM (SELECT sum(rows - 1) AS rest, sum(rows) AS of_value, sum(sum(rows)) OVER () AS all_rows,
								CASE WHEN NOT is_last THEN format(''WHEN %%1$I IN (%%2$s) THEN %%3$s'', %1$L, string_agg(quote_literal(p), '', '' ORDER BY p), coalesce(v, ''NULL'')) END AS branch,
								CASE WHEN is_last THEN coalesce(v, ''NULL'') END AS others
						   FROM (SELECT *, dense_rank() OVER (ORDER BY has_null DESC, size DESC, v) = 1 AS is_last
								   FROM (SELECT p, v, rows, count(*) OVER (PARTITION BY v) AS size, bool_or(p IS NULL) OVER (PARTITION BY v) AS has_null
										   FROM (SELECT dp_catalog.dp_text(%1$I) COLLATE "C" AS p, min(format(%3$L, %2$I)) FILTER (WHERE %2$I IS NOT NULL) COLLATE "C" AS v, count(*) AS rows FROM %4$s GROUP BY 1) g) h) i
						  GROUP BY v, is_last) k', pair.part, pair.of, literal, source)) AS r(words text);
			expression := 'CASE ' || expression;
		ELSE
			SELECT r.words INTO expression FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT CASE WHEN sum(rows * -ln(rows / all_rows)) >= 30 AND min(rows) >= 5 AND count(*) > 1 AND bool_and(next IS NULL OR high < next) THEN ''CASE '' || string_agg(
						CASE WHEN next IS NULL THEN format(''ELSE %%s END'', v)
							 ELSE format(''WHEN %%I %%s %%s THEN %%s'', %1$L, %6$L, %5$s, v) END, '' '' ORDER BY low) END
				   FROM (SELECT format(%3$L, %2$I) AS v, count(*) AS rows, sum(count(*)) OVER () AS all_rows, min(%1$I) AS low, max(%1$I) AS high, lead(min(%1$I)) OVER (ORDER BY min(%1$I)) AS next
						   FROM %4$s WHERE %1$I IS NOT NULL AND %2$I IS NOT NULL GROUP BY %2$I) g', pair.part, pair.of, literal, source,
				CASE WHEN pair.part_class = 't' THEN 'quote_literal(next)' ELSE 'dp_catalog.dp_suggest_shortest((high + (next - high) * 1e-6)::numeric, next::numeric)' END, '<')) AS r(words text);
			IF pair.nullable AND expression IS NOT NULL THEN
				expression := format('CASE WHEN %I IS NOT NULL THEN %s END', pair.part, expression);
			END IF;
		END IF;
		CONTINUE WHEN expression IS NULL;
		target := pair.of;
		parts := ARRAY[pair.part];
		RETURN NEXT;
	END LOOP;
EXCEPTION WHEN data_exception THEN
	RETURN; -- beyond what can be counted with
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_of_one(regclass) IS
	'internal: what columns of few values could be by one other; read off the data for dp_suggest_columns';

-- Which of some conditions hold in all rows of a source. One that fails does not hold, and takes no other with it.
CREATE FUNCTION dp_catalog.dp_suggest_hold_in(relation regclass, conditions text[], source text) RETURNS boolean[]
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	half constant integer := cardinality(conditions) / 2;
BEGIN
	RETURN (SELECT r.holds FROM dp_catalog.dp_read_as_owner(relation, format('SELECT ARRAY[%s] FROM (SELECT * FROM %s) s',
		(SELECT string_agg(format('coalesce(bool_and(%s), false)', c), ', ' ORDER BY n) FROM unnest(conditions) WITH ORDINALITY u(c, n)), source)) AS r(holds boolean[]));
EXCEPTION WHEN data_exception OR indeterminate_collation THEN -- of columns that are in different orders
	RETURN CASE WHEN half = 0 THEN '{false}' ELSE dp_catalog.dp_suggest_hold_in(relation, conditions[:half], source)
		|| dp_catalog.dp_suggest_hold_in(relation, conditions[half + 1:], source) END;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_hold_in(regclass, text[], text) IS
	'internal: whether each condition is true in all rows of a source, and fails in none';

-- Which of many conditions hold in all rows, or in those of a sample. What does not
-- hold in a few rows is not looked at in more.
CREATE FUNCTION dp_catalog.dp_suggest_hold(relation regclass, conditions text[], whole boolean) RETURNS boolean[]
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	chunk constant integer := 200;
	held boolean[] := array_fill(true, ARRAY[cardinality(conditions)]);
	at integer[]; -- of conditions that hold so far
	of_chunk integer[];
	holds boolean[];
	rows record;
BEGIN
	FOR rows IN
		SELECT r.words FROM dp_catalog.dp_rows_taken(relation) t,
			   LATERAL (VALUES (1, format('%s LIMIT 10', t.source)), (2, format('%s LIMIT 100', t.source)), (3, format('%s LIMIT 5000', t.source)), (4, t.source),
							   (5, CASE WHEN whole AND t.scale > 1 THEN relation::text END)) r(step, words)
		 WHERE r.words IS NOT NULL ORDER BY r.step
	LOOP
		at := ARRAY(SELECT n FROM generate_subscripts(held, 1) n WHERE held[n] ORDER BY n);
		FOR i IN 0..(cardinality(at) - 1) / chunk LOOP
			of_chunk := at[i * chunk + 1 : (i + 1) * chunk];
			CONTINUE WHEN of_chunk = '{}';
			holds := dp_catalog.dp_suggest_hold_in(relation, ARRAY(SELECT conditions[u.k] FROM unnest(of_chunk) WITH ORDINALITY u(k, n) ORDER BY u.n), rows.words);
			FOR k IN 1..cardinality(of_chunk) LOOP
				held[of_chunk[k]] := holds[k];
			END LOOP;
		END LOOP;
	END LOOP;
	RETURN held;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_hold(regclass, text[], boolean) IS
	'internal: whether each condition is true in all rows, or where not whole, in those of a sample';

-- Columns that are an expression over others in all rows. None is computed from one that is.
CREATE FUNCTION dp_catalog.dp_suggest_computed(relation regclass, OUT column_name name, OUT expression text)
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	found record;
	computed name[] := '{}';
	varies name[]; -- columns that have three different values or more, booleans two
	targets name[];
	parts text[]; -- of each, as an array is written
	expressions text[];
	tests text[];
	held boolean[];
	source constant text := (SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t);
BEGIN
	SELECT array_agg(l.name) INTO varies FROM dp_catalog.dp_suggest_looked_at(relation) l
	 WHERE l.class <> 'o' AND ((SELECT r.n FROM dp_catalog.dp_repeats(relation, l.name, 1) r) > 100 -- however they are spelt
		OR (SELECT r.n FROM dp_catalog.dp_read_as_owner(relation, format('SELECT count(*) FROM (SELECT DISTINCT v FROM %s LIMIT 3) d',
			dp_catalog.dp_values_taken(relation, l.name))) AS r(n bigint)) >= CASE l.class WHEN 'b' THEN 2 ELSE 3 END);
	SELECT array_agg(e.target ORDER BY e.n), array_agg(e.parts::text ORDER BY e.n), array_agg(e.expression ORDER BY e.n), array_agg(e.test ORDER BY e.n)
	  INTO targets, parts, expressions, tests
	  FROM (SELECT e.*, row_number() OVER () AS n FROM dp_catalog.dp_suggest_expressions(relation) e) e
	 WHERE e.expression ~ '^CASE ' OR e.target = ANY (varies) AND (e.parts <@ varies
		-- a flag times another
		OR e.parts && varies AND e.expression ~ '^[^ ()]+ [*] [^ ()]+$');
	IF tests IS NULL OR (SELECT r.n FROM dp_catalog.dp_read_as_owner(relation, format('SELECT count(*) FROM (SELECT FROM %s LIMIT 20) s', source)) AS r(n bigint)) < 20 THEN
		RETURN; -- few rows have much in common by chance
	END IF;
	held := dp_catalog.dp_suggest_hold(relation, tests, true);
	FOR found IN
		SELECT targets[n] AS target, parts[n]::name[] AS parts, expressions[n] AS expression
		  FROM generate_subscripts(tests, 1) n WHERE held[n] ORDER BY n
	LOOP
		CONTINUE WHEN found.target = ANY (computed) OR found.parts && computed;
		computed := computed || found.target;
		column_name := found.target;
		expression := found.expression;
		-- what must not be NULL has a value where a part has none, which no row has yet
		SELECT format('coalesce(%s, %s)', expression, CASE t.class WHEN 'n' THEN r.middle ELSE format('%L::%s', r.middle, t.type) END) INTO expression
		  FROM dp_catalog.dp_suggest_looked_at(relation) t,
			   dp_catalog.dp_read_as_owner(relation, format('SELECT dp_catalog.dp_text(percentile_disc(0.5) WITHIN GROUP (ORDER BY %I)) FROM %s', found.target, source)) AS r(middle text)
		 WHERE t.name = found.target AND NOT t.nullable AND t.class IN ('n', 't', 'x') AND strpos(found.expression, 'coalesce') = 0 AND strpos(found.expression, ' IS NULL THEN ') = 0
		   AND (strpos(found.expression, 'nullif') > 0 OR EXISTS (SELECT FROM dp_catalog.dp_suggest_looked_at(relation) p WHERE p.name = ANY (found.parts) AND p.nullable));
		expression := coalesce(expression, found.expression);
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_computed(regclass) IS
	'internal: columns that are an expression over others in all rows; read off the data for dp_suggest_columns';

-- A whole number as the difference or the sum of two others and a constant, which may end at 0: years of work of age and
-- schooling. NULL: it is neither.
CREATE FUNCTION dp_catalog.dp_suggest_difference(relation regclass, target name, first name, second name) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	words text;
	k numeric;
	holds boolean[];
BEGIN
	IF (SELECT count(*) FROM dp_catalog.dp_suggest_looked_at(relation) l WHERE l.name IN (target, first, second) AND l.class = 'n' AND l.digits = 0) < 3 THEN
		RETURN NULL;
	END IF;
	FOREACH words IN ARRAY '{"%1$I - %2$I","%2$I - %1$I","%1$I + %2$I"}'::text[] LOOP
		SELECT r.k INTO k FROM dp_catalog.dp_read_as_owner(relation, format(
			format('SELECT mode() WITHIN GROUP (ORDER BY k) FROM (SELECT %%3$I - (%s) AS k FROM %%4$s) s WHERE abs(k) < ''Infinity''', replace(words, '$I', '$I::numeric')),
			first, second, target, (SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t))) AS r(k numeric);
		words := format(words, first, second) || CASE WHEN k > 0 THEN ' + ' || k WHEN k < 0 THEN ' - ' || -k ELSE '' END;
		-- in the types of the columns, as a CHECK computes
		holds := dp_catalog.dp_suggest_hold_in(relation, ARRAY[format('%I IS NOT DISTINCT FROM %s', target, words), format('%I IS NOT DISTINCT FROM greatest(%s, 0)', target, words)], relation::text);
		IF holds[1] OR holds[2] THEN
			RETURN format(CASE WHEN holds[1] THEN '%I = %s' ELSE '%I = greatest(%s, 0)' END, target, words);
		END IF;
	END LOOP;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_difference(regclass, name, name, name) IS
	'internal: an equation between three columns of whole numbers and a constant; read off the data for dp_suggest_columns';

-- What a CHECK or a public table would keep, as comments.
CREATE FUNCTION dp_catalog.dp_suggest_remarks(relation regclass, computed name[]) RETURNS SETOF text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	remarks text[];
	tests text[];
	worth text[]; -- statements that tell which remarks are
	once text[]; -- of those that share it, the first that holds is said
	held boolean[];
	levels name[]; -- columns of few values
	others name[]; -- that they may decide
	pair record;
	decided name[];
	decides boolean[];
	combinations bigint;
	third record;
	equation text;
	said text[] := '{}'; -- three columns of which an equation is said
	source text;
	scale float8;
BEGIN
	SELECT t.source, t.scale INTO source, scale FROM dp_catalog.dp_rows_taken(relation) t;
	WITH c AS MATERIALIZED (SELECT l.*, s.missing, s.n FROM dp_catalog.dp_suggest_looked_at(relation) l, LATERAL dp_catalog.dp_repeats(relation, l.name, 1) s WHERE l.name <> ALL (computed)),
	made AS (
		SELECT 1 AS kind, a.number, b.number AS other, format('%I is never above %I', a.name, b.name) AS remark,
			   format('%I <= %I', a.name, b.name) AS rule,
			   format('(%1$I <= %2$I) IS NOT FALSE', a.name, b.name) AS test, a.name AS first, b.name AS second, 0 AS place
		  FROM c a JOIN c b ON (a.type = b.type OR a.class IN ('n', 'f') AND b.class IN ('n', 'f') OR a.class = 't' AND b.class = 't') AND a.number <> b.number AND a.class IN ('n', 'f', 't')
		 WHERE (SELECT count(*) FROM c WHERE c.class = a.class) <= 20
			-- of many, those that are more than flags
			OR least(a.n, b.n) > 2 AND (SELECT count(*) FROM c WHERE c.class = a.class AND c.n > 2) <= 24
		UNION ALL
		SELECT 2, a.number, b.number, format('%I is NULL where %I is', b.name, a.name), format('(%I IS NULL) = (%I IS NULL)', a.name, b.name),
			   format('(%I IS NULL) = (%I IS NULL)', a.name, b.name), a.name, b.name, 0
		  FROM c a JOIN c b ON a.number < b.number AND least(a.missing, b.missing) > 0 AND greatest(a.missing, b.missing) < 1
		UNION ALL -- of a calendar
		SELECT 3, a.number, a.number, format('%I is always %s', a.name, d.remark), format(d.rule, a.name), format('(' || d.rule || ') IS NOT FALSE', a.name), a.name, a.name, d.place
		  FROM c a JOIN (SELECT 1, 'the first of a month', 'extract(day from %I) = 1'
						 UNION ALL SELECT 2, 'the last of a month', 'extract(day from %I + interval ''1 day'') = 1'
						 UNION ALL SELECT 3, 'of one weekday', format('extract(isodow from %%I) = %s', n) FROM generate_series(1, 7) n
						 UNION ALL SELECT 4, 'of a working day', 'extract(isodow from %I) < 6') d(place, remark, rule) ON a.class = 't'
		 WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = relation AND k.contype = 'c' AND a.number = ANY (k.conkey)
							 AND EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN ('extract', 'date_part') AND strpos(k.conbin::text, format(':funcid %s ', p.oid)) > 0)))
	SELECT array_agg(CASE WHEN m.kind > 1 THEN m.kind || m.second END ORDER BY m.kind, m.number, m.other, m.place),
		   array_agg(format('%s; ALTER TABLE %s ADD CHECK (%s) has rows keep that', m.remark, relation, m.rule) ORDER BY m.kind, m.number, m.other, m.place),
		   array_agg(m.test ORDER BY m.kind, m.number, m.other, m.place),
		   array_agg(format(CASE m.kind WHEN 1 THEN 'SELECT count(*) >= 20 AND count(*) FILTER (WHERE %2$I <= (SELECT max(%1$I) FROM %3$s)) * 2 >= count(*) AND max(%1$I) > min(%2$I) FROM %3$s WHERE %1$I IS NOT NULL AND %2$I IS NOT NULL'
								   WHEN 3 THEN 'SELECT count(DISTINCT %1$I::date) >= 20 FROM %3$s'
								   ELSE 'SELECT true' END, m.first, m.second, format('(SELECT * FROM %s LIMIT 2000) s', source))
					 ORDER BY m.kind, m.number, m.other, m.place) INTO once, remarks, tests, worth
	  FROM made m
	 WHERE m.kind = 3 OR NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = relation AND k.contype = 'c'
						  AND k.conkey @> ARRAY[m.number::int2, m.other::int2]);
	-- where most of one lie above all of the other, or nothing is NULL, there is little to say, as some rows show
	IF tests IS NOT NULL THEN
		held := dp_catalog.dp_suggest_hold(relation, tests, false);
		SELECT array_agg(u.remark ORDER BY u.n), array_agg(u.test ORDER BY u.n), array_agg(u.once ORDER BY u.n) INTO remarks, tests, once
		  FROM unnest(remarks, tests, worth, once) WITH ORDINALITY u(remark, test, worth, once, n)
		 WHERE held[u.n] AND (SELECT r.worth FROM dp_catalog.dp_read_as_owner(relation, u.worth) AS r(worth boolean));
	END IF;
	IF tests IS NOT NULL THEN
		held := dp_catalog.dp_suggest_hold(relation, tests, true);
		-- what is NULL where the first of some columns is, is so with each of them; of a calendar what says more comes first
		RETURN QUERY SELECT r FROM (SELECT u.r, u.n, u.o, row_number() OVER (PARTITION BY u.o ORDER BY u.n) AS place FROM unnest(remarks, once) WITH ORDINALITY u(r, o, n) WHERE held[u.n]) w
		 WHERE o IS NULL OR place = 1 ORDER BY n LIMIT 20;
	END IF;

	-- two columns of few values, which most rows have, decide a third
	SELECT array_agg(c.name) FILTER (WHERE c.n BETWEEN 3 AND 1000 AND c.n * 5 <= c.rows AND c.rows * 2 >= c.most AND (c.class = 'x' OR c.digits = 0)),
		   array_agg(c.name) FILTER (WHERE c.n >= 10) INTO levels, others
	  FROM (SELECT l.*, s.n, s.rows, max(s.rows) OVER () AS most
			  FROM (SELECT * FROM dp_catalog.dp_suggest_looked_at(relation) l WHERE l.name <> ALL (computed) LIMIT 25) l,
				   LATERAL dp_catalog.dp_repeats(relation, l.name, 1) s WHERE l.class <> 'o') c;
	FOR pair IN
		SELECT a.name AS first, b.name AS second FROM unnest(levels[:8]) WITH ORDINALITY a(name, n)
		  JOIN unnest(levels[:8]) WITH ORDINALITY b(name, n) ON b.n > a.n
		 WHERE others IS NOT NULL
	LOOP
		SELECT r.decided, r.combinations INTO decided, combinations FROM dp_catalog.dp_decided_by_two(relation, pair.first, pair.second, others) r;
		CONTINUE WHEN decided IS NULL;
		IF scale > 1 THEN -- in all rows?
			SELECT r.decides, r.combinations INTO decides, combinations FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT ARRAY[%1$s], count(*) FROM (SELECT %2$s, count(*) AS rows FROM %3$s WHERE %4$I IS NOT NULL AND %5$I IS NOT NULL GROUP BY %4$I, %5$I) g
				 HAVING count(*) * 5 <= sum(rows)',
				(SELECT string_agg(format('coalesce(bool_and(n%s), false)', n), ', ' ORDER BY n) FROM generate_subscripts(decided, 1) n),
				(SELECT string_agg(format('(min(%1$s) = max(%1$s)) IS NOT FALSE AS n%2$s', format('dp_catalog.dp_text(%I) COLLATE "C"', o), n), ', ' ORDER BY n)
				   FROM unnest(decided) WITH ORDINALITY u(o, n)), relation, pair.first, pair.second)) AS r(decides boolean[], combinations bigint);
			SELECT array_agg(o) INTO decided FROM unnest(decided) WITH ORDINALITY u(o, n) WHERE decides[n];
		END IF;
		FOR third IN
			SELECT o AS name, (SELECT string_agg(quote_ident(x), ', ' ORDER BY x) FROM unnest(ARRAY[o, pair.first, pair.second]) x) AS three FROM unnest(decided) o
		LOOP
			CONTINUE WHEN third.three = ANY (said);
			equation := dp_catalog.dp_suggest_difference(relation, third.name, pair.first, pair.second);
			IF equation IS NOT NULL THEN
				said := said || third.three;
				RETURN NEXT format('%s in all rows; ALTER TABLE %s ADD CHECK (%1$s) has rows keep that', equation, relation);
			ELSE
				RETURN NEXT format('%I is decided by %I and %I, of which there are %s combinations; a public table of these to which both refer keeps that, or a narrower domain',
								   third.name, pair.first, pair.second, combinations);
			END IF;
		END LOOP;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_remarks(regclass, name[]) IS
	'internal: orders, columns that are NULL together, and pairs that decide a third; read off the data for dp_suggest_columns';

-- 1000 of amounts in thousands, 1 of whole numbers in a numeric(15,2).
CREATE FUNCTION dp_catalog.dp_suggest_step(relation regclass, column_name name) RETURNS numeric
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	digits integer;
	steps numeric[];
	held boolean[];
BEGIN
	SELECT coalesce(l.digits, CASE WHEN r.digits <= 3 THEN r.digits END) INTO digits FROM dp_catalog.dp_suggest_looked_at(relation) l,
		   dp_catalog.dp_read_as_owner(relation, format(
				'WITH d AS (SELECT scale(trim_scale(v::numeric)) AS digits FROM %s WHERE %L AND abs(v::numeric) < ''Infinity'')
				 SELECT CASE WHEN (SELECT max(f.digits) FROM (SELECT digits FROM d LIMIT 100) f) <= 3 THEN (SELECT max(d.digits) FROM d) END',
				dp_catalog.dp_values_taken(relation, column_name), l.digits IS NULL)) AS r(digits integer)
	 WHERE l.name = column_name AND l.class IN ('n', 'f');
	IF digits IS NULL THEN
		RETURN NULL;
	END IF;
	SELECT array_agg(s ORDER BY s) INTO steps
	  FROM (SELECT d * 10.0 ^ k AS s FROM unnest('{1,2,5,25,125}'::numeric[]) d, generate_series(-digits, 6) k) u WHERE s > 10.0 ^ -digits;
	held := dp_catalog.dp_suggest_hold(relation, ARRAY(SELECT format('coalesce(%1$I::numeric %% %2$s = 0, true) OR abs(%1$I::numeric) >= ''Infinity''', column_name, trim_scale(s)) FROM unnest(steps) s), false);
	RETURN (SELECT trim_scale(max(s)) FROM unnest(steps) WITH ORDINALITY u(s, n) WHERE held[n]);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_step(regclass, name) IS
	'internal: the largest round number that all values of a column are multiples of, where that is more than its type or its digits say; '
	'read off the data for dp_suggest_columns';

