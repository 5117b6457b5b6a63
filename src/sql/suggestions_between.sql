
-- 5b. What holds between columns in all rows, for the custodian to read
------------------------------------------------------------------------------

-- The columns that are looked at: those that a release models or could model, with their types below domains.
CREATE FUNCTION dp_catalog.dp_suggest_looked_at(relation regclass, OUT number integer, OUT name name, OUT type regtype,
												OUT class "char", OUT digits integer, OUT nullable boolean)
	RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE base AS (
	SELECT a.attnum, a.attname, a.atttypid AS type, a.atttypmod AS typmod, NOT a.attnotnull AS nullable
	  FROM pg_attribute a JOIN dp_catalog.dp_column_domains(relation) c ON c.ordinal = a.attnum AND c.column_name = a.attname
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
			WHEN class = 'f' OR floats THEN format('abs(%1$I - (%2$s)) <= 1e-9 * greatest(abs(%1$I), 1) AND (%1$I NOT IN (''NaN'', ''Infinity'', ''-Infinity'') OR %1$I::float8 = (%2$s)::float8)'
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
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
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
	SELECT r.near INTO near FROM dp_catalog.dp_read_as_owner(relation, format('SELECT ARRAY[%s]::boolean[] FROM (SELECT * FROM %s LIMIT 500) s',
		(SELECT string_agg(format('regr_r2(%1$I::float8, %2$I::float8) FILTER (WHERE greatest(abs(%1$I::float8), abs(%2$I::float8)) < ''Infinity'') > .99', pairs[n][1], pairs[n][2]), ', ' ORDER BY n) FROM generate_subscripts(pairs, 1) n), source))
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
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
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
	near AS (
		SELECT x.name AS x, y.name AS y, z.name AS z, y.at < z.at AS once, y.nullable AS y_nullable, z.nullable AS z_nullable,
			   bool_and(abs(x.v - (y.v + z.v)) <= x.off) AS added, bool_and(abs(x.v - (coalesce(y.v, 0) + coalesce(z.v, 0))) <= x.off) AS added_known,
			   bool_and(abs(x.v - y.v * z.v) <= x.off) AS times,
			   bool_and(abs(x.v - greatest(y.v, z.v)) <= x.off) AS larger, bool_and(abs(x.v - least(y.v, z.v)) <= x.off) AS smaller,
			   bool_and(abs(x.v - y.v * (1 + z.v)) <= x.off) AS more, bool_and(abs(x.v - y.v * (1 - z.v)) <= x.off) AS less,
			   bool_and(abs(x.v - y.v * z.v / 100) <= x.off) AS percent, bool_and(abs(x.v - y.v * (1 + z.v / 100)) <= x.off) AS percent_more,
			   bool_and(abs(x.v - y.v * (1 - z.v / 100)) <= x.off) AS percent_less, bool_and(abs(x.v - y.v / nullif(z.v, 0)) <= x.off) AS each
		  FROM v x JOIN v y ON y.row = x.row AND y.at <> x.at JOIN v z ON z.row = x.row AND z.at NOT IN (x.at, y.at)
		 GROUP BY x.name, y.name, z.name, y.at < z.at, y.nullable, z.nullable)
	SELECT n.x, ARRAY[n.y, n.z], f.kind, format(f.words, n.y, n.z), format(coalesce(f.exact, f.words), n.y, n.z)
	  FROM near n, LATERAL (VALUES
			(6, larger AND once, 'greatest(%I, %I)', NULL), (6, smaller AND once, 'least(%I, %I)', NULL),
			(7, added AND once, '%I + %I', '%I::numeric + %I::numeric'), (7, times AND once, '%I * %I', '%I::numeric * %I::numeric'),
			-- with what is NULL for 0 where that can be
			(8, added_known AND once AND (y_nullable OR z_nullable), CASE WHEN y_nullable THEN 'coalesce(%I, 0)' ELSE '%I' END || ' + ' || CASE WHEN z_nullable THEN 'coalesce(%I, 0)' ELSE '%I' END,
			 'coalesce(%I, 0)::numeric + coalesce(%I, 0)::numeric'),
			-- by a rate, which is added or taken off, and may be in percent
			(9, more, '%I * (1 + %I)', NULL), (9, less, '%I * (1 - %I)', NULL), (9, percent AND once, '%I * %I / 100.0', NULL),
			(9, percent_more, '%I * (1 + %I / 100.0)', NULL), (9, percent_less, '%I * (1 - %I / 100.0)', NULL), (9, each, '%I / nullif(%I, 0)::numeric', NULL))
			f(kind, near, words, exact)
	 WHERE f.near;
EXCEPTION WHEN data_exception THEN
	RETURN; -- beyond what can be counted with
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_of_two(regclass) IS
	'internal: what columns of numbers could be of two others, as a few rows say; read off the data for dp_suggest_columns';

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
	UNION ALL -- years between two times
	SELECT 10, x.name, ARRAY[y.name, z.name], e, format('%I::numeric = %s', x.name, e)
	  FROM c x JOIN c y ON x.class = 'n' AND y.class = 't' JOIN c z ON z.class = 't' AND z.number <> y.number,
		   format('extract(year from age(%I::timestamp, %I::timestamp))', y.name, z.name) e
	UNION ALL -- a number in another unit
	SELECT CASE y.class WHEN 'n' THEN 2 ELSE 3 END, u.target, ARRAY[u.part], u.expression, dp_catalog.dp_suggest_is(u.target, x.class, x.digits, u.expression, u.expression, y.class = 'f')
	  FROM dp_catalog.dp_suggest_units(relation) u JOIN c x ON x.name = u.target JOIN c y ON y.name = u.part
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

-- Which of some conditions hold in all rows of a source. One that fails does not hold, and takes no other with it.
CREATE FUNCTION dp_catalog.dp_suggest_hold_in(relation regclass, conditions text[], source text) RETURNS boolean[]
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
DECLARE
	half constant integer := cardinality(conditions) / 2;
BEGIN
	RETURN (SELECT r.holds FROM dp_catalog.dp_read_as_owner(relation, format('SELECT ARRAY[%s] FROM (SELECT * FROM %s) s',
		(SELECT string_agg(format('coalesce(bool_and(%s), false)', c), ', ' ORDER BY n) FROM unnest(conditions) WITH ORDINALITY u(c, n)), source)) AS r(holds boolean[]));
EXCEPTION WHEN data_exception THEN
	RETURN CASE WHEN half = 0 THEN '{false}' ELSE dp_catalog.dp_suggest_hold_in(relation, conditions[:half], source)
		|| dp_catalog.dp_suggest_hold_in(relation, conditions[half + 1:], source) END;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_hold_in(regclass, text[], text) IS
	'internal: whether each condition is true in all rows of a source, and fails in none';

-- Which of many conditions hold in all rows, or in those of a sample. What does not
-- hold in a few rows is not looked at in more.
CREATE FUNCTION dp_catalog.dp_suggest_hold(relation regclass, conditions text[], whole boolean) RETURNS boolean[]
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
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
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
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
	 WHERE l.class <> 'o' AND (SELECT r.n FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT count(*) FROM (SELECT DISTINCT %1$I FROM (SELECT %1$I FROM %2$s WHERE %1$I IS NOT NULL LIMIT 5000) s LIMIT 3) d', l.name, source)) AS r(n bigint)) >= CASE l.class WHEN 'b' THEN 2 ELSE 3 END;
	SELECT array_agg(e.target ORDER BY e.n), array_agg(e.parts::text ORDER BY e.n), array_agg(e.expression ORDER BY e.n), array_agg(e.test ORDER BY e.n)
	  INTO targets, parts, expressions, tests
	  FROM (SELECT e.*, row_number() OVER () AS n FROM dp_catalog.dp_suggest_expressions(relation) e) e
	 WHERE e.target = ANY (varies) AND e.parts <@ varies;
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
		 WHERE t.name = found.target AND NOT t.nullable AND t.class IN ('n', 't', 'x') AND strpos(found.expression, 'coalesce') = 0
		   AND (strpos(found.expression, 'nullif') > 0 OR EXISTS (SELECT FROM dp_catalog.dp_suggest_looked_at(relation) p WHERE p.name = ANY (found.parts) AND p.nullable));
		expression := coalesce(expression, found.expression);
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_computed(regclass) IS
	'internal: columns that are an expression over others in all rows; read off the data for dp_suggest_columns';

-- What a CHECK or a public table would keep, as comments.
CREATE FUNCTION dp_catalog.dp_suggest_remarks(relation regclass, computed name[]) RETURNS SETOF text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
DECLARE
	remarks text[];
	tests text[];
	worth text[]; -- statements that tell which remarks are
	held boolean[];
	levels name[]; -- columns of few values
	others name[]; -- that they may decide
	pair record;
	decided name[];
	decides boolean[];
	combinations bigint;
	rows bigint;
	source text;
	scale float8;
BEGIN
	SELECT t.source, t.scale INTO source, scale FROM dp_catalog.dp_rows_taken(relation) t;
	WITH c AS MATERIALIZED (SELECT * FROM dp_catalog.dp_suggest_looked_at(relation) l WHERE l.name <> ALL (computed)),
	made AS (
		SELECT 1 AS kind, a.number, b.number AS other, format('%I is never above %I', a.name, b.name) AS remark,
			   format('%I <= %I', a.name, b.name) AS rule,
			   format('(%1$I <= %2$I) IS NOT FALSE', a.name, b.name) AS test, a.name AS first, b.name AS second
		  FROM c a JOIN c b ON a.type = b.type AND a.number <> b.number AND a.class IN ('n', 'f', 't')
		 WHERE (SELECT count(*) FROM c WHERE c.class = a.class) <= 20
		UNION ALL
		SELECT 2, a.number, b.number, format('%I is NULL where %I is', b.name, a.name), format('(%I IS NULL) = (%I IS NULL)', a.name, b.name),
			   format('(%I IS NULL) = (%I IS NULL)', a.name, b.name), a.name, b.name
		  FROM c a JOIN c b ON a.number < b.number AND a.nullable AND b.nullable)
	SELECT array_agg(format('%s; ALTER TABLE %s ADD CHECK (%s) has rows keep that', m.remark, relation, m.rule) ORDER BY m.kind, m.number, m.other),
		   array_agg(m.test ORDER BY m.kind, m.number, m.other),
		   array_agg(format(CASE m.kind WHEN 1 THEN 'SELECT count(*) >= 20 AND count(*) FILTER (WHERE %2$I <= (SELECT max(%1$I) FROM %3$s)) * 2 >= count(*) AND max(%1$I) > min(%2$I) FROM %3$s WHERE %1$I IS NOT NULL AND %2$I IS NOT NULL'
								   ELSE 'SELECT coalesce(bool_or(%1$I IS NULL) AND bool_or(%1$I IS NOT NULL), false) FROM %3$s' END, m.first, m.second, format('(SELECT * FROM %s LIMIT 2000) s', source))
					 ORDER BY m.kind, m.number, m.other) INTO remarks, tests, worth
	  FROM made m
	 WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = relation AND k.contype = 'c'
						  AND k.conkey @> ARRAY[m.number::int2, m.other::int2]);
	-- where most of one lie above all of the other, or nothing is NULL, there is little to say, as some rows show
	IF tests IS NOT NULL THEN
		held := dp_catalog.dp_suggest_hold(relation, tests, false);
		SELECT array_agg(u.remark ORDER BY u.n), array_agg(u.test ORDER BY u.n) INTO remarks, tests
		  FROM unnest(remarks, tests, worth) WITH ORDINALITY u(remark, test, worth, n)
		 WHERE held[u.n] AND (SELECT r.worth FROM dp_catalog.dp_read_as_owner(relation, u.worth) AS r(worth boolean));
	END IF;
	IF tests IS NOT NULL THEN
		held := dp_catalog.dp_suggest_hold(relation, tests, true);
		RETURN QUERY SELECT r FROM unnest(remarks) WITH ORDINALITY u(r, n) WHERE held[n] ORDER BY n LIMIT 20;
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
		decided := others;
		FOR rows IN SELECT unnest(ARRAY[2000, 1000000000, NULL]::bigint[]) LOOP
			CONTINUE WHEN rows IS NULL AND scale = 1;
			SELECT r.decides, r.combinations INTO decides, combinations FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT ARRAY[%1$s], count(*) FROM (SELECT %2$s, count(*) AS rows FROM (SELECT * FROM %3$s %6$s) s WHERE %4$I IS NOT NULL AND %5$I IS NOT NULL GROUP BY %4$I, %5$I) g
				 HAVING count(*) * 5 <= sum(rows)',
				(SELECT string_agg(format('coalesce(bool_and(n%s), false)', n), ', ' ORDER BY n) FROM generate_subscripts(decided, 1) n),
				(SELECT string_agg(format('(min(%1$s) = max(%1$s)) IS NOT FALSE AS n%2$s', format('dp_catalog.dp_text(%I) COLLATE "C"', o), n), ', ' ORDER BY n)
				   FROM unnest(decided) WITH ORDINALITY u(o, n)),
				CASE WHEN rows IS NULL THEN relation::text ELSE source END, pair.first, pair.second, 'LIMIT ' || rows)) AS r(decides boolean[], combinations bigint);
			SELECT array_agg(o) INTO decided FROM unnest(decided) WITH ORDINALITY u(o, n) WHERE decides[n] AND o NOT IN (pair.first, pair.second);
			EXIT WHEN decided IS NULL;
		END LOOP;
		RETURN QUERY SELECT format('%I is decided by %I and %I, of which there are %s combinations; a public table of these to which both refer keeps that, or a narrower domain',
								   o, pair.first, pair.second, combinations)
		  FROM unnest(decided) o
		   -- not by one of them alone
		 WHERE NOT EXISTS (SELECT FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT coalesce(bool_and(n <= 1), false) FROM (SELECT count(DISTINCT dp_catalog.dp_text(%I)) AS n FROM %s GROUP BY %I) g
				 UNION ALL SELECT coalesce(bool_and(n <= 1), false) FROM (SELECT count(DISTINCT dp_catalog.dp_text(%I)) AS n FROM %s GROUP BY %I) g',
				o, source, pair.first, o, source, pair.second)) AS r(alone boolean) WHERE r.alone);
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_remarks(regclass, name[]) IS
	'internal: orders, columns that are NULL together, and pairs that decide a third; read off the data for dp_suggest_columns';

-- 1000 of amounts in thousands, 1 of whole numbers in a numeric(15,2).
CREATE FUNCTION dp_catalog.dp_suggest_step(relation regclass, column_name name) RETURNS numeric
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
DECLARE
	digits integer := (SELECT l.digits FROM dp_catalog.dp_suggest_looked_at(relation) l WHERE l.name = column_name AND l.class = 'n');
	steps numeric[];
	held boolean[];
BEGIN
	IF digits IS NULL THEN
		RETURN NULL;
	END IF;
	SELECT array_agg(s ORDER BY s) INTO steps
	  FROM (SELECT d * 10.0 ^ k AS s FROM unnest('{1,2,5,25}'::numeric[]) d, generate_series(-digits, 6) k) u WHERE s > 10.0 ^ -digits;
	held := dp_catalog.dp_suggest_hold(relation, ARRAY(SELECT format('coalesce(%I %% %s = 0, true)', column_name, trim_scale(s)) FROM unnest(steps) s), false);
	RETURN (SELECT trim_scale(max(s)) FROM unnest(steps) WITH ORDINALITY u(s, n) WHERE held[n]);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_step(regclass, name) IS
	'internal: the largest round number that all values of a column are multiples of, where that is more than its type says; '
	'read off the data for dp_suggest_columns';

